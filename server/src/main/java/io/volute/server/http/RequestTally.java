package io.volute.server.http;

import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.storage.Distribution;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts requests by operation, for operators who look in: always, whether anybody scrapes metrics
 * or not. Thread-safe.
 */
public final class RequestTally implements RequestWatch {
    private final RequestWatch next;
    private final Map<String, OfOperation> operations = new ConcurrentHashMap<>();
    private final LongAdder underWay = new LongAdder();

    /**
     * @param next hears the same, and has the clock of it all
     */
    public RequestTally(RequestWatch next) {
        this.next = next;
    }

    private static final class OfOperation {
        private final Distribution nanos = Distribution.ofNanos();
        private final LongAdder clientErrors = new LongAdder();
        private final LongAdder serverErrors = new LongAdder();
        private final LongAdder in = new LongAdder();
        private final LongAdder out = new LongAdder();

        void ended(Answered how) {
            nanos.record(how.times().ended() - how.times().begun());
            in.add(how.bytes().in());
            out.add(how.bytes().out());
            if (how.status() >= 500) {
                serverErrors.increment();
            } else if (how.status() >= 400) {
                clientErrors.increment();
            }
        }

        Counts counts(String operation) {
            return new Counts(
                    operation,
                    nanos.counts(),
                    clientErrors.sum(),
                    serverErrors.sum(),
                    new Bytes(in.sum(), out.sum()));
        }
    }

    /**
     * What was answered of one operation since start.
     *
     * @param nanos from the head of each request until the client had all of the answer
     * @param clientErrors those with a status of 400 to 499
     * @param serverErrors those with a status from 500 on
     */
    public record Counts(
            String operation,
            Distribution.Counts nanos,
            long clientErrors,
            long serverErrors,
            Bytes bytes) {}

    /** Of each operation that somebody asked for, by name. */
    public List<Counts> counts() {
        return operations.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> each.getValue().counts(each.getKey()))
                .toList();
    }

    /** Requests that have begun and not ended. */
    public long underWay() {
        return underWay.sum();
    }

    @Override
    public long now() {
        return next.now();
    }

    @Override
    public RequestBody begun(HttpHead head, RequestBody body) {
        underWay.increment();
        return next.begun(head, body);
    }

    @Override
    public void answered(HttpHead head, Answered how) {
        underWay.decrement();
        of(how.operation()).ended(how);
        next.answered(head, how);
    }

    private OfOperation of(String name) {
        OfOperation known = operations.get(name);
        return known != null ? known : operations.computeIfAbsent(name, key -> new OfOperation());
    }

    @Override
    public void refused(Refused refused) {
        next.refused(refused);
    }
}
