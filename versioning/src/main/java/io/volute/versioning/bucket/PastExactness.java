package io.volute.versioning.bucket;

import static io.volute.versioning.rows.Families.BUCKETS;
import static io.volute.versioning.rows.Families.REMOVED;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.ResolutionRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.Resolution;
import io.volute.versioning.value.BucketInfo;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides at which instants the past of a bucket is exact. A state of an instant may have been
 * replaced at any time since. So the instant must belong to every resolution that the bucket has
 * had since. Thread-safe.
 */
final class PastExactness {
    private static final Logger LOG = LoggerFactory.getLogger(PastExactness.class);
    private static final byte[] NO_DETAIL = {};

    private final Cube cube;
    private final BucketRows rows;
    private final Duration byDefault;

    /** Sequence since which the configured resolution holds. */
    private volatile long since = PastStates.NEVER;

    /**
     * Creates the rules.
     *
     * @param byDefault resolution of buckets without one of their own
     */
    PastExactness(Cube cube, BucketRows rows, Duration byDefault) {
        this.cube = cube;
        this.rows = rows;
        this.byDefault = byDefault;
    }

    Duration resolution() {
        return byDefault;
    }

    /**
     * Finds the sequence since which the configured resolution holds. If it differs from the last
     * start, records that it holds from now on. Call it before the first write.
     */
    void begin() {
        try {
            since = begun();
        } catch (IOException e) {
            LOG.warn(
                    "Cannot write the resolution of the history. Restores treat the past as"
                            + " approximate until a start succeeds in this: {}",
                    e.getMessage());
        }
    }

    private long begun() throws IOException {
        Resolution now = new Resolution(byDefault.toMillis());
        Optional<StoredRecord> known = cube.get(REMOVED, RowKeys.resolution());
        long held = PastStates.NEVER;
        if (known.isPresent()) {
            ResolutionRow row = ResolutionRow.decode(known.get().summary());
            held = row.since(known.get().sequence());
            if (row.millis() == now.millis()) {
                return held;
            }
            if (now.millis() == 0 || !now.isCoveredBy(new Resolution(row.millis()))) {
                held = PastStates.NEVER;
            }
        }
        ResolutionRow row = new ResolutionRow(now.millis(), held == PastStates.NEVER ? 0 : held);
        Commits.join(
                cube,
                new Transaction()
                        .makingRoom()
                        .put(REMOVED, RowKeys.resolution(), row.encode(), NO_DETAIL, List.of()));
        return row.since(cube.lastSequence());
    }

    /**
     * Returns whether all states of a bucket at an instant were kept. Retention may have removed
     * some since.
     */
    boolean isExact(BucketInfo bucket, Instant instant) {
        long sequence = CommitTime.lastAt(instant);
        if (!holds(bucket, instant)) {
            return false;
        }
        boolean isUnchanged =
                cube.get(BUCKETS, RowKeys.bucket(bucket.name()))
                        .filter(row -> row.sequence() <= sequence)
                        .isPresent();
        return isUnchanged
                || rows.past(
                                bucket.name(),
                                past ->
                                        past.info().id() == bucket.id()
                                                && past.ended() > sequence
                                                && !holds(past.info(), instant))
                        .isEmpty();
    }

    /** Returns whether an instant belongs to the resolution in this row of a bucket. */
    private boolean holds(BucketInfo bucket, Instant instant) {
        boolean isOwn =
                bucket.history() == HistoryPolicy.EVERY_WRITE || bucket.resolution().isPresent();
        return Resolution.of(bucket, byDefault).isExactAt(instant)
                && (isOwn || since <= CommitTime.lastAt(instant));
    }
}
