package io.volute.server.upkeep;

import io.volute.server.Upkeep;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.Removed;
import io.volute.versioning.Provenance.Retention;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes old entries of the signed history, some rows of the index at a time, and rests between
 * two rounds over all chains. It logs the number of removed entries.
 */
public final class EntryUpkeep implements Upkeep.Task {
    private static final Logger LOG = LoggerFactory.getLogger(EntryUpkeep.class);

    public static final Upkeep.Pauses PAUSES = Upkeep.Pauses.of(Duration.ofSeconds(10));

    /** Rows that are looked at between two pauses: some tens of milliseconds. */
    private static final long ROWS = 20_000;

    private static final Duration LONGEST_REST = Duration.ofHours(1);

    private final Provenance provenance;
    private final Duration retention;
    private final InstantSource clock;
    private Instant next;
    private long removed;

    /**
     * @param retention of entries; more than nothing
     */
    public EntryUpkeep(Provenance provenance, Duration retention, InstantSource clock) {
        this.provenance = provenance;
        this.retention = retention;
        this.clock = clock;
        next = clock.instant();
    }

    @Override
    public void look() throws IOException {
        Instant now = clock.instant();
        if (now.isBefore(next)) {
            return;
        }
        Instant before = now.minus(retention);
        Removed step = provenance.removeOld(new Retention(before, ROWS, Retention.ENTRIES_MIN));
        removed += step.entries();
        if (step.isRoundOver()) {
            if (removed > 0) {
                LOG.info(
                        "{} entries of the signed history from before {} were removed",
                        removed,
                        before);
            }
            removed = 0;
            Duration rest = retention.dividedBy(8);
            next = now.plus(rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST);
        }
    }
}
