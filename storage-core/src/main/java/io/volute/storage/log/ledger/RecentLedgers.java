package io.volute.storage.log.ledger;

import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Segments whose ledgers are open, or were a short time ago. When a bookie leaves or returns, they
 * may lack copies of some entries. They are kept longer than bookies stay registered that do not
 * answer any more. Thread-safe.
 */
final class RecentLedgers {
    /** Calls of {@link #check} after which a closed ledger is not recent any more. */
    static final int ROUNDS = 12;

    private final Ledgers ledgers;
    private final Map<LedgerSegment, Long> rounds = new ConcurrentHashMap<>();
    private volatile long round;
    private OptionalLong seen = OptionalLong.empty();

    RecentLedgers(Ledgers ledgers) {
        this.ledgers = ledgers;
    }

    /** Adds a segment with a new ledger. */
    void add(LedgerSegment segment) {
        rounds.put(segment, round);
    }

    /** Takes segments that may lack copies. */
    interface Sink {
        /** Takes the segments. After a failure they are passed again. */
        void suspect(Set<LedgerSegment> segments) throws IOException;
    }

    /** Passes the recent segments to a sink, if a bookie has left or returned since last time. */
    synchronized void check(Sink sink) throws IOException {
        long now = ledgers.bookieChanges();
        round++;
        rounds.replaceAll((segment, last) -> segment.isClosed() ? last : round);
        rounds.entrySet().removeIf(each -> each.getKey().isGone() || isPast(each.getValue()));
        if (seen.isPresent() && seen.getAsLong() != now) {
            sink.suspect(Set.copyOf(rounds.keySet()));
        }
        seen = OptionalLong.of(now);
    }

    private boolean isPast(long last) {
        return last + ROUNDS < round;
    }
}
