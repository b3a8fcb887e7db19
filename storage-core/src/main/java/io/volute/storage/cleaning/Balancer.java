package io.volute.storage.cleaning;

import io.volute.storage.CleaningSettings;
import io.volute.storage.report.SpaceDecision;
import io.volute.storage.report.SpaceDecision.Reason;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Decides whether to clean, and at which level. It decides late, because waiting makes segments
 * emptier. Source: Log-structured Memory for DRAM-based Storage, section 4, with the disk as the
 * medium. Compaction punches holes, which costs no I/O of the log, so it comes first when it wins
 * anything.
 */
final class Balancer {
    private static final int PERCENT = 100;

    private final CleaningSettings settings;
    private final long segmentBytes;

    public Balancer(CleaningSettings settings, long segmentBytes) {
        this.settings = settings;
        this.segmentBytes = segmentBytes;
    }

    /**
     * The state of the medium, in bytes.
     *
     * @param free bytes that no segment takes
     * @param clientFree part of the free bytes that clients may fill
     * @param tombstones bytes of needed tombstones; costly, so it is queried only when space is
     *     short
     * @param punchable bytes that a compaction would give back; costly like the tombstones
     */
    record Figures(
            long free,
            long clientFree,
            long live,
            long used,
            LongSupplier tombstones,
            LongSupplier punchable) {
        long capacity() {
            return free + used;
        }
    }

    SpaceDecision decide(Figures now) {
        double capacity = Math.max(1, now.capacity());
        double live = now.live() / capacity;
        double free = now.free() / capacity;
        double low = lowShare(live, capacity);
        double most = settings.expansionShare() * settings.expansionFactor() * now.live();
        boolean isExpanded = now.used() > most + segmentBytes;
        String why =
                isExpanded
                        ? text(
                                "%d bytes used for %d live bytes, more than %.2f times as many",
                                now.used(),
                                now.live(),
                                settings.expansionShare() * settings.expansionFactor())
                        : text(
                                "%.1f %% free, cleaning starts at %.1f %%",
                                free * PERCENT, low * PERCENT);
        if (free > low && !isExpanded && !makesClientsWaitSoon(now)) {
            return decision(Reason.ENOUGH_FREE, now, 0, why);
        }
        long tombstones = now.tombstones().getAsLong();
        if (tombstones / capacity >= settings.tombstoneShare() * (1 - live)) {
            return decision(
                    isExpanded ? Reason.EXPANDED_TOMBSTONES : Reason.LOW_TOMBSTONES,
                    now,
                    tombstones,
                    text(
                            "%s; tombstones take %.1f %% of the capacity, the limit is %.1f %%",
                            why,
                            tombstones / capacity * PERCENT,
                            settings.tombstoneShare() * (1 - live) * PERCENT));
        }
        long punchable = now.punchable().getAsLong();
        boolean hasHoles = punchable >= segmentBytes / 8;
        Reason ifExpanded = hasHoles ? Reason.EXPANDED_HOLES : Reason.EXPANDED_NO_HOLES;
        Reason ifLow = hasHoles ? Reason.LOW_HOLES : Reason.LOW_NO_HOLES;
        return decision(
                isExpanded ? ifExpanded : ifLow,
                now,
                tombstones,
                text("%s; %d bytes can be punched", why, punchable));
    }

    /**
     * Returns whether clients are about to wait. Cleaning must begin then, whatever holds the
     * space.
     */
    private boolean makesClientsWaitSoon(Figures now) {
        return now.clientFree() <= (SpaceMonitor.AHEAD_SEGMENTS + 1) * segmentBytes;
    }

    private double lowShare(double live, double capacity) {
        return Math.max(Math.min(settings.freeShare(), (1 - live) / 2), heldBack(capacity));
    }

    /**
     * Returns the bytes between the level at which cleaning begins and the level at which clients
     * wait.
     */
    long cushion(SpaceDecision decision) {
        double capacity = Math.max(1, decision.capacity());
        double low = lowShare(decision.live() / capacity, capacity);
        return (long) ((low - heldBack(capacity)) * capacity);
    }

    private static String text(String format, Object... figures) {
        return String.format(Locale.ROOT, format, figures);
    }

    /**
     * Returns the free fraction at which clients wait, plus one segment: cleaning must begin before
     * they wait.
     */
    private double heldBack(double capacity) {
        int reserved = settings.reserveSegments() + settings.deleteReserveSegments();
        return (reserved + SpaceMonitor.AHEAD_SEGMENTS + 1) * segmentBytes / capacity;
    }

    private static SpaceDecision decision(
            Reason reason, Figures now, long tombstones, String words) {
        return new SpaceDecision(
                reason, now.capacity(), now.free(), now.live(), tombstones, now.used(), words);
    }
}
