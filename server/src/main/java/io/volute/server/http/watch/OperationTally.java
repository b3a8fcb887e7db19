package io.volute.server.http.watch;

import io.volute.server.http.watch.RequestTally.Counts;
import io.volute.server.http.watch.RequestTally.Durations;
import io.volute.server.http.watch.RequestTally.Outcome;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.storage.report.Distribution;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests of one operation. Thread-safe. */
final class OperationTally {
    /** A status divided by 100 is less; 0 when none was sent. */
    private static final int CLASSES = 6;

    private final Timed total = new Timed();
    private final Timed firstByte = new Timed();
    private final LongAdder[] withoutCode = new LongAdder[CLASSES];
    private final Map<Outcome, LongAdder> withCode = new ConcurrentHashMap<>();
    private final LongAdder broken = new LongAdder();
    private final ByteTally bytes = new ByteTally();

    OperationTally() {
        for (int i = 0; i < CLASSES; i++) {
            withoutCode[i] = new LongAdder();
        }
    }

    /** Times of one kind. */
    private static final class Timed {
        private final Distribution nanos = Distribution.ofNanos();
        private final RecentMax longest = new RecentMax();

        void record(long taken, long now) {
            nanos.record(taken);
            longest.record(taken, now);
        }

        Durations durations(long now) {
            return new Durations(nanos.counts(), longest.greatest(now));
        }
    }

    /** Bytes of bodies; most requests have but one. */
    static final class ByteTally {
        private final LongAdder in = new LongAdder();
        private final LongAdder out = new LongAdder();

        void add(Bytes more) {
            if (more.in() != 0) {
                in.add(more.in());
            }
            if (more.out() != 0) {
                out.add(more.out());
            }
        }

        Bytes sum() {
            return new Bytes(in.sum(), out.sum());
        }
    }

    void ended(Answered how) {
        Times times = how.times();
        total.record(times.ended() - times.begun(), times.ended());
        firstByte.record(times.firstByte() - times.begun(), times.ended());
        bytes.add(how.bytes());
        if (!how.complete()) {
            broken.increment();
        }
        outcome(how.status() / 100, how.about().code()).increment();
    }

    private LongAdder outcome(int statusClass, String code) {
        return code.isEmpty()
                ? withoutCode[statusClass]
                : withCode.computeIfAbsent(
                        new Outcome(statusClass, code), outcome -> new LongAdder());
    }

    Counts counts(String operation, long now) {
        return new Counts(
                operation,
                total.durations(now),
                firstByte.durations(now),
                outcomes(),
                broken.sum(),
                bytes.sum());
    }

    private Map<Outcome, Long> outcomes() {
        Map<Outcome, Long> found = new HashMap<>();
        for (int i = 0; i < CLASSES; i++) {
            long count = withoutCode[i].sum();
            if (count > 0) {
                found.put(new Outcome(i, ""), count);
            }
        }
        withCode.forEach((outcome, count) -> found.put(outcome, count.sum()));
        return found;
    }
}
