package io.volute.versioning.history;

import io.volute.storage.CommitTime;
import io.volute.storage.RecordStore;
import io.volute.versioning.Retention;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.event.EventIndex;
import io.volute.versioning.write.Causality;
import java.io.IOException;
import java.time.Instant;

/** Enforces the bounds of the history, and indexes its events. Thread-safe. */
public final class HistoryRetention implements Retention {
    private final Causality causality;
    private final EventIndex index;
    private final HistoryTrim trim;
    private final BucketDirectory buckets;
    private final ActorTrim actors;

    public HistoryRetention(
            RecordStore cube,
            Causality causality,
            EventIndex index,
            HistoryTrim trim,
            BucketDirectory buckets) {
        this.causality = causality;
        this.index = index;
        this.trim = trim;
        this.buckets = buckets;
        this.actors = new ActorTrim(cube, causality);
    }

    /**
     * Indexes the events, then removes expired states, buckets and actors; returns the number of
     * states.
     */
    @Override
    public long trim() throws IOException {
        index.extend();
        Instant before = causality.clock().instant().minus(causality.settings().retention());
        long states = trim.trim(before);
        buckets.forget(CommitTime.lastAt(before));
        actors.trim(before);
        return states;
    }

    /** Removes about this many of the oldest kept states; returns the number removed. */
    @Override
    public long trimOldest(long states) throws IOException {
        return trim.trimOldest(states);
    }

    /** Removes the oldest states of about this many bytes; returns the number removed. */
    @Override
    public long trimOldestBytes(long bytes) throws IOException {
        return trim.trimOldestBytes(bytes);
    }

    /**
     * Removes the oldest states until about this many bytes are kept; returns the number removed.
     */
    @Override
    public long trimTo(long bytes) throws IOException {
        return trim.trimTo(bytes);
    }
}
