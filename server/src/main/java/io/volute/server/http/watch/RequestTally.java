package io.volute.server.http.watch;

import io.volute.server.Limits;
import io.volute.server.http.watch.OperationTally.ByteTally;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.storage.report.Distribution;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Counts requests by operation and by user, for operators and for metrics. It counts always, also
 * when no metrics are scraped. Thread-safe.
 */
public final class RequestTally implements RequestWatch {
    /** The name under which users beyond the limit are counted together. */
    private static final String OTHERS = "other";

    private final LongSupplier nanos;
    private final Map<String, OperationTally> operations = new ConcurrentHashMap<>();
    private final Map<String, OfUser> users = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> refused = new ConcurrentHashMap<>();
    private final LongAdder underWay = new LongAdder();

    /**
     * @param nanos a clock that only goes forward
     */
    public RequestTally(LongSupplier nanos) {
        this.nanos = nanos;
    }

    private static final class OfUser {
        private final LongAdder requests = new LongAdder();
        private final ByteTally bytes = new ByteTally();

        void ended(Answered how) {
            requests.increment();
            bytes.add(how.bytes());
        }
    }

    /**
     * How long requests took.
     *
     * @param nanos since start
     * @param longest of the last minutes, nanoseconds
     */
    public record Durations(Distribution.Counts nanos, long longest) {}

    /**
     * How requests ended.
     *
     * @param statusClass the status divided by 100; 0 when none was sent
     * @param code of S3's error; empty without one
     */
    public record Outcome(int statusClass, String code) {}

    /**
     * The answers of one operation since start.
     *
     * @param total from the head of each request until the client had all of the answer
     * @param firstByte from the head of each request to the head of its answer
     * @param outcomes the number of requests by outcome
     * @param brokenOff the number of requests whose answer did not go out to its end
     */
    public record Counts(
            String operation,
            Durations total,
            Durations firstByte,
            Map<Outcome, Long> outcomes,
            long brokenOff,
            Bytes bytes) {
        public Counts {
            outcomes = Map.copyOf(outcomes);
        }

        /** Returns the number of requests that ended with a status of this class. */
        public long ended(int statusClass) {
            return outcomes.entrySet().stream()
                    .filter(each -> each.getKey().statusClass() == statusClass)
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        }
    }

    /** The requests of a user since start, and their bytes. */
    public record UserCounts(String user, long requests, Bytes bytes) {}

    /** Returns the counts of each requested operation, by name. */
    public List<Counts> counts() {
        long now = now();
        return sorted(operations, each -> each.getValue().counts(each.getKey(), now));
    }

    /**
     * Returns the counts of users, by name. Users beyond the first {@link Limits#METERED_USERS_MAX}
     * are counted together.
     */
    public List<UserCounts> users() {
        return sorted(
                users,
                each -> {
                    OfUser of = each.getValue();
                    return new UserCounts(each.getKey(), of.requests.sum(), of.bytes.sum());
                });
    }

    /** Returns the number of refusals that came before a complete request, by S3 error code. */
    public Map<String, Long> refusals() {
        Map<String, Long> found = new TreeMap<>();
        refused.forEach((code, count) -> found.put(code, count.sum()));
        return found;
    }

    private static <T, C> List<C> sorted(
            Map<String, T> tallies, Function<Map.Entry<String, T>, C> count) {
        return tallies.entrySet().stream().sorted(Map.Entry.comparingByKey()).map(count).toList();
    }

    /** Requests that have begun and not ended. */
    public long underWay() {
        return underWay.sum();
    }

    @Override
    public long now() {
        return nanos.getAsLong();
    }

    @Override
    public RequestBody begun(HttpHead head, RequestBody body) {
        underWay.increment();
        return body;
    }

    @Override
    public void answered(HttpHead head, Answered how) {
        underWay.decrement();
        of(how.operation()).ended(how);
        String user = how.about().user();
        if (!user.isEmpty()) {
            ofUser(user).ended(how);
        }
    }

    private OperationTally of(String name) {
        OperationTally known = operations.get(name);
        return known != null
                ? known
                : operations.computeIfAbsent(name, key -> new OperationTally());
    }

    private OfUser ofUser(String user) {
        OfUser known = users.get(user);
        if (known != null) {
            return known;
        }
        String name = users.size() < Limits.METERED_USERS_MAX ? user : OTHERS;
        return users.computeIfAbsent(name, key -> new OfUser());
    }

    @Override
    public void refused(Refused what) {
        refused.computeIfAbsent(what.code(), code -> new LongAdder()).increment();
    }
}
