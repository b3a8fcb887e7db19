package io.volute.admin.client;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * A list of the server's in the order of time. The server lists events as it wrote them down, and
 * it writes a read down with the next write of its actor, which may be later than writes of others.
 * Entries wait here until {@value #WINDOW} later ones are known; so one that was written down that
 * much too late would still be out of order. Not thread-safe.
 */
public final class TimeOrder implements Pages.Source {
    /** Entries in memory at most, and so many more as a page has. */
    static final int WINDOW = 50_000;

    private static final String MAX = "max";
    private static final String NEXT = "next";
    private static final int PAGE = 1000;

    private final Pages.Source source;
    private final String name;
    private final PriorityQueue<Entry> waiting =
            new PriorityQueue<>(Comparator.comparing(Entry::at).thenComparing(Entry::number));
    private final Map<String, Object> page = new LinkedHashMap<>();
    private long taken;
    private boolean isAtEnd;

    private record Entry(Instant at, long number, Map<String, Object> content) {}

    /**
     * @param name of the list; its entries have an instant {@code at}
     */
    public TimeOrder(Pages.Source source, String name) {
        this.source = source;
        this.name = name;
        page.put(MAX, PAGE);
    }

    /**
     * Returns the next page of entries in order of time. Continues after the previous answer and
     * ignores the requested start.
     */
    @Override
    public Map<String, Object> ask(Map<String, Object> asked)
            throws IOException, InterruptedException {
        while (!isAtEnd && waiting.size() < WINDOW) {
            take(source.ask(page));
        }
        List<Map<String, Object>> entries = new ArrayList<>();
        long max = ((Number) asked.get(MAX)).longValue();
        while (entries.size() < max && !waiting.isEmpty()) {
            entries.add(waiting.remove().content());
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put(name, entries);
        if (!waiting.isEmpty() || !isAtEnd) {
            answer.put(NEXT, "");
        }
        return answer;
    }

    private void take(Map<String, Object> answer) {
        for (Map<String, Object> each : Pages.entries(answer, name)) {
            waiting.add(new Entry(Instant.parse(each.get("at").toString()), taken++, each));
        }
        isAtEnd = !answer.containsKey(NEXT);
        if (!isAtEnd) {
            page.put("from", answer.get(NEXT));
        }
    }
}
