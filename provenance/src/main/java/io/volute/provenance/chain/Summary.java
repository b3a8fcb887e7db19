package io.volute.provenance.chain;

import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.SpiralShape;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * Chooses which entries of a chain of construction 2 can go so that the order of the others is
 * still provable (section 3.1.5 of the paper). Nothing is signed again; the sequences show how many
 * are gone. What stays: the first, the last, those that are relevant, and a few others that lead
 * from each to the next, about one in 2^R.
 *
 * <p>Told of all entries, ascending; then asked. Remembers two bits of each. Not thread-safe.
 */
public final class Summary {
    private final SpiralShape shape;
    private final BitSet there = new BitSet();
    private final BitSet kept = new BitSet();
    private long first = -1;
    private long last = -1;
    private OptionalLong lastOfKind = OptionalLong.empty();

    /** The last one that stays for its own sake. */
    private long goal = -1;

    /**
     * @throws IllegalArgumentException when a chain of this shape cannot be summarised
     */
    public Summary(SpiralShape shape) {
        if (!isPossible(shape)) {
            throw new IllegalArgumentException("only construction 2 can be summarised");
        }
        this.shape = shape;
    }

    /** Returns whether the links of each dimension can be verified alone, as a summary requires. */
    public static boolean isPossible(SpiralShape shape) {
        return shape.construction() == SpiralShape.Construction.LINK_PER_DIMENSION;
    }

    /**
     * The records that stay.
     *
     * @param records a whole chain or a summary of one, ascending
     * @throws IllegalArgumentException when the chain is of construction 1
     */
    public static List<EntryRecord> of(
            List<EntryRecord> records, Predicate<EntryRecord> isRelevant) {
        if (records.isEmpty()) {
            return List.of();
        }
        Summary summary = new Summary(records.getFirst().entry().placement().shape());
        for (EntryRecord record : records) {
            Entry entry = record.entry();
            summary.add(
                    entry.sequence(), entry.placement().previousOfKind(), isRelevant.test(record));
        }
        summary.end();
        return records.stream().filter(each -> summary.keeps(each.entry().sequence())).toList();
    }

    /**
     * Takes the next entry.
     *
     * @param previousOfKind sequence of the one of its kind before it
     * @param isRelevant whether it stays in any case
     */
    public void add(long sequence, OptionalLong previousOfKind, boolean isRelevant) {
        boolean isFirst = first < 0;
        if (isFirst) {
            first = sequence;
        }
        there.set(index(sequence));
        last = sequence;
        lastOfKind = previousOfKind;
        if (isFirst || isRelevant) {
            keepLast();
        }
    }

    /** There are no more. */
    public void end() {
        if (last > goal) {
            keepLast();
        }
    }

    /** After the end: whether an entry stays. */
    public boolean keeps(long sequence) {
        return sequence >= first && sequence <= last && kept.get(index(sequence));
    }

    /** The last one stays, and what leads there from the last one that does. */
    private void keepLast() {
        if (goal >= 0 && lastOfKind.orElse(-1) != goal) {
            keepBetween();
        }
        goal = last;
        kept.set(index(goal));
    }

    private void keepBetween() {
        long at = goal;
        while (at < last) {
            OptionalLong next = farthest(at);
            if (next.isEmpty()) {
                // Of a summary, or of a chain with a gap: what is there is as provable as it was.
                keepAll(index(at), index(last));
                return;
            }
            at = next.getAsLong();
            kept.set(index(at));
        }
    }

    private void keepAll(int from, int to) {
        for (int each = there.nextSetBit(from); each < to; each = there.nextSetBit(each + 1)) {
            kept.set(each);
        }
    }

    /** The farthest one, up to the last, that is linked to this one by its distance. */
    private OptionalLong farthest(long from) {
        for (int dimension = shape.exponent(); dimension >= 0; dimension--) {
            long next = from + (1L << dimension);
            if (next <= last && there.get(index(next))) {
                return OptionalLong.of(next);
            }
        }
        return OptionalLong.empty();
    }

    private int index(long sequence) {
        return Math.toIntExact(sequence - first);
    }
}
