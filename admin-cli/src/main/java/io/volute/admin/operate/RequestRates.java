package io.volute.admin.operate;

import io.volute.admin.output.AnswerFormat;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The rates of requests that a server answered between two samples, by operation. */
final class RequestRates {
    private static final String OPERATIONS = "operations";
    private static final String DURATIONS = "durations";
    private static final String REQUESTS = "requests";
    private static final String WITHIN = "withinMicros";
    private static final String PER_SECOND = "requestsPerSecond";

    private final Map<String, Map<String, Object>> before = new LinkedHashMap<>();
    private final Map<String, Object> now;
    private final double seconds;

    private RequestRates(Map<String, Object> before, Map<String, Object> now, double seconds) {
        AnswerFormat.maps(before, OPERATIONS)
                .forEach(each -> this.before.put(AnswerFormat.text(each, "operation"), each));
        this.now = now;
        this.seconds = seconds;
    }

    /**
     * The operations that were asked for meanwhile, the most frequent first.
     *
     * @param before answer of the admin API, as is {@code now}
     */
    static Map<String, Object> between(
            Map<String, Object> before, Map<String, Object> now, double seconds) {
        return new RequestRates(before, now, seconds).document();
    }

    private Map<String, Object> document() {
        List<Map<String, Object>> operations = new ArrayList<>();
        for (Map<String, Object> each : AnswerFormat.maps(now, OPERATIONS)) {
            Map<String, Object> operation = operation(each);
            if (!operation.isEmpty()) {
                operations.add(operation);
            }
        }
        operations.sort(
                Comparator.comparingDouble(RequestRates::perSecond)
                        .reversed()
                        .thenComparing(each -> AnswerFormat.text(each, "operation")));
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("underWay", AnswerFormat.number(now, "underWay"));
        document.put(OPERATIONS, operations);
        return document;
    }

    private static double perSecond(Map<String, Object> operation) {
        return ((Number) operation.get(PER_SECOND)).doubleValue();
    }

    /** Empty when there were none. */
    private Map<String, Object> operation(Map<String, Object> later) {
        Map<String, Object> known =
                before.getOrDefault(AnswerFormat.text(later, "operation"), Map.of());
        // A server that was started anew counts from 0.
        boolean isAnew =
                AnswerFormat.number(known, REQUESTS) > AnswerFormat.number(later, REQUESTS);
        Map<String, Object> earlier = isAnew ? Map.of() : known;
        long requests = AnswerFormat.more(earlier, later, REQUESTS);
        if (requests == 0) {
            return Map.of();
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("operation", later.get("operation"));
        document.put(PER_SECOND, tenths(requests));
        for (String errors : List.of("clientErrors", "serverErrors")) {
            document.put(errors + "PerSecond", tenths(AnswerFormat.more(earlier, later, errors)));
        }
        for (String bytes : List.of("receivedBytes", "sentBytes")) {
            document.put(
                    bytes + "PerSecond",
                    Math.round(AnswerFormat.more(earlier, later, bytes) / seconds));
        }
        document.put("meanMicros", AnswerFormat.more(earlier, later, "micros") / requests);
        document.put("halfWithinMicros", within(earlier, later, requests, 0.5));
        document.put("most99WithinMicros", within(earlier, later, requests, 0.99));
        return document;
    }

    private double tenths(long count) {
        return Math.round(10 * count / seconds) / 10.0;
    }

    /** The bound of the class within which a share of them took; 0 when it has none. */
    private static long within(
            Map<String, Object> earlier, Map<String, Object> later, long requests, double share) {
        List<Map<String, Object>> classes = AnswerFormat.maps(later, DURATIONS);
        List<Map<String, Object>> older = AnswerFormat.maps(earlier, DURATIONS);
        long left = (long) Math.ceil(requests * share);
        for (int i = 0; i < classes.size(); i++) {
            Map<String, Object> same = i < older.size() ? older.get(i) : Map.of();
            left -= AnswerFormat.more(same, classes.get(i), REQUESTS);
            if (left <= 0) {
                return AnswerFormat.number(classes.get(i), WITHIN);
            }
        }
        return 0;
    }

    /** Shows what {@link #between} made. */
    static void show(Map<String, Object> document, PrintWriter out) {
        List<Map<String, Object>> operations = AnswerFormat.maps(document, OPERATIONS);
        double all = operations.stream().mapToDouble(RequestRates::perSecond).sum();
        out.println(
                String.format(
                        Locale.ROOT,
                        "requests   %.1f/s   %s/s in   %s/s out   %d under way",
                        all,
                        AnswerFormat.bytes(sum(operations, "receivedBytesPerSecond")),
                        AnswerFormat.bytes(sum(operations, "sentBytesPerSecond")),
                        AnswerFormat.number(document, "underWay")));
        if (!operations.isEmpty()) {
            out.println(
                    "  operation                         /s      mean  half within  99% within"
                            + "    4xx/s    5xx/s");
        }
        for (Map<String, Object> each : operations) {
            out.println(
                    String.format(
                            Locale.ROOT,
                            "  %-26s %9.1f %9s %12s %11s %8.1f %8.1f",
                            AnswerFormat.text(each, "operation"),
                            perSecond(each),
                            time(AnswerFormat.number(each, "meanMicros")),
                            time(AnswerFormat.number(each, "halfWithinMicros")),
                            time(AnswerFormat.number(each, "most99WithinMicros")),
                            ((Number) each.get("clientErrorsPerSecond")).doubleValue(),
                            ((Number) each.get("serverErrorsPerSecond")).doubleValue()));
        }
    }

    private static long sum(List<Map<String, Object>> operations, String name) {
        return operations.stream().mapToLong(each -> AnswerFormat.number(each, name)).sum();
    }

    private static String time(long micros) {
        if (micros < 1000) {
            return micros == 0 ? "-" : micros + " us";
        }
        return micros < 1_000_000
                ? String.format(Locale.ROOT, "%.1f ms", micros / 1e3)
                : String.format(Locale.ROOT, "%.1f s", micros / 1e6);
    }
}
