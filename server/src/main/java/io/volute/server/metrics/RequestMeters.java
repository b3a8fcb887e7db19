package io.volute.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.volute.server.Limits;
import io.volute.server.http.RequestWatch;
import io.volute.server.s3.request.HttpHead;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Meters of requests. Each operation's are made with its first request and found by its name
 * afterwards: no tags are put together while a request waits. Thread-safe.
 */
final class RequestMeters implements RequestWatch {
    private static final String NO_CODE = "none";
    private static final String OTHERS = "other";
    private static final Duration[] BOUNDS =
            millis(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000);

    private final MeterRegistry registry;
    private final LongSupplier nanos;
    private final Map<String, OfOperation> operations = new ConcurrentHashMap<>();
    private final Map<String, OfUser> users = new ConcurrentHashMap<>();
    private final Map<String, Counter> refused = new ConcurrentHashMap<>();

    RequestMeters(MeterRegistry registry, LongSupplier nanos) {
        this.registry = registry;
        this.nanos = nanos;
    }

    private static Duration[] millis(long... bounds) {
        Duration[] durations = new Duration[bounds.length];
        for (int i = 0; i < bounds.length; i++) {
            durations[i] = Duration.ofMillis(bounds[i]);
        }
        return durations;
    }

    private Counter counter(String name, String help, String... tags) {
        return Counter.builder(name).description(help).tags(tags).register(registry);
    }

    /** Of one operation. */
    private final class OfOperation {
        private final String operation;
        private final Timer total;
        private final Timer firstByte;
        private final Counter in;
        private final Counter out;
        private final Counter broken;
        private final Map<String, Counter> outcomes = new ConcurrentHashMap<>();

        OfOperation(String operation) {
            this.operation = operation;
            this.total =
                    timer(
                            "volute_request_duration_seconds",
                            "From the head of a request until the client has all of the answer");
            this.firstByte =
                    timer(
                            "volute_request_first_byte_seconds",
                            "From the head of a request to the first byte of the answer");
            this.in =
                    counter(
                            "volute_request_received_bytes_total",
                            "Bytes of request bodies",
                            "operation",
                            operation);
            this.out =
                    counter(
                            "volute_request_sent_bytes_total",
                            "Bytes of response bodies",
                            "operation",
                            operation);
            this.broken =
                    counter(
                            "volute_request_broken_off_total",
                            "Requests whose answer did not go out to its end",
                            "operation",
                            operation);
        }

        private Timer timer(String name, String help) {
            return Timer.builder(name)
                    .description(help)
                    .tags("operation", operation)
                    .serviceLevelObjectives(BOUNDS)
                    .register(registry);
        }

        void ended(Answered how) {
            Times times = how.times();
            total.record(times.ended() - times.begun(), TimeUnit.NANOSECONDS);
            firstByte.record(times.firstByte() - times.begun(), TimeUnit.NANOSECONDS);
            in.increment(how.bytes().in());
            out.increment(how.bytes().out());
            if (!how.complete()) {
                broken.increment();
            }
            String code = how.about().code().isEmpty() ? NO_CODE : how.about().code();
            int status = how.status() / 100;
            // A code has one status; without one there are few.
            String outcome = code.equals(NO_CODE) ? CLASSES[status] : code;
            outcomes.computeIfAbsent(outcome, key -> outcome(status, code)).increment();
        }

        private Counter outcome(int status, String code) {
            return counter(
                    "volute_requests_total",
                    "Requests that were answered",
                    "operation",
                    operation,
                    "status",
                    CLASSES[status],
                    "code",
                    code);
        }
    }

    /** Of a status divided by 100; 0 when none was sent. */
    private static final String[] CLASSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

    /** Of one user. */
    private final class OfUser {
        private final Counter requests;
        private final Counter in;
        private final Counter out;

        OfUser(String user) {
            this.requests =
                    counter("volute_user_requests_total", "Requests of a user", "user", user);
            this.in =
                    counter(
                            "volute_user_received_bytes_total",
                            "Bytes that a user sent",
                            "user",
                            user);
            this.out =
                    counter(
                            "volute_user_sent_bytes_total",
                            "Bytes that a user was sent",
                            "user",
                            user);
        }

        void ended(Answered how) {
            requests.increment();
            in.increment(how.bytes().in());
            out.increment(how.bytes().out());
        }
    }

    @Override
    public long now() {
        return nanos.getAsLong();
    }

    @Override
    public void answered(HttpHead head, Answered how) {
        of(how.operation()).ended(how);
        if (!how.about().user().isEmpty()) {
            ofUser(how.about().user()).ended(how);
        }
    }

    private OfOperation of(String operation) {
        OfOperation known = operations.get(operation);
        return known != null ? known : operations.computeIfAbsent(operation, OfOperation::new);
    }

    /** The first so many users have meters of their own. */
    private OfUser ofUser(String user) {
        OfUser known = users.get(user);
        if (known != null) {
            return known;
        }
        String name = users.size() < Limits.METERED_USERS_MAX ? user : OTHERS;
        return users.computeIfAbsent(name, OfUser::new);
    }

    @Override
    public void refused(Refused what) {
        refused.computeIfAbsent(
                        what.code(),
                        code ->
                                counter(
                                        "volute_refused_total",
                                        "Refused before it was a request",
                                        "code",
                                        code))
                .increment();
    }
}
