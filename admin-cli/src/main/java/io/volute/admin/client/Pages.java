package io.volute.admin.client;

import io.volute.admin.output.AnswerFormat;
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
        void take(List<Map<String, Object>> entries);
    }

    /** The pages of a GET. */
    public static Source of(AdminClient client, String path, Map<String, String> parameters) {
        return page -> {
            Map<String, String> all = new LinkedHashMap<>(parameters);
            page.forEach((name, value) -> all.put(name, value.toString()));
            return client.get(path, all);
        };
    }

    /** The pages of a POST. */
    public static Source ofPost(AdminClient client, String path, Map<String, ?> document) {
        return page -> {
            Map<String, Object> all = new LinkedHashMap<>(document);
            all.putAll(page);
            return client.post(path, all);
        };
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
            List<Map<String, Object>> entries = AnswerFormat.maps(answer, name);
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
