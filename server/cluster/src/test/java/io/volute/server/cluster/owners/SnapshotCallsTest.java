package io.volute.server.cluster.owners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.backup.OtherCubes.Snapshot;
import io.volute.server.backup.OtherCubes.Taken;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.s3.S3TestBed;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeMaintenance.LogSnapshot;
import io.volute.storage.CubeMaintenance.SegmentFile;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Opened;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots that a node takes of a cube of another one. */
class SnapshotCallsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final Owner OWNER = new Owner("node1:9001", 7);
    private static final Family FAMILY = ObjectStores.families().getFirst();

    @TempDir private Path directory;

    private final AtomicLong nanos = new AtomicLong(5);
    private Optional<StoreCubes> running = Optional.empty();
    private Optional<Owner> owner = Optional.of(OWNER);
    private final HeldSnapshots held = new HeldSnapshots(() -> running, new Random(1), nanos::get);
    private final SnapshotCalls calls =
            new SnapshotCalls(
                    (to, operation, content, limit) -> {
                        assertThat(to).isEqualTo(OWNER);
                        return held.operations().get(operation).handle(content);
                    },
                    cube -> owner,
                    Duration.ofSeconds(9),
                    nanos::get);
    private Cube cube;

    @BeforeEach
    void open() throws IOException {
        cube = S3TestBed.cube(directory, () -> NOW);
        byte[] content = new byte[400_000];
        new Random(3).nextBytes(content);
        for (byte key = 0; key < 8; key++) {
            PendingBlob blob;
            try (BlobWriter writer = cube.newBlob(OptionalLong.empty())) {
                writer.write(ByteBuffer.wrap(content));
                blob = writer.finish();
            }
            Transaction write =
                    new Transaction()
                            .put(
                                    FAMILY,
                                    new byte[] {key},
                                    new byte[0],
                                    new byte[0],
                                    List.of(blob.id()))
                            .add(blob);
            cube.commit(write).join();
        }
        has(cube);
    }

    /** Makes it the only cube of the node. */
    private void has(Cube open) {
        running =
                Optional.of(
                        proxy(
                                StoreCubes.class,
                                "opened",
                                List.of(new Opened("hot", 1, open, null)),
                                this));
    }

    @AfterEach
    void close() throws IOException {
        held.close();
        cube.close();
    }

    /** Returns something of which one method has this result. */
    private static <T> T proxy(Class<T> type, String changed, Object result, Object other) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals(changed)) {
                                return result;
                            }
                            try {
                                return method.invoke(other, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    private static byte[] read(LogSnapshot snapshot, SegmentFile file) throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) file.bytes() + 10);
        int read = snapshot.read(file, 0, all);
        byte[] bytes = new byte[read];
        all.flip().get(bytes);
        return bytes;
    }

    @Test
    @Tag("slow")
    void aSnapshotHasWhatTheOwnerHas() throws Exception {
        Taken taken = calls.snapshot("hot");
        assertThat(taken.sequence()).isEqualTo(cube.lastSequence());
        try (LogSnapshot there = taken.log();
                LogSnapshot here = cube.snapshot()) {
            assertThat(there.files()).isEqualTo(here.files());
            assertThat(there.files()).hasSizeGreaterThan(2);
            for (SegmentFile each : here.files()) {
                byte[] bytes = read(there, each);
                assertThat(bytes).isEqualTo(read(here, each));
                there.release(each);
            }
            assertThat(there.heldBytes()).isZero();
        }
        assertThatThrownBy(() -> read(taken.log(), taken.log().files().getFirst()))
                .hasMessageContaining("given back: begin the backup again");
    }

    @Test
    void anotherSnapshotTakesThePlaceOfAnEarlierOne() throws Exception {
        LogSnapshot first = calls.snapshot("hot").log();
        LogSnapshot second = calls.snapshot("hot").log();
        SegmentFile file = second.files().getFirst();
        assertThatThrownBy(() -> read(first, file)).hasMessageContaining("given back");
        first.close();
        assertThat(read(second, file)).isNotEmpty();
    }

    @Test
    void aSnapshotThatNobodyUsesIsGivenBack() throws Exception {
        LogSnapshot snapshot = calls.snapshot("hot").log();
        SegmentFile file = snapshot.files().getFirst();
        nanos.addAndGet(HeldSnapshots.UNUSED_NANOS - 1);
        held.look();
        assertThat(read(snapshot, file)).isNotEmpty();
        nanos.addAndGet(HeldSnapshots.UNUSED_NANOS - 1);
        held.look();
        assertThat(read(snapshot, file)).isNotEmpty();
        nanos.addAndGet(HeldSnapshots.UNUSED_NANOS);
        held.look();
        assertThatThrownBy(() -> read(snapshot, file)).hasMessageContaining("given back");
    }

    /** While other cubes are sent, nothing of it is read. */
    @Test
    void aSnapshotIsHeldWhileNothingOfItIsRead() throws Exception {
        Snapshot snapshot = calls.snapshot("hot").log();
        SegmentFile file = snapshot.files().getFirst();
        for (int minutes = 0; minutes < 30; minutes++) {
            nanos.addAndGet(SnapshotCalls.HOLD_NANOS);
            snapshot.hold();
            held.look();
        }
        assertThat(read(snapshot, file)).isNotEmpty();
        nanos.addAndGet(HeldSnapshots.UNUSED_NANOS);
        held.look();
        assertThatThrownBy(snapshot::hold).hasMessageContaining("given back");
    }

    @Test
    void theSpaceOfClientsIsNotHeld() throws Exception {
        LogSnapshot real = cube.snapshot();
        LogSnapshot full = proxy(LogSnapshot.class, "heldBytes", 1L << 60, real);
        has(proxy(Cube.class, "snapshot", full, cube));
        LogSnapshot snapshot = calls.snapshot("hot").log();
        SegmentFile file = snapshot.files().getFirst();
        assertThatThrownBy(() -> read(snapshot, file)).hasMessageContaining("free for clients");
        assertThatThrownBy(() -> read(snapshot, file)).hasMessageContaining("given back");
        LogSnapshot idle = calls.snapshot("hot").log();
        held.look();
        assertThatThrownBy(() -> read(idle, file)).hasMessageContaining("given back");
    }

    @Test
    void refusalsNameWhatIsWrong() throws Exception {
        LogSnapshot snapshot = calls.snapshot("hot").log();
        SegmentFile none = new SegmentFile("none", snapshot.files().getFirst().kind(), 10, 10, 10);
        assertThatThrownBy(() -> read(snapshot, none)).hasMessageContaining("no file none");
        assertThatThrownBy(() -> calls.snapshot("cold")).hasMessage("cube cold is not open there");
        owner = Optional.empty();
        assertThatThrownBy(() -> calls.snapshot("hot"))
                .hasMessage("no node has cube hot now, and a backup needs all cubes");
        owner = Optional.of(OWNER);
        running = Optional.empty();
        assertThatThrownBy(() -> calls.snapshot("hot")).hasMessageContaining("not open");
    }
}
