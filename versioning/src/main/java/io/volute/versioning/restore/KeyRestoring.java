package io.volute.versioning.restore;

import static io.volute.versioning.rows.Families.RESTORES;

import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.rows.RestoreRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.state.RecordContent;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.write.VersionChain;
import io.volute.versioning.write.WriteBatch;
import io.volute.versioning.write.WriteBatchFactory;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Puts keys back, as many as one commit takes. The same commit records the progress of the restore,
 * so that it can be resumed exactly. Thread-safe.
 */
public final class KeyRestoring {
    /** Begin of the actor names of restores; their ids follow. */
    static final String ACTOR_PREFIX = "restore-";

    private final InstantSource clock;
    private final BucketDirectory buckets;
    private final KeyLocks locks;
    private final WriteBatchFactory batches;

    public KeyRestoring(
            InstantSource clock,
            BucketDirectory buckets,
            KeyLocks locks,
            WriteBatchFactory batches) {
        this.clock = clock;
        this.buckets = buckets;
        this.locks = locks;
        this.batches = batches;
    }

    /**
     * Restores these keys, or as many of them as a commit takes; returns the restore's row with the
     * new progress.
     */
    RestoreRow restore(long id, RestoreRow row, RestorePlan plan, List<ObjectKey> keys)
            throws IOException {
        BucketEntry bucket = buckets.require(row.request().bucket());
        int[] stripes =
                keys.stream().mapToInt(key -> KeyLocks.stripe(bucket.id(), key.value())).toArray();
        Caller caller =
                new Caller(
                        row.principal(),
                        row.accessKey(),
                        row.parent(),
                        new ActorName(ActorName.Kind.SERVER, actor(id), ""),
                        Optional.empty());
        try (ScopedHold shared = bucket.share();
                ScopedHold held = locks.holdAll(stripes)) {
            WriteBatch batch = batches.restoring(caller);
            try {
                long restored = 0;
                long removed = 0;
                long skipped = 0;
                long unknown = 0;
                int looked = 0;
                while (looked < keys.size() && !batch.isFull()) {
                    ObjectKey key = keys.get(looked++);
                    Optional<RestorePlan.Change> change = plan.change(key);
                    if (change.isEmpty()) {
                        continue;
                    }
                    if (change.get().line().lost().isPresent()) {
                        unknown++;
                        skipped++;
                    } else if (change.get().isNeeded()) {
                        if (isSkipped(change.get(), row.request().onConflict())) {
                            skipped++;
                        } else {
                            apply(batch, bucket, key, row.principal(), change.get());
                            restored++;
                            removed += change.get().content().isPresent() ? 0 : 1;
                        }
                    }
                }
                RestoreRow.Progress more =
                        new RestoreRow.Progress(looked, restored, removed, skipped, unknown);
                RestoreRow further = row.further(more, keys.get(looked - 1).value());
                put(batch, id, further);
                batch.commit(bucket);
                return further;
            } finally {
                batch.abandon();
            }
        }
    }

    private static boolean isSkipped(RestorePlan.Change change, OnConflict onConflict) {
        return change.line().conflict().isPresent() && onConflict == OnConflict.SKIP;
    }

    /** Returns the actor name of a restore's writes in the history. */
    static String actor(long id) {
        return ACTOR_PREFIX + id;
    }

    static void put(WriteBatch batch, long id, RestoreRow row) {
        batch.put(RESTORES, RowKeys.number(id), RecordContent.of(row.encode(), List.of()));
    }

    private void apply(
            WriteBatch batch,
            BucketEntry bucket,
            ObjectKey key,
            String principal,
            RestorePlan.Change change)
            throws IOException {
        VersionChain chain = new VersionChain(batch, bucket.info(), key, change.source());
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        if (change.content().isPresent()) {
            VersionChain.Content content = change.content().get();
            if (batch.provenance().isPresent()) {
                content =
                        content.from(
                                batch.provenance()
                                        .get()
                                        .copied(bucket.info(), key, change.number()));
            }
            var made = chain.append(content, change.owner(), now);
            assert made.latest();
        } else if (bucket.info().versioning() == VersioningState.UNVERSIONED) {
            chain.find(VersionSelector.LATEST).ifPresent(link -> chain.remove(link, now, false));
        } else {
            var marker = chain.appendMarker(principal, now);
            assert marker.deleteMarker();
        }
        chain.restored(change.origin());
    }
}
