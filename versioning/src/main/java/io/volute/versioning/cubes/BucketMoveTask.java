package io.volute.versioning.cubes;

import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.move.BucketCopy;
import io.volute.versioning.move.BucketErasure;
import io.volute.versioning.move.BucketHandOver;
import io.volute.versioning.move.MoveProgress;
import io.volute.versioning.move.MoveSide;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyRange;
import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * One move of a bucket, or of a range of its keys, to its end. Not thread-safe.
 *
 * @param goesOn called often; when it returns false, the move stops
 * @param progress receives how far the present pass is
 */
record BucketMoveTask(
        CubeRegistry cubes,
        CubeBuckets buckets,
        Placements placements,
        BucketName bucket,
        BooleanSupplier goesOn,
        MoveProgress progress) {
    /** Number of changed keys at which writers may wait for the rest. */
    private static final long FEW = 64;

    /** Passes before writers wait in any case: clients may write faster than a pass copies. */
    private static final int PASSES_MAX = 8;

    /**
     * Ids that the source can give out during a move, so that its multipart uploads have other
     * numbers than those of the target.
     */
    private static final long IDS_OF_A_MOVE = 1L << 24;

    private MoveSide side(int cube) throws IOException {
        return BucketMoves.side(
                cubes.find(cube).orElseThrow(() -> new IOException("there is no cube #" + cube)));
    }

    private static Caller caller(MoveRow row) {
        return Caller.ofTask(row.owner(), "bucket-move");
    }

    /** Returns what the rows and chains of a bucket need of it. */
    private BucketInfo info(MoveRow row) {
        return new BucketInfo(
                row.bucketId(),
                bucket,
                row.owner(),
                row.began(),
                VersioningState.ENABLED,
                HistoryPolicy.NONE);
    }

    /** Continues a move; returns its last row. */
    MoveRow run(MoveRow row) throws IOException {
        MoveRow next = row.phase() == MovePhase.COPYING ? copy(row) : row;
        MoveSide cleared = side(next.cleared());
        if (isLeft(placements, bucket, next)) {
            BucketHandOver.disown(cleared, bucket, next.bucketId());
        }
        new BucketErasure(cleared, info(next), next.range(), caller(next), goesOn, progress).run();
        placements.removeMove(bucket);
        return next;
    }

    /** Returns whether the bucket leaves the cube that is cleared, with all its keys. */
    static boolean isLeft(Placements placements, BucketName bucket, MoveRow row) {
        return !row.isOfRange()
                || placements.find(bucket).flatMap(now -> now.rangeIn(row.cleared())).isEmpty();
    }

    /** Copies the keys and hands them over; returns the row of the next phase. */
    private MoveRow copy(MoveRow row) throws IOException {
        MoveSide from = side(row.source());
        MoveSide to = side(row.target());
        from.cube().passId(to.cube().allocateId());
        to.cube().passId(from.cube().allocateId() + IDS_OF_A_MOVE);
        Optional<BucketEntry> entry =
                from.buckets().entry(bucket).filter(each -> each.id() == row.bucketId());
        if (entry.isEmpty()) {
            // The bucket was deleted.
            return abandon(row);
        }
        BucketCopy copy =
                new BucketCopy(
                        from, to, entry.get().info(), row.range(), caller(row), goesOn, progress);
        long changed = Long.MAX_VALUE;
        for (int pass = 0; pass < PASSES_MAX && changed > FEW; pass++) {
            changed = copy.pass();
        }
        return buckets.whileUnchanged(() -> handOver(row, copy, from, to));
    }

    private MoveRow abandon(MoveRow row) throws IOException {
        MoveRow given = row.in(MovePhase.ABANDONING);
        placements.putMove(bucket, given);
        return given;
    }

    private MoveRow handOver(MoveRow row, BucketCopy copy, MoveSide from, MoveSide to)
            throws IOException {
        Optional<BucketEntry> entry =
                from.buckets().entry(bucket).filter(each -> each.id() == row.bucketId());
        if (entry.isEmpty()) {
            return abandon(row);
        }
        try (ScopedHold excluded = entry.get().exclude()) {
            int passes = 1;
            while (copy.pass() > 0) {
                if (passes == PASSES_MAX) {
                    throw new IOException("the copy differs after " + passes + " passes");
                }
                passes++;
            }
            // Consumers read these messages before those of the target, which have greater numbers.
            from.outbox().awaitReadable();
            to.cube().passId(from.cube().allocateId());
            BucketInfo info = entry.get().info();
            PlacementRow next = next(row, info);
            KeyRange range = next.rangeIn(row.target()).orElseThrow();
            boolean hasPart =
                    placements.of(bucket).rangeIn(row.target()).isPresent() && row.isOfRange();
            Runnable serving =
                    hasPart
                            ? BucketHandOver.extend(from, to, bucket, range)
                            : BucketHandOver.adopt(from, to, info, range);
            MoveRow clearing = row.in(MovePhase.CLEARING);
            relocate(next, clearing, from, entry.get(), serving);
            return clearing;
        }
    }

    private PlacementRow next(MoveRow row, BucketInfo info) {
        if (!row.isOfRange()) {
            return new PlacementRow(row.target(), info.created(), info.owner());
        }
        PlacementRow now =
                placements
                        .find(bucket)
                        .orElseGet(() -> new PlacementRow(0, info.created(), info.owner()));
        return now.moved(row.range().first().orElseThrow(), row.target());
    }

    /**
     * Makes the target the cube of the keys. From here on the source takes no write to them. If the
     * system cube refuses the commit, the source serves on. If the outcome is not known, the source
     * serves reads alone, as the next start may find that the target has the keys.
     *
     * @param serving makes the target serve the keys
     */
    private void relocate(
            PlacementRow next, MoveRow clearing, MoveSide from, BucketEntry entry, Runnable serving)
            throws IOException {
        boolean isInSystemAlone = next.cube() == 0 && !next.isDivided();
        buckets.routing().beginHandOver(bucket);
        try {
            placements.relocate(
                    bucket,
                    isInSystemAlone ? Optional.empty() : Optional.of(next),
                    clearing,
                    serving);
        } finally {
            if (placements.isUndecided(bucket)) {
                entry.markDeleted();
            }
        }
        Optional<KeyRange> rest = next.rangeIn(clearing.source());
        if (rest.isPresent()) {
            from.buckets().restrict(bucket, rest.get());
        } else {
            from.buckets().disown(entry);
        }
    }
}
