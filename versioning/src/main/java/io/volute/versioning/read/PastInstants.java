package io.volute.versioning.read;

import io.volute.storage.CommitTime;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.commit.Commits;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/** Finds the last commit of an instant in the past. Thread-safe. */
public final class PastInstants {
    private final RecordStore cube;
    private final InstantSource clock;

    public PastInstants(RecordStore cube, InstantSource clock) {
        this.cube = cube;
        this.clock = clock;
    }

    /** Returns the present instant. */
    public Instant now() {
        return clock.instant();
    }

    /**
     * Returns the last sequence of an instant. If needed, makes an empty commit now: all later
     * commits belong to later instants, so the result for this instant cannot change.
     *
     * @throws StoreException INVALID_ARGUMENT when the instant is not over
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
        return last;
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
