package io.volute.storage.cube;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Chooses the segments that a pass of combined cleaning takes: those with the greatest (1 - u) x
 * age / (1 + u), where u is the fraction that must be copied, the cost is that of reading a segment
 * and writing u of it, and age is that of the segment, counted in segments opened since, so that no
 * clock is needed. Age of segments, not of what they hold: that would have old, full ones cleaned
 * for ever. Source: Log-structured Memory for DRAM-based Storage, section 5.3 and 8.2; Sprite LFS
 * for the cost of reading.
 */
final class SegmentChooser {
    /** A segment from which less than this can be won is left alone. */
    private static final double USED_MAX = 0.95;

    private static final int SEGMENTS_MAX = 64;

    /**
     * A segment that may be taken.
     *
     * @param needed bytes that would have to be copied
     * @param written bytes of its file that take space
     * @param born id of the segment that was opened when its age began
     */
    record Candidate(long segmentId, long needed, long written, double born) {
        /** A candidate whose age is that of the segment. */
        Candidate(long segmentId, long needed, long written) {
            this(segmentId, needed, written, segmentId);
        }

        double used() {
            return written == 0 ? 1 : Math.min(1, (double) needed / written);
        }

        double worth(long nextSegmentId) {
            return (1 - used()) * (nextSegmentId - born) / (1 + used());
        }
    }

    /**
     * What was chosen.
     *
     * @param needed bytes to be copied
     * @param freed bytes of the files that become free
     */
    record Choice(Set<Long> segments, long needed, long freed) {}

    private SegmentChooser() {}

    /**
     * @param nextSegmentId id of the next segment to be opened
     * @param neededMax bytes that may be copied: what survivors have room for
     */
    static Choice choose(List<Candidate> candidates, long nextSegmentId, long neededMax) {
        List<Candidate> best = new ArrayList<>(candidates);
        best.removeIf(each -> each.used() > USED_MAX);
        best.sort(
                Comparator.comparingDouble((Candidate each) -> each.worth(nextSegmentId))
                        .reversed()
                        .thenComparingLong(Candidate::segmentId));
        Set<Long> chosen = new TreeSet<>();
        long needed = 0;
        long freed = 0;
        for (Candidate each : best) {
            if (chosen.size() < SEGMENTS_MAX && needed + each.needed() <= neededMax) {
                chosen.add(each.segmentId());
                needed += each.needed();
                freed += each.written();
            }
        }
        return new Choice(chosen, needed, freed);
    }
}
