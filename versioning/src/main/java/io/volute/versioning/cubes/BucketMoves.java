package io.volute.versioning.cubes;

import io.volute.storage.UninterruptibleJoin;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Move;
import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.StoreCubes.Part;
import io.volute.versioning.move.BucketHandOver;
import io.volute.versioning.move.MoveProgress;
import io.volute.versioning.move.MoveSide;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The moves of buckets, and of ranges of their keys, to another cube, each in a thread of its own.
 * Thread-safe. After a crash at any point, {@link #tidy} and {@link #resume} continue:
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
 *
 * <p>A split moves the keys from one on to a cube that has none of the bucket. A merge moves a part
 * to the cube of the keys before it. A cube that keeps other keys of the bucket does not disown it:
 * its range hides the rows that are not its own.
 */
final class BucketMoves implements StoreCubes.Moves {
    private static final Logger LOG = LoggerFactory.getLogger(BucketMoves.class);

    /** The number of no cube. */
    private static final int NOWHERE = -1;

    private final CubeRegistry cubes;
    private final CubeBuckets buckets;
    private final Placements placements;
    private final MoveBeginnings beginnings;
    private final Map<BucketName, Running> running = new ConcurrentHashMap<>();
    private final Map<BucketName, String> failures = new ConcurrentHashMap<>();

    /** The progress of a move. */
    private record Pass(int number, long keys, long total) {}

    /** A move that goes on. Its thread alone changes the progress. */
    private static final class Running implements MoveProgress {
        private volatile Optional<Thread> thread = Optional.empty();
        private volatile boolean isStopped;
        private volatile Pass pass = new Pass(0, 0, 0);

        @Override
        public void begin(long keys) {
            pass = new Pass(pass.number + 1, 0, keys);
        }

        @Override
        public void at(long keys) {
            pass = new Pass(pass.number, keys, pass.total);
        }
    }

    BucketMoves(
            CubeRegistry cubes, CubeBuckets buckets, Placements placements, InstantSource clock) {
        this.cubes = cubes;
        this.buckets = buckets;
        this.placements = placements;
        this.beginnings = new MoveBeginnings(cubes, buckets, placements, clock);
    }

    @Override
    public List<Move> list() {
        return placements.moves().entrySet().stream()
                .map(each -> move(each.getKey(), each.getValue()))
                .toList();
    }

    private Move move(BucketName name, MoveRow row) {
        Optional<Running> now = Optional.ofNullable(running.get(name));
        Pass pass = now.map(each -> each.pass).orElse(new Pass(0, 0, 0));
        return new Move(
                name,
                nameOf(row.source()),
                nameOf(row.target()),
                row.range(),
                row.phase(),
                row.began(),
                now.isPresent(),
                pass.keys,
                pass.total,
                pass.number,
                failures.getOrDefault(name, ""));
    }

    private String nameOf(int cube) {
        return cubes.find(cube).map(CubeSlot::name).orElse("#" + cube);
    }

    @Override
    public List<Part> parts(BucketName bucket) {
        return buckets.routing().placement(bucket).sections().stream()
                .map(each -> new Part(each.range(), nameOf(each.cube())))
                .toList();
    }

    @Override
    public List<BucketName> divided() {
        return placements.divided();
    }

    @Override
    public boolean areUndecided() {
        return placements.areUndecided();
    }

    @Override
    public Move start(BucketName bucket, String cube) throws IOException {
        return start(
                bucket,
                Optional.empty(),
                known -> cubes.require(cube),
                () -> beginnings.whole(bucket, cubes.require(cube)));
    }

    @Override
    public Move split(BucketName bucket, ObjectKey at, String cube) throws IOException {
        return start(
                bucket,
                Optional.of(at),
                known -> cubes.require(cube),
                () -> beginnings.split(bucket, at, cubes.require(cube)));
    }

    @Override
    public Move merge(BucketName bucket, ObjectKey at) throws IOException {
        return start(
                bucket,
                Optional.of(at),
                known -> {
                    // A merge at the key of a split gives the split up.
                    boolean isMerge =
                            placements
                                    .of(bucket)
                                    .partAt(at)
                                    .map(part -> part.cube() == known.source())
                                    .orElse(known.phase() == MovePhase.CLEARING);
                    return buckets.routing().slot(isMerge ? known.target() : known.source());
                },
                () -> beginnings.merge(bucket, at));
    }

    /**
     * Begins a move, or continues or gives up the one that the bucket has.
     *
     * @param first first key of the range; empty for the whole bucket
     * @param wanted returns the cube that the keys shall be in, given the move that the bucket has
     */
    private Move start(
            BucketName bucket,
            Optional<ObjectKey> first,
            Function<MoveRow, CubeSlot> wanted,
            CubeSlot.Task<MoveRow> beginning)
            throws IOException {
        cubes.requireSystem();
        Optional<MoveRow> before = find(bucket).filter(each -> each.range().first().equals(first));
        if (before.isPresent() && wanted.apply(before.get()).number() == before.get().source()) {
            // Outside of the lock, for which its last pass may wait.
            stop(bucket);
        }
        return buckets.whileUnchanged(
                () -> {
                    Optional<MoveRow> known = find(bucket);
                    if (known.isEmpty()) {
                        // The thread of the last move may still be about to end.
                        Optional.ofNullable(running.get(bucket)).ifPresent(BucketMoves::join);
                    }
                    MoveRow row =
                            known.isEmpty()
                                    ? beginning.run()
                                    : again(bucket, first, wanted, requireHere(known.get()));
                    run(bucket, row);
                    return move(bucket, row);
                });
    }

    private MoveRow requireHere(MoveRow row) {
        buckets.routing().slot(row.source()).requireHere();
        buckets.routing().slot(row.target()).requireHere();
        return row;
    }

    private Optional<MoveRow> find(BucketName bucket) {
        return Optional.ofNullable(placements.moves().get(bucket));
    }

    /** Returns whether a range of the keys of a bucket moves. */
    boolean isMoving(BucketName bucket) {
        return find(bucket).isPresent();
    }

    /** Resumes a move, or gives it up. */
    private MoveRow again(
            BucketName bucket,
            Optional<ObjectKey> first,
            Function<MoveRow, CubeSlot> wanted,
            MoveRow row)
            throws IOException {
        boolean isSame = row.range().first().equals(first);
        int target = isSame ? wanted.apply(row).number() : NOWHERE;
        if (target == row.target() && row.phase() != MovePhase.ABANDONING) {
            return row;
        }
        if (target != row.source() || row.phase() == MovePhase.CLEARING) {
            throw CubeRegistry.refused(
                    "bucket "
                            + bucket.value()
                            + row.range().first().map(key -> " from key " + key.value()).orElse("")
                            + " is being moved to cube "
                            + nameOf(row.target())
                            + ": wait for the end, or give that up with a move to cube "
                            + nameOf(row.source()));
        }
        MoveRow given = row.in(MovePhase.ABANDONING);
        placements.putMove(bucket, given);
        return given;
    }

    /** Returns an open cube as one that keys move from or to. */
    static MoveSide side(CubeSlot slot) throws IOException {
        return slot.call(catalog -> catalog.copies().side());
    }

    /**
     * Removes the buckets that a move left there from a cube that was opened. Call it before the
     * cube serves.
     */
    static void tidy(Placements placements, int cube, MoveSide side) throws IOException {
        for (Map.Entry<BucketName, MoveRow> each : placements.moves().entrySet()) {
            MoveRow row = each.getValue();
            if (row.cleared() == cube && BucketMoveTask.isLeft(placements, each.getKey(), row)) {
                BucketHandOver.disown(side, each.getKey(), row.bucketId());
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

    /** Stops all moves, before their rows in the system cube are another node's. */
    void pauseAll() {
        placements.moves().keySet().forEach(this::stop);
    }

    private void stop(BucketName bucket) {
        Running now = running.get(bucket);
        if (now != null) {
            now.isStopped = true;
            join(now);
        }
    }

    private static void join(Running move) {
        move.thread.ifPresent(UninterruptibleJoin::join);
    }

    private void run(BucketName bucket, MoveRow row, Running now) {
        try {
            MoveRow next =
                    new BucketMoveTask(
                                    cubes, buckets, placements, bucket, () -> !now.isStopped, now)
                            .run(row);
            LOG.info(
                    "the move of bucket {} to cube {} is {}",
                    bucket.value(),
                    nameOf(next.target()),
                    next.phase() == MovePhase.CLEARING ? "done" : "given up");
        } catch (IOException | RuntimeException e) {
            failures.put(bucket, String.valueOf(e.getMessage()));
            LOG.warn(
                    "the move of bucket {} to cube {} does not go on; repair the cause, then repeat"
                            + " the command",
                    bucket.value(),
                    nameOf(row.target()),
                    e);
        } finally {
            running.remove(bucket, now);
        }
    }
}
