package io.volute.versioning.cubes;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.UninterruptibleJoin;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Move;
import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.StoreException;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.move.BucketCopy;
import io.volute.versioning.move.BucketErasure;
import io.volute.versioning.move.BucketHandOver;
import io.volute.versioning.move.MoveSide;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The moves of buckets to another cube, each in a thread of its own. Thread-safe. After a crash at
 * any point, {@link #tidy} and {@link #resume} continue:
 *
 * <ol>
 *   <li>COPYING: passes copy the bucket while clients use it in the source. After a crash here a
 *       pass finds what differs.
 *   <li>Writers wait. A last pass copies the rest, and the target adopts the bucket. After a crash
 *       here the target disowns it at the start.
 *   <li>One commit of the system cube changes the placement and the phase to CLEARING. From here on
 *       the target serves. The source disowns the bucket, at the latest at the next start.
 *   <li>CLEARING: the rows in the source are removed, then the row of the move.
 * </ol>
 */
final class BucketMoves implements StoreCubes.Moves {
    private static final Logger LOG = LoggerFactory.getLogger(BucketMoves.class);

    /** Number of changed keys at which writers may wait for the rest. */
    private static final long FEW = 64;

    /** Passes before writers wait in any case: clients may write faster than a pass copies. */
    private static final int PASSES_MAX = 8;

    /**
     * Ids that the source can give out during a move, so that its multipart uploads have other
     * numbers than those of the target.
     */
    private static final long IDS_OF_A_MOVE = 1L << 24;

    private final CubeRegistry cubes;
    private final CubeBuckets buckets;
    private final Placements placements;
    private final InstantSource clock;
    private final Map<BucketName, Running> running = new ConcurrentHashMap<>();
    private final Map<BucketName, String> failures = new ConcurrentHashMap<>();

    /** Buckets that moved since the start. */
    private final Set<BucketName> moved = ConcurrentHashMap.newKeySet();

    /** Buckets whose new placement is being committed, or failed to be. */
    private final Set<BucketName> undecided = ConcurrentHashMap.newKeySet();

    /** A move that goes on. */
    private static final class Running {
        private volatile Optional<Thread> thread = Optional.empty();
        private volatile boolean isStopped;
        private volatile long keys;
    }

    BucketMoves(
            CubeRegistry cubes, CubeBuckets buckets, Placements placements, InstantSource clock) {
        this.cubes = cubes;
        this.buckets = buckets;
        this.placements = placements;
        this.clock = clock;
    }

    /** Returns whether a bucket moved since the start of the process. */
    boolean hasMoved(BucketName bucket) {
        return moved.contains(bucket);
    }

    @Override
    public List<Move> list() {
        return placements.moves().entrySet().stream()
                .map(each -> move(each.getKey(), each.getValue()))
                .toList();
    }

    private Move move(BucketName name, MoveRow row) {
        Optional<Running> now = Optional.ofNullable(running.get(name));
        return new Move(
                name,
                nameOf(row.source()),
                nameOf(row.target()),
                row.phase(),
                row.began(),
                now.isPresent(),
                now.map(each -> each.keys).orElse(0L),
                failures.getOrDefault(name, ""));
    }

    private String nameOf(int cube) {
        return cubes.find(cube).map(CubeSlot::name).orElse("#" + cube);
    }

    @Override
    public Move start(BucketName bucket, String cube) throws IOException {
        Optional<MoveRow> before = find(bucket);
        if (before.isPresent() && cubes.require(cube).number() == before.get().source()) {
            // Outside of the lock, for which its last pass may wait.
            stop(bucket);
        }
        return buckets.whileUnchanged(
                () -> {
                    CubeSlot target = cubes.require(cube);
                    Optional<MoveRow> known = find(bucket);
                    MoveRow row =
                            known.isPresent()
                                    ? again(bucket, target, known.get())
                                    : begin(bucket, target);
                    run(bucket, row);
                    return move(bucket, row);
                });
    }

    private Optional<MoveRow> find(BucketName bucket) {
        return Optional.ofNullable(placements.moves().get(bucket));
    }

    private MoveRow begin(BucketName bucket, CubeSlot target) throws IOException {
        CubeSlot source =
                buckets.slotOf(bucket).orElseThrow(() -> StoreException.noSuchBucket(bucket));
        if (source == target) {
            throw CubeRegistry.refused(
                    "bucket " + bucket.value() + " is in cube " + target.name() + " already");
        }
        MoveSide to = side(target);
        BucketEntry entry = side(source).buckets().require(bucket);
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        MoveRow row =
                new MoveRow(
                        MovePhase.COPYING,
                        entry.id(),
                        source.number(),
                        target.number(),
                        now,
                        entry.owner());
        placements.putMove(bucket, row);
        LOG.info(
                "bucket {} moves from cube {} to cube {}, which is {}",
                bucket.value(),
                source.name(),
                target.name(),
                to.cube().state());
        return row;
    }

    /** Resumes a move, or gives it up. */
    private MoveRow again(BucketName bucket, CubeSlot target, MoveRow row) throws IOException {
        if (target.number() == row.target() && row.phase() != MovePhase.ABANDONING) {
            return row;
        }
        if (target.number() != row.source() || row.phase() == MovePhase.CLEARING) {
            throw CubeRegistry.refused(
                    "bucket "
                            + bucket.value()
                            + " is being moved to cube "
                            + nameOf(row.target())
                            + ": wait for the end, or give that up with a move to cube "
                            + nameOf(row.source()));
        }
        return abandon(bucket, row);
    }

    private static MoveSide side(CubeSlot slot) throws IOException {
        return slot.call(catalog -> catalog.copies().side());
    }

    private MoveSide side(int cube) throws IOException {
        return side(
                cubes.find(cube).orElseThrow(() -> new IOException("there is no cube #" + cube)));
    }

    /**
     * Removes the bucket from a cube that was opened, if a move left it there. Call it before the
     * cube serves.
     */
    void tidy(CubeSlot slot) throws IOException {
        for (Map.Entry<BucketName, MoveRow> each : placements.moves().entrySet()) {
            MoveRow row = each.getValue();
            int other = row.phase() == MovePhase.CLEARING ? row.source() : row.target();
            if (other == slot.number()) {
                BucketHandOver.disown(side(slot), each.getKey(), row.bucketId());
            }
        }
    }

    /** Continues the moves that a cube takes part in, if the other one is open, too. */
    void resume(CubeSlot slot) {
        placements
                .moves()
                .forEach(
                        (name, row) -> {
                            boolean areOpen = isOpen(row.source()) && isOpen(row.target());
                            if (row.involves(slot.number()) && areOpen) {
                                run(name, row);
                            }
                        });
    }

    private boolean isOpen(int cube) {
        return cubes.find(cube).flatMap(CubeSlot::open).isPresent();
    }

    private void run(BucketName bucket, MoveRow row) {
        Running now = new Running();
        if (running.putIfAbsent(bucket, now) == null) {
            failures.remove(bucket);
            now.thread =
                    Optional.of(
                            Thread.ofPlatform()
                                    .name("move-" + bucket.value())
                                    .start(() -> run(bucket, row, now)));
        }
    }

    /** Stops the moves that a cube takes part in, before it is closed. */
    void pause(CubeSlot slot) {
        placements
                .moves()
                .forEach(
                        (name, row) -> {
                            if (row.involves(slot.number())) {
                                stop(name);
                            }
                        });
    }

    private void stop(BucketName bucket) {
        Running now = running.get(bucket);
        if (now != null) {
            now.isStopped = true;
            now.thread.ifPresent(UninterruptibleJoin::join);
        }
    }

    private void run(BucketName bucket, MoveRow row, Running now) {
        try {
            MoveRow next = row.phase() == MovePhase.COPYING ? copy(bucket, row, now) : row;
            int cleared = next.phase() == MovePhase.CLEARING ? next.source() : next.target();
            BucketHandOver.disown(side(cleared), bucket, next.bucketId());
            new BucketErasure(side(cleared), info(bucket, next), caller(next), () -> !now.isStopped)
                    .run();
            placements.removeMove(bucket);
            LOG.info(
                    "the move of bucket {} to cube {} is {}",
                    bucket.value(),
                    nameOf(next.target()),
                    next.phase() == MovePhase.CLEARING ? "done" : "given up");
        } catch (IOException | RuntimeException e) {
            failures.put(bucket, String.valueOf(e.getMessage()));
            LOG.warn(
                    "the move of bucket {} to cube {} does not go on; repair the cause, then repeat"
                            + " volute cube move-bucket",
                    bucket.value(),
                    nameOf(row.target()),
                    e);
        } finally {
            running.remove(bucket, now);
        }
    }

    private static Caller caller(MoveRow row) {
        return Caller.ofTask(row.owner(), "bucket-move");
    }

    /** Returns what the rows and chains of a bucket need of it. */
    private static BucketInfo info(BucketName bucket, MoveRow row) {
        return new BucketInfo(
                row.bucketId(),
                bucket,
                row.owner(),
                row.began(),
                VersioningState.ENABLED,
                HistoryPolicy.NONE);
    }

    /** Copies the bucket and hands it over; returns the row of the next phase. */
    private MoveRow copy(BucketName bucket, MoveRow row, Running now) throws IOException {
        MoveSide from = side(row.source());
        MoveSide to = side(row.target());
        from.cube().passId(to.cube().allocateId());
        to.cube().passId(from.cube().allocateId() + IDS_OF_A_MOVE);
        Optional<BucketEntry> entry =
                from.buckets().entry(bucket).filter(each -> each.id() == row.bucketId());
        if (entry.isEmpty()) {
            // The bucket was deleted.
            return abandon(bucket, row);
        }
        BucketCopy copy =
                new BucketCopy(
                        from,
                        to,
                        entry.get().info(),
                        caller(row),
                        () -> !now.isStopped,
                        keys -> now.keys = keys);
        long changed = Long.MAX_VALUE;
        for (int pass = 0; pass < PASSES_MAX && changed > FEW; pass++) {
            changed = copy.pass();
        }
        return buckets.whileUnchanged(() -> handOver(bucket, row, copy, from, to));
    }

    /** Makes the target the cube of the bucket. From here on the source takes no write to it. */
    private void relocate(
            BucketName bucket,
            Optional<PlacementRow> placement,
            MoveRow next,
            MoveSide from,
            BucketEntry entry)
            throws IOException {
        undecided.add(bucket);
        try {
            placements.relocate(bucket, placement, next);
            undecided.remove(bucket);
        } finally {
            from.buckets().disown(entry);
        }
    }

    /**
     * Refuses requests for a bucket while only the next start can decide which cube has it.
     *
     * @throws CubeUnavailableException READ_ONLY
     */
    void requireDecided(BucketName bucket) throws CubeUnavailableException {
        if (undecided.contains(bucket)) {
            throw new CubeUnavailableException(
                            CubeUnavailableException.Reason.READ_ONLY,
                            "the move of bucket "
                                    + bucket.value()
                                    + " was not recorded: repair the system cube, then restart")
                    .in(StoreCubes.SYSTEM);
        }
    }

    private MoveRow abandon(BucketName bucket, MoveRow row) throws IOException {
        MoveRow given = row.in(MovePhase.ABANDONING);
        placements.putMove(bucket, given);
        return given;
    }

    private MoveRow handOver(
            BucketName bucket, MoveRow row, BucketCopy copy, MoveSide from, MoveSide to)
            throws IOException {
        Optional<BucketEntry> entry =
                from.buckets().entry(bucket).filter(each -> each.id() == row.bucketId());
        if (entry.isEmpty()) {
            return abandon(bucket, row);
        }
        try (ScopedHold excluded = entry.get().exclude()) {
            int passes = 1;
            while (copy.pass() > 0) {
                if (passes == PASSES_MAX) {
                    throw new IOException("the copy differs after " + passes + " passes");
                }
                passes++;
            }
            to.cube().passId(from.cube().allocateId());
            BucketInfo info = entry.get().info();
            BucketHandOver.adopt(from, to, info);
            MoveRow next = row.in(MovePhase.CLEARING);
            Optional<PlacementRow> placement =
                    row.target() == 0
                            ? Optional.empty()
                            : Optional.of(
                                    new PlacementRow(row.target(), info.created(), info.owner()));
            moved.add(bucket);
            relocate(bucket, placement, next, from, entry.get());
            return next;
        }
    }
}
