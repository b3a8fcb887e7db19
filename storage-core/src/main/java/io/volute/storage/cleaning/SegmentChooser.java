package io.volute.storage.cleaning;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Chooses the segments of a pass of combined cleaning: those with the greatest (1 - u) x age / (1 +
 * u). Here u is the fraction that must be copied; the cost is that of reading a segment and writing
 * u of it. Age is counted in segments opened since, so that no clock is needed. It is the age of
 * the segment, not of its content, because otherwise old, full segments would be cleaned for ever.
 * Source: Log-structured Memory for DRAM-based Storage, section 5.3 and 8.2; Sprite LFS for the
 * cost of reading.
 */
final class SegmentChooser {
    private static final int SEGMENTS_MAX = 64;

    /** Least fraction of the freed bytes that a pass must win to be worth its I/O. */
    private static final double WON_SHARE_MIN = 0.02;

    private static final int WON_OF_SEGMENT = 16;

    /** Number of copied bytes for each byte of padding. */
    private static final int PADDING_OF = 32;

    /**
     * Bytes of a survivor besides copies: its header, its origins, and an end too short for an
     * entry.
     */
    private static final int SURVIVOR_BYTES = 16 << 10;

    private final long segmentBytes;

    /** Needed bytes that fit into one survivor. */
    private final long fits;

    /** Greatest needed fraction of a segment; cleaning fuller segments wins nothing. */
    private final double usedMax;

    /**
     * A segment that may be cleaned.
     *
     * @param needed bytes that would have to be copied
     * @param written bytes of its file that take space
     * @param born id of the segment that was opened when its age began
     */
    record Candidate(long segmentId, long needed, long written, double born) {
        /** Creates a candidate with the age of the segment. */
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
     * The choice for a pass.
     *
     * @param needed bytes to be copied
     * @param freed bytes of the files that become free
     * @param filled expected number of survivors
     * @param won expected bytes won
     */
    record Choice(Set<Long> segments, long needed, long freed, int filled, long won) {}

    SegmentChooser(long segmentBytes) {
        this.segmentBytes = segmentBytes;
        this.fits = (segmentBytes - SURVIVOR_BYTES) * PADDING_OF / (PADDING_OF + 1);
        this.usedMax = (1 - WON_SHARE_MIN) * fits / (padded(fits) + SURVIVOR_BYTES);
    }

    private static long padded(long bytes) {
        return bytes * (PADDING_OF + 1) / PADDING_OF;
    }

    /**
     * Chooses by cost and benefit. Where that wins too little, it chooses the emptiest segments:
     * the old ones, which cost and benefit prefers, may all be too full.
     *
     * @param nextSegmentId id of the next segment to be opened
     * @param filledMax number of survivors that there is space for
     * @return empty when no pass is worth its I/O
     */
    Optional<Choice> choose(List<Candidate> candidates, long nextSegmentId, long filledMax) {
        Stream<ToDoubleFunction<Candidate>> orders =
                Stream.of(each -> each.worth(nextSegmentId), each -> 1 - each.used());
        return orders.map(order -> greatest(candidates, order, filledMax * fits))
                .filter(this::isWorthwhile)
                .findFirst();
    }

    private Choice greatest(
            List<Candidate> candidates, ToDoubleFunction<Candidate> order, long neededMax) {
        List<Candidate> best = new ArrayList<>(candidates);
        best.removeIf(each -> each.used() > usedMax);
        best.sort(
                Comparator.comparingDouble(order)
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
        int filled = Math.toIntExact((needed + fits - 1) / fits);
        long won = freed - padded(needed) - (long) filled * SURVIVOR_BYTES;
        return new Choice(chosen, needed, freed, filled, won);
    }

    private boolean isWorthwhile(Choice choice) {
        return choice.won() >= choice.freed() * WON_SHARE_MIN
                && choice.won() >= segmentBytes / WON_OF_SEGMENT;
    }
}
