package io.volute.storage.memory;

import io.volute.storage.report.ImageDecision;
import io.volute.storage.report.ImageDecision.Action;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The rules for freeing memory, and the choice of the images: section 5.2 of the paper for the
 * time, 3.2 for compaction, 8.6 for eviction. Pure functions.
 *
 * <ul>
 *   <li>Nothing happens until {@code F <= min(0.1, (1 - L) / 2)}, or the appender is about to reach
 *       the reserve, or the index is nearly full.
 *   <li>Images of which a quarter is dead are compacted first: that costs no more copying than an
 *       eviction, and loses nothing. The best are those with the highest {@code (1 - u) age / u}.
 *   <li>Else the four images with the fewest recent reads keep three quarters of their bytes. The
 *       youngest quarter of the images is spared: they had no time to be read.
 * </ul>
 */
final class ImageBalance {
    static final double KEPT = 0.75;

    private static final double FREE_MAX = 0.1;
    private static final double DEAD_MIN = 1 - KEPT;

    /**
     * Fraction of the index entries from which on it counts as nearly full: its stripes fill
     * unevenly.
     */
    private static final double INDEX_FULL = 0.85;

    private static final int COMPACTED_MAX = 8;
    private static final int EVICTED_MAX = 4;
    private static final int SPARED_SHARE = 4;
    private static final long SEGLET_BYTES = ImageLayout.SEGLET_BYTES;

    /**
     * The state of the whole memory.
     *
     * @param seglets number of all seglets
     * @param unused number of seglets that are not in use
     * @param urgent free seglets at which the appender is about to be refused
     * @param born generation of the youngest image
     */
    record State(
            int seglets,
            int unused,
            int urgent,
            long liveBytes,
            long entries,
            long entriesMax,
            long born) {
        double free() {
            return (double) unused / Math.max(1, seglets);
        }

        double live() {
            return (double) liveBytes / Math.max(1, seglets * SEGLET_BYTES);
        }

        double threshold() {
            return Math.min(FREE_MAX, (1 - live()) / 2);
        }

        private boolean isIndexFull() {
            return ImageBalance.isIndexFull(entries, entriesMax);
        }
    }

    /** The figures of a sealed image at the time of the decision. */
    record Candidate(Image image, long generation, int usedBytes, int deadBytes, long reads) {
        static Candidate of(Image image) {
            return new Candidate(
                    image, image.generation(), image.usedBytes(), image.deadBytes(), image.reads());
        }

        private double utilisation() {
            return 1 - (double) deadBytes / Math.max(1, usedBytes);
        }

        private double benefit(long born) {
            double u = Math.max(utilisation(), 1e-6);
            return (1 - u) * (born - generation) / u;
        }
    }

    /** A decision and its images. */
    record Choice(ImageDecision decision, List<Candidate> images) {}

    private ImageBalance() {}

    static boolean isIndexFull(long entries, long entriesMax) {
        return entries >= INDEX_FULL * entriesMax;
    }

    /** Returns whether {@link #decide} might act, however much is live. */
    static boolean mayAct(State state) {
        return state.isIndexFull()
                || state.unused() <= Math.max(state.urgent(), FREE_MAX * state.seglets());
    }

    static Choice decide(State state, List<Candidate> sealed) {
        String why;
        if (state.isIndexFull()) {
            why = text("the index holds %d of %d entries", state.entries(), state.entriesMax());
        } else if (state.free() <= state.threshold()) {
            why = text("free %.3f <= %.3f", state.free(), state.threshold());
        } else if (state.unused() <= state.urgent()) {
            why = text("%d free seglets <= %d", state.unused(), state.urgent());
        } else {
            return choice(Action.REST, state, List.of(), 0, "enough is free");
        }
        if (sealed.isEmpty()) {
            return choice(Action.REST, state, List.of(), 0, why + ", but no image is sealed");
        }
        List<Candidate> emptied = state.isIndexFull() ? List.of() : compacted(state, sealed);
        if (!emptied.isEmpty()) {
            return choice(Action.COMPACT, state, emptied, live(emptied), why + ", many are dead");
        }
        List<Candidate> cold = evicted(state, sealed);
        long kept = (long) (KEPT * used(cold));
        return choice(
                Action.EVICT, state, cold, kept <= room(state) ? kept : 0, why + ", few are dead");
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static Choice choice(
            Action action, State state, List<Candidate> images, long kept, String reason) {
        return new Choice(
                new ImageDecision(
                        action,
                        state.free(),
                        state.live(),
                        state.threshold(),
                        images.size(),
                        used(images),
                        kept,
                        reason),
                images);
    }

    /**
     * Returns the images of which a quarter is dead; empty when that is no whole seglet or does not
     * fit.
     */
    private static List<Candidate> compacted(State state, List<Candidate> sealed) {
        Comparator<Candidate> best = Comparator.comparingDouble(each -> each.benefit(state.born()));
        List<Candidate> chosen = new ArrayList<>();
        long room = room(state);
        for (Candidate each :
                sealed.stream()
                        .filter(each -> each.utilisation() <= 1 - DEAD_MIN)
                        .sorted(best.reversed())
                        .limit(COMPACTED_MAX)
                        .toList()) {
            room -= each.usedBytes() - each.deadBytes();
            if (room >= 0) {
                chosen.add(each);
            }
        }
        return used(chosen) - live(chosen) >= SEGLET_BYTES ? chosen : List.of();
    }

    private static List<Candidate> evicted(State state, List<Candidate> sealed) {
        List<Candidate> byAge =
                sealed.stream().sorted(Comparator.comparingLong(Candidate::generation)).toList();
        List<Candidate> coldest =
                byAge.subList(0, byAge.size() - byAge.size() / SPARED_SHARE).stream()
                        .sorted(
                                Comparator.comparingLong(Candidate::reads)
                                        .thenComparingLong(Candidate::generation))
                        .limit(EVICTED_MAX)
                        .toList();
        int count = coldest.size();
        while (count > 1 && KEPT * used(coldest.subList(0, count)) > room(state)) {
            count--;
        }
        return coldest.subList(0, count);
    }

    /** Returns the bytes that survivors can take, less the loss at their ends. */
    private static long room(State state) {
        return (state.unused() - 1) * SEGLET_BYTES;
    }

    private static long used(List<Candidate> images) {
        return images.stream().mapToLong(Candidate::usedBytes).sum();
    }

    private static long live(List<Candidate> images) {
        return images.stream().mapToLong(each -> each.usedBytes() - each.deadBytes()).sum();
    }
}
