package io.volute.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.prometheus.metrics.model.snapshots.Labels;
import io.volute.server.http.watch.RequestTally;
import io.volute.server.http.watch.RequestTally.Counts;
import io.volute.server.http.watch.RequestTally.Durations;
import io.volute.server.http.watch.RequestTally.Outcome;
import io.volute.server.http.watch.RequestTally.UserCounts;
import io.volute.storage.report.Distribution;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Meters of requests, over existing counts, so they cost a request nothing. A meter is created at
 * the first occurrence of its labels. Figures are of the last {@link #refresh}.
 */
final class RequestMeters {
    private static final String NO_CODE = "none";
    private static final List<String> CLASSES = List.of("none", "1xx", "2xx", "3xx", "4xx", "5xx");
    private static final String LONGEST = "Longest time in the last minutes, in seconds";
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Figures<TallySnapshot> figures;
    private final Set<Object> met = new HashSet<>();

    private record TallySnapshot(
            Map<String, Counts> operations,
            Map<String, UserCounts> users,
            Map<String, Long> refusals) {
        static TallySnapshot of(RequestTally tally) {
            return new TallySnapshot(
                    tally.counts().stream()
                            .collect(Collectors.toMap(Counts::operation, each -> each)),
                    tally.users().stream()
                            .collect(Collectors.toMap(UserCounts::user, each -> each)),
                    tally.refusals());
        }
    }

    RequestMeters(MeterRegistry registry, Histograms histograms, RequestTally tally) {
        this.figures = new Figures<>(registry, () -> TallySnapshot.of(tally), Tags.empty());
        histograms.add(
                "volute_request_duration_seconds",
                "Seconds from the head of a request until the client has the whole answer",
                Histograms.Unit.NANOSECONDS,
                byOperation(Counts::total));
        histograms.add(
                "volute_request_first_byte_seconds",
                "Seconds from the head of a request to the first byte of the answer",
                Histograms.Unit.NANOSECONDS,
                byOperation(Counts::firstByte));
    }

    private Supplier<Map<Labels, Distribution.Counts>> byOperation(
            Function<Counts, Durations> which) {
        return () ->
                figures.now().operations().values().stream()
                        .collect(
                                Collectors.toMap(
                                        counts -> Labels.of("operation", counts.operation()),
                                        counts -> which.apply(counts).nanos()));
    }

    /** Takes the figures anew. */
    void refresh() {
        figures.refresh();
        TallySnapshot now = figures.now();
        now.operations().values().forEach(this::meet);
        now.users().values().forEach(this::meet);
        now.refusals().keySet().forEach(this::meetRefusal);
    }

    private record OutcomeOf(String operation, Outcome outcome) {}

    private void meet(Counts counts) {
        String operation = counts.operation();
        if (met.add(List.of("operation", operation))) {
            ofOperation(operation);
        }
        for (Outcome outcome : counts.outcomes().keySet()) {
            if (met.add(new OutcomeOf(operation, outcome))) {
                ofOutcome(operation, outcome);
            }
        }
    }

    private void ofOperation(String operation) {
        String[] tags = {"operation", operation};
        Function<TallySnapshot, Counts> of = told -> told.operations().get(operation);
        figures.counter(
                        "volute_request_received_bytes_total",
                        "Bytes of request bodies received",
                        told -> of.apply(told).bytes().in(),
                        tags)
                .counter(
                        "volute_request_sent_bytes_total",
                        "Bytes of response bodies sent",
                        told -> of.apply(told).bytes().out(),
                        tags)
                .counter(
                        "volute_request_broken_off_total",
                        "Requests with an incomplete answer",
                        told -> of.apply(told).brokenOff(),
                        tags)
                .gauge(
                        "volute_request_duration_seconds_max",
                        LONGEST,
                        told -> of.apply(told).total().longest() / NANOS,
                        tags)
                .gauge(
                        "volute_request_first_byte_seconds_max",
                        LONGEST,
                        told -> of.apply(told).firstByte().longest() / NANOS,
                        tags);
    }

    private void ofOutcome(String operation, Outcome outcome) {
        figures.counter(
                "volute_requests_total",
                "Answered requests, by operation, status class and error code",
                told -> told.operations().get(operation).outcomes().get(outcome),
                "operation",
                operation,
                "status",
                CLASSES.get(outcome.statusClass()),
                "code",
                outcome.code().isEmpty() ? NO_CODE : outcome.code());
    }

    private void meet(UserCounts counts) {
        String user = counts.user();
        if (!met.add(List.of("user", user))) {
            return;
        }
        String[] tags = {"user", user};
        figures.counter(
                        "volute_user_requests_total",
                        "Requests of the user",
                        told -> told.users().get(user).requests(),
                        tags)
                .counter(
                        "volute_user_received_bytes_total",
                        "Bytes of request bodies received from the user",
                        told -> told.users().get(user).bytes().in(),
                        tags)
                .counter(
                        "volute_user_sent_bytes_total",
                        "Bytes of response bodies sent to the user",
                        told -> told.users().get(user).bytes().out(),
                        tags);
    }

    private void meetRefusal(String code) {
        if (met.add(List.of("refused", code))) {
            figures.counter(
                    "volute_refused_total",
                    "Input refused before a request was complete, by error code",
                    told -> told.refusals().get(code),
                    "code",
                    code);
        }
    }
}
