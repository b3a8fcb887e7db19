package io.volute.server.metrics;

import io.volute.server.http.watch.RequestTally;
import io.volute.server.http.watch.RequestTally.Counts;
import io.volute.server.http.watch.RequestTally.Outcome;
import io.volute.server.http.watch.RequestTally.UserCounts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The metrics of requests. They exist from the first occurrence of their labels. */
final class RequestMeters {
    private static final String NO_CODE = "none";
    private static final List<String> CLASSES = List.of("none", "1xx", "2xx", "3xx", "4xx", "5xx");
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final MeterTable<Counts> OPERATIONS =
            new MeterTable<Counts>("requests", "operation")
                    .counters(
                            "volute_requests_total",
                            "Answered requests, by operation, class of the status (`2xx`) and"
                                    + " error code (`none` without one)",
                            "5xx: the log has each with its request id; `SlowDown`: see Space",
                            List.of("status", "code"),
                            RequestMeters::outcomes)
                    .histogram(
                            "volute_request_duration_seconds",
                            "Seconds from the head of a request until the client has the whole"
                                    + " answer",
                            "Far above `volute_request_first_byte_seconds`: the clients read"
                                    + " slowly",
                            counts -> counts.total().nanos())
                    .gauge(
                            "volute_request_duration_seconds_max",
                            "Longest duration in the last minutes, in seconds",
                            counts -> counts.total().longest() / NANOS)
                    .histogram(
                            "volute_request_first_byte_seconds",
                            "Seconds from the head of a request to the head of the answer; for a"
                                    + " PUT, this includes its body and the commit",
                            "See `volute_force_seconds` (disk), `volute_commit_queue` (too many"
                                    + " writers), `volute_index_block_cache_misses_total`",
                            counts -> counts.firstByte().nanos())
                    .gauge(
                            "volute_request_first_byte_seconds_max",
                            "Longest time to the first byte in the last minutes, in seconds",
                            counts -> counts.firstByte().longest() / NANOS)
                    .counter(
                            "volute_request_received_bytes_total",
                            "Bytes of request bodies received",
                            counts -> counts.bytes().in())
                    .counter(
                            "volute_request_sent_bytes_total",
                            "Bytes of response bodies sent",
                            counts -> counts.bytes().out())
                    .counter(
                            "volute_request_broken_off_total",
                            "Requests with an incomplete answer: the client disconnected, or the"
                                    + " server found damage after the first bytes",
                            "Together with `volute_damages_total`: damage; alone: clients or the"
                                    + " network",
                            Counts::brokenOff);

    private static final MeterTable<Map<String, Long>> REFUSALS =
            new MeterTable<Map<String, Long>>("requests")
                    .counters(
                            "volute_refused_total",
                            "Input refused before a request was complete (malformed, too slow,"
                                    + " too many), by error code",
                            "`SlowDown`: raise `limits.requests-in-flight`, `limits.connections`"
                                    + " or their bounds per address, or find who asks so much",
                            "code",
                            refusals -> refusals);

    private static final MeterTable<UserCounts> USERS =
            new MeterTable<UserCounts>("requests", "user")
                    .counter(
                            "volute_user_requests_total",
                            "Requests of the user; the first 100 users by name, all others as"
                                    + " `other`",
                            UserCounts::requests)
                    .counter(
                            "volute_user_received_bytes_total",
                            "Bytes of request bodies received from the user",
                            user -> user.bytes().in())
                    .counter(
                            "volute_user_sent_bytes_total",
                            "Bytes of response bodies sent to the user",
                            user -> user.bytes().out());

    static final List<MeterTable<?>> TABLES = List.of(OPERATIONS, REFUSALS, USERS);

    private RequestMeters() {}

    static void add(Meters meters, RequestTally tally) {
        meters.addEach(OPERATIONS, () -> by(tally.counts(), Counts::operation));
        meters.add(REFUSALS, tally::refusals);
        meters.addEach(USERS, () -> by(tally.users(), UserCounts::user));
    }

    private static <T> Map<String, T> by(List<T> counts, Function<T, String> label) {
        return counts.stream().collect(Collectors.toMap(label, each -> each));
    }

    private static Map<List<String>, Long> outcomes(Counts counts) {
        Map<List<String>, Long> byLabels = new HashMap<>();
        counts.outcomes().forEach((outcome, count) -> byLabels.put(labels(outcome), count));
        return byLabels;
    }

    private static List<String> labels(Outcome outcome) {
        return List.of(
                CLASSES.get(outcome.statusClass()),
                outcome.code().isEmpty() ? NO_CODE : outcome.code());
    }
}
