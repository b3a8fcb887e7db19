package io.volute.storage.accounting;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;

/**
 * The segments that hold the victims of each segment, and the bytes of tombstones that are needed
 * for them. It keeps one bit for each pair of segments: in a store of small objects nearly every
 * segment has victims in every other one. Not thread-safe.
 */
final class VictimSegments {

    /** The victims of one segment. */
    private static final class SegmentVictims {
        private final BitSet slots = new BitSet();
        private final Map<Long, Long> tombstones = new HashMap<>();
        private long tombstoneBytes;

        private void forget(long victim, int slot) {
            slots.clear(slot);
            Long before = tombstones.remove(victim);
            tombstoneBytes -= before == null ? 0 : before;
        }
    }

    private final Map<Long, SegmentVictims> bySegment = new HashMap<>();

    /**
     * The bit of each segment that holds victims. Another segment takes the bit over when it is
     * gone.
     */
    private final Map<Long, Integer> slots = new HashMap<>();

    private final BitSet taken = new BitSet();
    private long[] segments = new long[64];

    boolean contains(long segment, long victim) {
        SegmentVictims mine = bySegment.get(segment);
        Integer slot = slots.get(victim);
        return mine != null && slot != null && mine.slots.get(slot);
    }

    /** Returns the bytes of tombstones in the segment whose victims lie in the other one. */
    long tombstones(long segment, long victim) {
        SegmentVictims mine = bySegment.get(segment);
        return mine == null ? 0 : mine.tombstones.getOrDefault(victim, 0L);
    }

    /** Returns the bytes of tombstones in the segment. */
    long tombstones(long segment) {
        SegmentVictims mine = bySegment.get(segment);
        return mine == null ? 0 : mine.tombstoneBytes;
    }

    /** Returns the segments that hold victims of this one. */
    LongStream of(long segment) {
        SegmentVictims mine = bySegment.get(segment);
        return mine == null
                ? LongStream.empty()
                : mine.slots.stream().mapToLong(slot -> segments[slot]);
    }

    /** Returns the segments that have victims. */
    Set<Long> killers() {
        return bySegment.keySet();
    }

    /** Sets the bytes of tombstones for this pair; may be 0. */
    void put(long segment, long victim, long tombstones) {
        SegmentVictims mine = bySegment.computeIfAbsent(segment, ignored -> new SegmentVictims());
        mine.slots.set(slot(victim));
        if (tombstones > 0) {
            Long before = mine.tombstones.put(victim, tombstones);
            mine.tombstoneBytes += tombstones - (before == null ? 0 : before);
        }
    }

    /** Removes a segment that has left the log, with its victims. */
    void forget(long segment) {
        bySegment.remove(segment);
    }

    /** Returns the segments that hold victims and are not among these. */
    Set<Long> victimsOutside(Set<Long> inLog) {
        Set<Long> outside = new TreeSet<>(slots.keySet());
        outside.removeAll(inLog);
        return outside;
    }

    /** Removes segments that have left the log and held victims of others. */
    void release(Set<Long> victims) {
        for (long victim : victims) {
            Integer slot = slots.remove(victim);
            if (slot != null) {
                taken.clear(slot);
                bySegment.values().forEach(each -> each.forget(victim, slot));
            }
        }
    }

    private int slot(long victim) {
        return slots.computeIfAbsent(
                victim,
                ignored -> {
                    int slot = taken.nextClearBit(0);
                    taken.set(slot);
                    if (slot >= segments.length) {
                        segments = Arrays.copyOf(segments, 2 * segments.length);
                    }
                    segments[slot] = victim;
                    return slot;
                });
    }
}
