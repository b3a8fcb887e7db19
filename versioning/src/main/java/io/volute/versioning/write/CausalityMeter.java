package io.volute.versioning.write;

import io.volute.versioning.CausalityStats;
import io.volute.versioning.causality.Ancestor;
import io.volute.versioning.causality.Dependent;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.causality.Outcome;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.causality.VersioningAlgorithm;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the decisions of the causality algorithms. Thread-safe. */
final class CausalityMeter {
    private final Map<HistoryPolicy, Map<Outcome, LongAdder>> outcomes =
            new EnumMap<>(HistoryPolicy.class);
    private final LongAdder readable = new LongAdder();
    private final LongAdder kept = new LongAdder();
    private final LongAdder events = new LongAdder();

    CausalityMeter() {
        for (HistoryPolicy policy : HistoryPolicy.values()) {
            Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);
            for (Outcome outcome : Outcome.values()) {
                counts.put(outcome, new LongAdder());
            }
            outcomes.put(policy, counts);
        }
    }

    /** Returns the same algorithm with counted decisions. */
    VersioningAlgorithm over(HistoryPolicy policy, VersioningAlgorithm algorithm) {
        Map<Outcome, LongAdder> counts = outcomes.get(policy);
        return new VersioningAlgorithm() {
            @Override
            public Outcome offer(Dependent dependent, Ancestor ancestor) {
                Outcome outcome = algorithm.offer(dependent, ancestor);
                counts.get(outcome).increment();
                return outcome;
            }

            @Override
            public void frozen(VersionNode version) {
                algorithm.frozen(version);
            }

            @Override
            public void begun(VersionNode version, Ancestor ancestor) {
                algorithm.begun(version, ancestor);
            }
        };
    }

    /** Counts the first version of a key: an edge and a new version, without a decision. */
    void began(HistoryPolicy policy) {
        outcomes.get(policy).get(Outcome.FREEZE).increment();
    }

    void readable() {
        readable.increment();
    }

    /** Counts the states and events of a durable write. */
    void wrote(long keptStates, long newEvents) {
        kept.add(keptStates);
        events.add(newEvents);
    }

    CausalityStats figures(long actors, long pendingBytes, long dropped) {
        Map<HistoryPolicy, CausalityStats.Outcomes> counts = new EnumMap<>(HistoryPolicy.class);
        outcomes.forEach(
                (policy, each) ->
                        counts.put(
                                policy,
                                new CausalityStats.Outcomes(
                                        each.get(Outcome.DISCARD).sum(),
                                        each.get(Outcome.ADD).sum(),
                                        each.get(Outcome.FREEZE).sum())));
        return new CausalityStats(
                counts, readable.sum(), kept.sum(), events.sum(), actors, pendingBytes, dropped);
    }
}
