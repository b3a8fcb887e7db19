package io.volute.versioning.state;

import io.volute.storage.CommitTime;
import io.volute.versioning.BucketInfo;
import java.time.Duration;
import java.time.Instant;

/**
 * How far apart the instants are at which the past of a bucket is exact: the multiples of so many
 * milliseconds since 1970. A state is kept if it was current at one of them, as a reader sees it: a
 * reader of an instant sees what was committed in its millisecond, too.
 *
 * @param millis 0 for no instant
 */
public record Resolution(long millis) {
    static final Resolution NONE = new Resolution(0);

    /** Of a bucket under its policy. */
    public static Resolution of(BucketInfo bucket, Duration byDefault) {
        return switch (bucket.history()) {
            case NONE -> NONE;
            case EVERY_WRITE -> new Resolution(1);
            case OPEN_CLOSE, CYCLE_AVOIDANCE, GRAPH_FINESSE ->
                    new Resolution(bucket.resolution().orElse(byDefault).toMillis());
        };
    }

    /** Whether the past is exact at an instant, as long as this holds. */
    public boolean isExactAt(Instant instant) {
        return millis > 0 && instant.toEpochMilli() % millis == 0;
    }

    /** Whether its instants are instants of the other, too. */
    public boolean isCoveredBy(Resolution other) {
        return other.millis > 0 && millis % other.millis == 0;
    }

    /**
     * The last sequence of the first instant at which a reader sees what began so. A state that
     * ended by then was seen at none.
     */
    public long firstBehind(long began) {
        if (millis == 0) {
            return PastStates.NEVER;
        }
        long at = CommitTime.of(began).toEpochMilli();
        return CommitTime.lastAt(Instant.ofEpochMilli(Math.ceilDiv(at, millis) * millis));
    }
}
