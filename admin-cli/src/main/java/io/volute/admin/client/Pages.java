package io.volute.admin.client;

import io.volute.adminapi.AdminJson;
import io.volute.adminapi.Route;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Follows a list of the server's to its end, page by page. */
public final class Pages {
    /** Maximum number of entries in one page of the server. */
    private static final long AT_ONCE = 1000;

    private static final String MAX = "max";
    public static final String FROM = "from";
    public static final String NEXT = "next";

    private Pages() {}

    /** Asks for one page. */
    public interface Source {
        /**
         * @param page {@code max} and, behind the first one, {@code from}
         */
        Map<String, Object> ask(Map<String, Object> page) throws IOException, InterruptedException;
    }

    /** Takes the entries of one page, also of an empty one. */
    public interface Sink {
        void take(List<Map<String, Object>> entries) throws IOException;
    }

    /**
     * Returns the pages of a route.
     *
     * @param request without {@code max} and {@code from}
     */
    public static <Q extends Record> Source of(AdminClient client, Route<Q, ?> route, Q request) {
        return page -> {
            Map<String, Object> all = AdminJson.fields(request);
            all.putAll(page);
            return client.ask(route, all);
        };
    }

    /** Returns the entries of a list in an answer. */
    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> entries(Map<String, Object> answer, String name) {
        return (List<Map<String, Object>>) answer.getOrDefault(name, List.of());
    }

    /** Hands on all entries. */
    public static void followAll(Source source, String name, Sink sink)
            throws IOException, InterruptedException {
        follow(source, name, Long.MAX_VALUE, sink);
    }

    /**
     * Hands on up to {@code max} entries.
     *
     * @param name of the list in the server's answers
     * @return whether there are more
     */
    public static boolean follow(Source source, String name, long max, Sink sink)
            throws IOException, InterruptedException {
        long left = max;
        Map<String, Object> page = new LinkedHashMap<>();
        while (true) {
            page.put(MAX, Math.min(left, AT_ONCE));
            Map<String, Object> answer = source.ask(page);
            List<Map<String, Object>> entries = entries(answer, name);
            sink.take(entries);
            left -= entries.size();
            boolean isMore = answer.containsKey(NEXT);
            if (!isMore || left <= 0) {
                return isMore;
            }
            page.put(FROM, answer.get(NEXT));
        }
    }
}
