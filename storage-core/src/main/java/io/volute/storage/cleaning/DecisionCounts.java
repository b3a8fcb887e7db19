package io.volute.storage.cleaning;

import io.volute.storage.report.SpaceDecision;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the decisions of the balancer, and keeps the last. Thread-safe. */
public final class DecisionCounts {
    private final Map<SpaceDecision.Reason, LongAdder> counts =
            new EnumMap<>(SpaceDecision.Reason.class);
    private volatile SpaceDecision last = SpaceDecision.none("no decision yet");

    /** Creates counts of zero. */
    public DecisionCounts() {
        for (SpaceDecision.Reason reason : SpaceDecision.Reason.values()) {
            counts.put(reason, new LongAdder());
        }
    }

    void add(SpaceDecision decision) {
        last = decision;
        counts.get(decision.reason()).increment();
    }

    /** Returns the last decision, or one that does nothing when there was none yet. */
    public SpaceDecision last() {
        return last;
    }

    /** Returns how often each reason led to a decision. */
    public Map<SpaceDecision.Reason, Long> byReason() {
        Map<SpaceDecision.Reason, Long> sums = new EnumMap<>(SpaceDecision.Reason.class);
        counts.forEach((reason, count) -> sums.put(reason, count.sum()));
        return sums;
    }
}
