package io.volute.versioning.history;

import io.volute.storage.CommitTime;
import io.volute.storage.RecordStore;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.event.EventIndex;
import io.volute.versioning.write.Causality;
import java.io.IOException;
import java.time.Instant;

/** Lets go of history, and indexes what stays. Thread-safe. */
public final class HistoryRetention {
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
     * Removes what has been kept for long enough, and indexes the rest; returns how many states.
     */
    public long trim() throws IOException {
        index.extend();
        Instant before = causality.clock().instant().minus(causality.settings().retention());
        long states = trim.trim(before);
        buckets.forget(CommitTime.lastAt(before));
        actors.trim(before);
        return states;
    }

    /** Removes about so many of the states that were kept first; returns how many. */
    public long trimOldest(long states) throws IOException {
        return trim.trimOldest(states);
    }

    /** Removes the oldest states of about so many bytes; returns how many. */
    public long trimOldestBytes(long bytes) throws IOException {
        return trim.trimOldestBytes(bytes);
    }

    /** Removes the oldest states until about so many bytes are kept; returns how many. */
    public long trimTo(long bytes) throws IOException {
        return trim.trimTo(bytes);
    }
}
