package io.volute.versioning.read;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Transaction;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.event.ClockWatch;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the last commit of an instant in the past. Thread-safe. */
public final class PastInstants {
    private static final Logger LOG = LoggerFactory.getLogger(PastInstants.class);

    private final Cube cube;
    private final InstantSource clock;
    private final ClockWatch watch;

    public PastInstants(Cube cube, InstantSource clock) {
        this.cube = cube;
        this.clock = clock;
        this.watch = new ClockWatch(cube, clock);
    }

    /** Returns the watch over the clock of these instants. */
    public ClockWatch watch() {
        return watch;
    }

    /** Returns the present instant. */
    public Instant now() {
        return clock.instant();
    }

    /**
     * Returns the last sequence of an instant. If needed, makes an empty commit now: all later
     * commits belong to later instants, so the result for this instant cannot change.
     *
     * @throws StoreException INVALID_ARGUMENT when the instant is not over, or the clock went back
     *     so that its commits are not known
     */
    public long lastAt(Instant instant) throws IOException {
        if (!instant.truncatedTo(ChronoUnit.MILLIS)
                .isBefore(clock.instant().truncatedTo(ChronoUnit.MILLIS))) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT, instant + " is not over yet: name a time in the past");
        }
        long last = CommitTime.lastAt(instant);
        if (cube.lastSequence() < last) {
            orderCommit();
        }
        requireKnown(instant);
        return last;
    }

    /**
     * Refuses an instant whose past is not known because the clock went back.
     *
     * @throws StoreException INVALID_ARGUMENT with the nearest instants whose past is known
     */
    public void requireKnown(Instant instant) throws IOException {
        try {
            watch.look();
        } catch (CubeUnavailableException e) {
            // What cannot be recorded is known to this watch.
            LOG.debug("The state of the clock cannot be recorded: {}", e.getMessage());
        }
        watch.requireKnown(instant);
    }

    private void orderCommit() throws IOException {
        try {
            Commits.join(cube, new Transaction());
        } catch (CubeUnavailableException e) {
            // A read-only store makes no commits, so the past cannot change.
            if (e.reason() != CubeUnavailableException.Reason.READ_ONLY) {
                throw e;
            }
        }
    }
}
