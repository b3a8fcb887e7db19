package io.volute.provenance.chain;

import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.SpiralShape;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Removes entries from a chain of construction 2 so that the order of the others is still provable
 * (section 3.1.5 of the paper). Nothing is signed again; the sequences show how many are gone.
 */
public final class Summary {
    private Summary() {}

    /**
     * The records that stay: the first, the last, those that are relevant, and as few others as
     * lead from each to the next.
     *
     * @param records a whole chain or a summary of one, ascending
     * @throws IllegalArgumentException when the chain is of construction 1, or a record that would
     *     be needed is gone already
     */
    public static List<EntryRecord> of(
            List<EntryRecord> records, Predicate<EntryRecord> isRelevant) {
        List<EntryRecord> kept = new ArrayList<>();
        if (records.isEmpty()) {
            return kept;
        }
        SpiralShape shape = records.getFirst().entry().placement().shape();
        if (shape.construction() != SpiralShape.Construction.LINK_PER_DIMENSION) {
            throw new IllegalArgumentException("only construction 2 can be summarised");
        }
        TreeSet<Integer> wanted = new TreeSet<>(List.of(0, records.size() - 1));
        for (int i = 0; i < records.size(); i++) {
            if (isRelevant.test(records.get(i))) {
                wanted.add(i);
            }
        }
        kept.add(records.getFirst());
        int at = 0;
        for (int goal : wanted.tailSet(1)) {
            while (at < goal) {
                at = step(records, at, goal, shape);
                kept.add(records.get(at));
            }
        }
        return kept;
    }

    /** The farthest record up to the goal that one dimension links to this one. */
    private static int step(List<EntryRecord> records, int at, int goal, SpiralShape shape) {
        long from = records.get(at).entry().sequence();
        for (int next = goal; next > at; next--) {
            long distance = records.get(next).entry().sequence() - from;
            boolean isLinked = Long.bitCount(distance) == 1 && distance <= shape.reach();
            boolean isNextOfKind =
                    records.get(next).entry().placement().previousOfKind().orElse(-1) == from;
            if (isLinked || isNextOfKind) {
                return next;
            }
        }
        throw new IllegalArgumentException("nothing links to entry " + from + " any more");
    }
}
