package io.volute.storage.cube;

import io.volute.storage.CleaningSettings;
import io.volute.storage.SpaceDecision;
import io.volute.storage.SpaceDecision.Action;
import java.util.Locale;

/**
 * Decides whether to clean, and at which level. Never early: waiting makes segments emptier.
 * Source: Log-structured Memory for DRAM-based Storage, section 4, with the disk as the medium:
 * compaction gives holes back, which costs no I/O of the log, so it comes first when it yields
 * anything.
 */
final class Balancer {
    private final CleaningSettings settings;
    private final long segmentBytes;

    Balancer(CleaningSettings settings, long segmentBytes) {
        this.settings = settings;
        this.segmentBytes = segmentBytes;
    }

    /**
     * The state of the medium, in bytes.
     *
     * @param punchable that a compaction would give back
     */
    record Figures(long free, long live, long tombstones, long used, long punchable) {
        long capacity() {
            return free + used;
        }
    }

    SpaceDecision decide(Figures now) {
        double capacity = Math.max(1, now.capacity());
        double live = now.live() / capacity;
        double free = now.free() / capacity;
        double tombstones = now.tombstones() / capacity;
        double low = Math.max(Math.min(settings.freeShare(), (1 - live) / 2), heldBack(capacity));
        double most = settings.expansionShare() * settings.expansionFactor() * now.live();
        boolean isExpanded = now.used() > most && now.used() > most + segmentBytes;
        if (free > low && !isExpanded) {
            return decision(
                    Action.NOTHING,
                    now,
                    "free %.3f > %.3f, used %d <= %.0f",
                    free,
                    low,
                    now.used(),
                    most);
        }
        if (isExpanded) {
            return decision(
                    Action.COMBINE,
                    now,
                    "used %d > %.2f x %.2f x live %d",
                    now.used(),
                    settings.expansionShare(),
                    settings.expansionFactor(),
                    now.live());
        }
        if (tombstones >= settings.tombstoneShare() * (1 - live)) {
            return decision(
                    Action.COMBINE,
                    now,
                    "free %.3f <= %.3f, tombstones %.3f >= %.2f x (1 - %.3f)",
                    free,
                    low,
                    tombstones,
                    settings.tombstoneShare(),
                    live);
        }
        return now.punchable() >= segmentBytes / 8
                ? decision(
                        Action.COMPACT,
                        now,
                        "free %.3f <= %.3f, %d bytes can be given back",
                        free,
                        low,
                        now.punchable())
                : decision(
                        Action.COMBINE,
                        now,
                        "free %.3f <= %.3f, only %d bytes can be given back as they are",
                        free,
                        low,
                        now.punchable());
    }

    /** The free share at which clients wait, and one segment: who waits must see cleaning begin. */
    private double heldBack(double capacity) {
        int reserved = settings.reserveSegments() + settings.deleteReserveSegments();
        return (reserved + SpaceKeeper.AHEAD_SEGMENTS + 1) * segmentBytes / capacity;
    }

    private static SpaceDecision decision(
            Action action, Figures now, String reason, Object... figures) {
        return new SpaceDecision(
                action,
                now.capacity(),
                now.free(),
                now.live(),
                now.tombstones(),
                now.used(),
                String.format(Locale.ROOT, reason, figures));
    }
}
