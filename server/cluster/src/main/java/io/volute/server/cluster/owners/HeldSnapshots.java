package io.volute.server.cluster.owners;

import io.volute.server.Upkeep;
import io.volute.server.cluster.hop.NodeCallHandler.Operation;
import io.volute.server.cluster.owners.SnapshotMessages.End;
import io.volute.server.cluster.owners.SnapshotMessages.File;
import io.volute.server.cluster.owners.SnapshotMessages.Files;
import io.volute.server.cluster.owners.SnapshotMessages.Held;
import io.volute.server.cluster.owners.SnapshotMessages.Hold;
import io.volute.server.cluster.owners.SnapshotMessages.Page;
import io.volute.server.cluster.owners.SnapshotMessages.Read;
import io.volute.server.cluster.owners.SnapshotMessages.Wanted;
import io.volute.storage.Cube;
import io.volute.storage.CubeMaintenance.LogSnapshot;
import io.volute.storage.CubeMaintenance.SegmentFile;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Opened;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots of this node's cubes that the owner of the store backs up, one of each cube. One
 * that is not used for ten minutes is given back, because its user may be lost. Thread-safe.
 */
public final class HeldSnapshots implements Upkeep.Task, AutoCloseable {
    /** The pauses between two looks for snapshots that nobody uses. */
    public static final Upkeep.Pauses PAUSES = Upkeep.Pauses.of(Duration.ofMinutes(1));

    static final String TAKE = "take-snapshot";
    static final String FILES = "list-snapshot";
    static final String READ = "read-snapshot";
    static final String HOLD = "hold-snapshot";
    static final String END = "end-snapshot";

    /** Files of one page. */
    static final int PAGE_FILES = 10_000;

    /** Most bytes of one read. */
    static final int READ_BYTES = 1 << 20;

    static final long UNUSED_NANOS = Duration.ofMinutes(10).toNanos();

    private static final Logger LOG = LoggerFactory.getLogger(HeldSnapshots.class);

    private final Supplier<Optional<StoreCubes>> cubes;
    private final RandomGenerator random;
    private final LongSupplier nanos;

    /** The snapshots by the names of their cubes. */
    private final Map<String, Snapshot> held = new ConcurrentHashMap<>();

    /**
     * @param cubes returns those of the server that this node runs; empty while there is none
     * @param random thread-safe and unpredictable
     * @param nanos a clock that only goes forward
     */
    public HeldSnapshots(
            Supplier<Optional<StoreCubes>> cubes, RandomGenerator random, LongSupplier nanos) {
        this.cubes = cubes;
        this.random = random;
        this.nanos = nanos;
    }

    /** One snapshot, which one call uses at a time. */
    private final class Snapshot {
        private final String id;
        private final Cube cube;
        private final LogSnapshot log;
        private final Map<String, SegmentFile> files = new LinkedHashMap<>();
        private final ReentrantLock lock = new ReentrantLock();
        private volatile long used;

        Snapshot(String id, Cube cube, LogSnapshot log) {
            this.id = id;
            this.cube = cube;
            this.log = log;
            log.files().forEach(each -> files.put(each.name(), each));
            used = nanos.getAsLong();
        }

        private <T> T using(Use<T> use) throws IOException {
            lock.lock();
            try {
                T result = use.of(this);
                used = nanos.getAsLong();
                return result;
            } finally {
                lock.unlock();
            }
        }

        private void close() {
            lock.lock();
            try {
                log.close();
            } finally {
                lock.unlock();
            }
        }
    }

    /** A use of a snapshot. */
    @FunctionalInterface
    private interface Use<T> {
        T of(Snapshot snapshot) throws IOException;
    }

    /** Returns the operations by which other nodes use the snapshots. */
    public Map<String, Operation> operations() {
        return Map.of(
                TAKE, content -> take(BucketMessages.decode(content, Wanted.class).cube()),
                FILES, content -> files(BucketMessages.decode(content, Files.class)),
                READ, content -> read(BucketMessages.decode(content, Read.class)),
                HOLD, content -> hold(BucketMessages.decode(content, Hold.class).id()),
                END, content -> end(BucketMessages.decode(content, End.class)));
    }

    /** Takes a snapshot in place of an earlier one of the cube. */
    private byte[] take(String name) throws IOException {
        giveBack(Optional.ofNullable(held.remove(name)));
        Cube cube =
                cubes.get().map(StoreCubes::opened).orElse(List.of()).stream()
                        .filter(each -> each.name().equals(name))
                        .map(Opened::cube)
                        .findFirst()
                        .orElseThrow(() -> new IOException("cube " + name + " is not open there"));
        // Before the snapshot, which then has at least these commits.
        long sequence = cube.lastSequence();
        byte[] id = new byte[16];
        random.nextBytes(id);
        Snapshot snapshot = new Snapshot(HexFormat.of().formatHex(id), cube, cube.snapshot());
        giveBack(Optional.ofNullable(held.put(name, snapshot)));
        return BucketMessages.encode(new Held(snapshot.id, sequence));
    }

    private Snapshot snapshot(String id) throws IOException {
        return held.values().stream()
                .filter(each -> each.id.equals(id))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IOException(
                                        "the snapshot was given back: begin the backup again"));
    }

    private byte[] files(Files wanted) throws IOException {
        return snapshot(wanted.id())
                .using(
                        snapshot ->
                                BucketMessages.encode(
                                        new Page(
                                                snapshot.log.files().stream()
                                                        .skip(wanted.from())
                                                        .limit(PAGE_FILES)
                                                        .map(File::of)
                                                        .toList())));
    }

    private byte[] read(Read wanted) throws IOException {
        if (wanted.length() < 0 || wanted.length() > READ_BYTES) {
            throw new IOException("a read of " + wanted.length() + " bytes");
        }
        return snapshot(wanted.id())
                .using(
                        snapshot -> {
                            requireRoom(snapshot);
                            ByteBuffer target = ByteBuffer.allocate(wanted.length());
                            int read =
                                    snapshot.log.read(
                                            file(snapshot, wanted.name()), wanted.offset(), target);
                            return Arrays.copyOf(target.array(), Math.max(read, 0));
                        });
    }

    private static SegmentFile file(Snapshot snapshot, String name) throws IOException {
        SegmentFile file = snapshot.files.get(name);
        if (file == null) {
            throw new IOException("the snapshot has no file " + name);
        }
        return file;
    }

    /** Notes that a snapshot is in use, although nothing of it is read now. */
    private byte[] hold(String id) throws IOException {
        return snapshot(id)
                .using(
                        snapshot -> {
                            requireRoom(snapshot);
                            return new byte[0];
                        });
    }

    private void requireRoom(Snapshot snapshot) throws IOException {
        long bytes = snapshot.log.heldBytes();
        if (bytes > 0 && bytes > snapshot.cube.spaceAtGlance().totals().clientFree()) {
            held.values().remove(snapshot);
            snapshot.close();
            throw new IOException(
                    "the backup held "
                            + bytes
                            + " bytes of segments that the cube has cleaned, more than are free for"
                            + " clients, and gave them back. The next one continues with the data"
                            + " already sent; raise backup.rate, or free space");
        }
    }

    private byte[] end(End wanted) throws IOException {
        Snapshot snapshot = snapshot(wanted.id());
        if (wanted.name().isEmpty()) {
            held.values().remove(snapshot);
            snapshot.close();
        } else {
            snapshot.using(
                    one -> {
                        one.log.release(file(one, wanted.name()));
                        return one;
                    });
        }
        return new byte[0];
    }

    private static void giveBack(Optional<Snapshot> snapshot) {
        snapshot.ifPresent(Snapshot::close);
    }

    /** Gives back those that are not used any more, and those whose space clients need. */
    @Override
    public void look() {
        for (Map.Entry<String, Snapshot> each : held.entrySet()) {
            giveBackIfShort(each.getKey(), each.getValue());
            if (nanos.getAsLong() - each.getValue().used >= UNUSED_NANOS
                    && held.remove(each.getKey(), each.getValue())) {
                LOG.warn("the snapshot of cube {} is not used any more", each.getKey());
                each.getValue().close();
            }
        }
    }

    private void giveBackIfShort(String cube, Snapshot snapshot) {
        snapshot.lock.lock();
        try {
            requireRoom(snapshot);
        } catch (IOException | RuntimeException e) {
            LOG.warn("the snapshot of cube {}: {}", cube, e.getMessage());
        } finally {
            snapshot.lock.unlock();
        }
    }

    /** Gives back all. */
    @Override
    public void close() {
        held.values().forEach(Snapshot::close);
        held.clear();
    }
}
