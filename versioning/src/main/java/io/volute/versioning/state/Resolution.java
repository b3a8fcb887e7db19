package io.volute.versioning.state;

import io.volute.storage.CommitTime;
import io.volute.versioning.value.BucketInfo;
import java.time.Duration;
import java.time.Instant;

/**
 * The distance of the instants at which the past of a bucket is exact: the multiples of this many
 * milliseconds since 1970. A state is kept if a reader of one of these instants can see it. A
 * reader of an instant also sees the commits of that millisecond.
 *
 * @param millis distance in milliseconds; 0 when no instant is exact
 */
public record Resolution(long millis) {
    static final Resolution NONE = new Resolution(0);

    /** Returns the resolution of a bucket under its policy. */
    public static Resolution of(BucketInfo bucket, Duration byDefault) {
        return switch (bucket.history()) {
            case NONE -> NONE;
            case EVERY_WRITE -> new Resolution(1);
            case OPEN_CLOSE, CYCLE_AVOIDANCE, GRAPH_FINESSE ->
                    new Resolution(bucket.resolution().orElse(byDefault).toMillis());
        };
    }

    /** Returns whether the past is exact at an instant while this resolution holds. */
    public boolean isExactAt(Instant instant) {
        return millis > 0 && instant.toEpochMilli() % millis == 0;
    }

    /** Returns whether all instants of this resolution are also instants of the other. */
    public boolean isCoveredBy(Resolution other) {
        return other.millis > 0 && millis % other.millis == 0;
    }

    /**
     * Returns the last sequence of the first instant at which a reader sees a state that began at
     * this sequence. No reader sees a state that ended by then.
     */
    public long firstBehind(long began) {
        if (millis == 0) {
            return PastStates.NEVER;
        }
        long at = CommitTime.of(began).toEpochMilli();
        return CommitTime.lastAt(Instant.ofEpochMilli(Math.ceilDiv(at, millis) * millis));
    }
}
