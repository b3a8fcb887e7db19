package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.roll;
import static io.volute.storage.cube.CubeFixture.stored;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.volute.storage.BlobId;
import io.volute.storage.BlobWriter;
import io.volute.storage.CubeMaintenance.Cleaning;
import io.volute.storage.CubeMaintenance.LogSnapshot;
import io.volute.storage.CubeMaintenance.SegmentFile;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A start from the files of a snapshot finds what was committed before, whatever came after. */
class SnapshotTest {
    private static final int KEYS = 40;

    private final CubeFixture fixture = new CubeFixture();

    /** Returns a store of nothing but the files of a snapshot. */
    private static CubeFixture copy(LogSnapshot snapshot) throws IOException {
        CubeFixture copy = new CubeFixture();
        copy.files.createDirectories(CubeFixture.LOG);
        for (SegmentFile file : snapshot.files()) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.bytes());
            assertThat(snapshot.read(file, 0, bytes)).isEqualTo(bytes.capacity());
            Path path = CubeFixture.LOG.resolve(file.name());
            try (StoredFile made = copy.files.create(path)) {
                made.write(bytes.flip(), 0, WriteCause.CHECKPOINT);
                ByteBuffer rest = ByteBuffer.allocate((int) (file.fileBytes() - file.bytes()));
                made.write(rest, file.bytes(), WriteCause.CHECKPOINT);
            }
            snapshot.release(file);
        }
        return copy;
    }

    private static Map<BlobId, byte[]> filled(LogCube cube, Random random) throws IOException {
        Map<BlobId, byte[]> blobs = new TreeMap<>((a, b) -> Long.compare(a.value(), b.value()));
        for (int i = 0; i < KEYS; i++) {
            // Inline, in the head; and in chunks, in a stream segment.
            byte[] content = CubeFixture.bytes(random, i % 2 == 0 ? 1500 : 9000);
            blobs.put(stored(cube, "k" + i, content), content);
        }
        return blobs;
    }

    @Test
    void outlivesOverwritingCleaningAndHoles() throws IOException {
        try (LogCube cube = fixture.open()) {
            Map<BlobId, byte[]> blobs = filled(cube, new Random(1));
            roll(cube);
            LogSnapshot snapshot = cube.snapshot();
            for (int i = 0; i < KEYS; i++) {
                cube.commit(i % 3 == 0 ? put("k" + i, "later") : delete("k" + i)).join();
            }
            roll(cube);
            cube.clean(Cleaning.COMBINED);
            cube.clean(Cleaning.COMPACT);
            cube.flushIndex();
            roll(cube);
            assertThat(snapshot.heldBytes()).as("segments have left the log").isPositive();
            CubeFixture copy = copy(snapshot);
            assertThat(snapshot.heldBytes()).isZero();
            snapshot.close();
            try (LogCube restored = copy.open()) {
                assertThat(restored.report().indexRebuilt()).isTrue();
                for (Map.Entry<BlobId, byte[]> each : blobs.entrySet()) {
                    assertThat(CubeFixture.read(restored, each.getKey()))
                            .isEqualTo(each.getValue());
                }
                assertThat(restored.check(1L << 40, progress -> true).problems()).isEmpty();
                stored(restored, "new", new byte[20]);
            }
        }
    }

    @Test
    void aReleasedFileIsReadNoMore() throws IOException {
        try (LogCube cube = fixture.open()) {
            cube.commit(put("k", "v")).join();
            try (LogSnapshot snapshot = cube.snapshot()) {
                SegmentFile file = snapshot.files().getFirst();
                snapshot.release(file);
                assertThatThrownBy(() -> snapshot.read(file, 0, ByteBuffer.allocate(1)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("released");
            }
        }
    }

    @Test
    void theSpaceOfAnUnfinishedUploadIsNotFinal() throws IOException {
        try (LogCube cube = fixture.open()) {
            stored(cube, "k", new byte[9000]);
            long settled = onlyStream(cube).finalBytes();
            assertThat(settled).isEqualTo(onlyStream(cube).bytes()).isGreaterThan(9000);
            try (BlobWriter upload = cube.newBlob(OptionalLong.empty())) {
                upload.write(ByteBuffer.wrap(new byte[9000]));
                stored(cube, "l", new byte[9000]);
                assertThat(onlyStream(cube).finalBytes()).isEqualTo(settled);
                assertThat(onlyStream(cube).bytes()).isGreaterThan(settled + 18_000);
            }
            assertThat(onlyStream(cube).finalBytes()).isEqualTo(onlyStream(cube).bytes());
        }
    }

    private static SegmentFile onlyStream(LogCube cube) throws IOException {
        try (LogSnapshot snapshot = cube.snapshot()) {
            return snapshot.files().stream()
                    .filter(file -> file.kind() == Kind.STREAM)
                    .reduce((a, b) -> fail("two stream segments"))
                    .orElseThrow();
        }
    }

    /** Values only grow. Each key must have a value between the one before and the one after. */
    @Test
    @Tag("slow")
    void isOfOneMomentBesideWritersAndCleaning() throws Exception {
        AtomicInteger acknowledged = new AtomicInteger();
        AtomicBoolean isOver = new AtomicBoolean();
        try (LogCube cube = fixture.open()) {
            Thread writer = Thread.ofPlatform().unstarted(() -> write(cube, acknowledged, isOver));
            Thread cleaner = Thread.ofPlatform().unstarted(() -> clean(cube, isOver));
            writer.start();
            cleaner.start();
            try {
                for (int round = 0; round < 20; round++) {
                    int from = acknowledged.get();
                    while (acknowledged.get() < from + KEYS) {
                        Thread.onSpinWait();
                    }
                    checkSnapshot(cube, acknowledged);
                }
            } finally {
                isOver.set(true);
                writer.join();
                cleaner.join();
            }
        }
    }

    private void checkSnapshot(LogCube cube, AtomicInteger acknowledged) throws IOException {
        int before = acknowledged.get();
        CubeFixture copy;
        List<SegmentFile> files;
        int after;
        try (LogSnapshot snapshot = cube.snapshot()) {
            after = acknowledged.get() + 1;
            files = snapshot.files();
            copy = copy(snapshot);
        }
        try (LogCube restored = copy.open()) {
            List<Integer> values = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                StoredRecord record =
                        restored.get(NAMES, utf8("k" + i))
                                .orElseThrow(() -> new AssertionError("a key is missing"));
                int value = ByteBuffer.wrap(record.summary()).getInt();
                values.add(value);
                CubeFixture.read(restored, record.references().getFirst());
            }
            int newest = values.stream().mapToInt(each -> each).max().orElseThrow();
            assertThat(newest).as("files %s", files).isBetween(before, after);
            assertThat(values)
                    .as("all writes up to one, and none after it")
                    .containsExactlyInAnyOrderElementsOf(lastOfEachKey(newest));
        }
    }

    private static List<Integer> lastOfEachKey(int newest) {
        List<Integer> values = new ArrayList<>();
        for (int value = newest; value > newest - KEYS; value--) {
            values.add(value);
        }
        return values;
    }

    private static void write(LogCube cube, AtomicInteger acknowledged, AtomicBoolean isOver) {
        Random random = new Random(2);
        try {
            for (int value = 1; !isOver.get(); value++) {
                byte[] content = CubeFixture.bytes(random, value % 5 == 0 ? 9000 : 700);
                var blob = CubeFixture.blob(cube, content);
                byte[] summary = ByteBuffer.allocate(4).putInt(value).array();
                cube.commit(
                                new Transaction()
                                        .put(
                                                NAMES,
                                                utf8("k" + value % KEYS),
                                                summary,
                                                new byte[0],
                                                List.of(blob.id()))
                                        .add(blob))
                        .join();
                acknowledged.set(value);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void clean(LogCube cube, AtomicBoolean isOver) {
        try {
            while (!isOver.get()) {
                cube.clean(Cleaning.COMBINED);
                cube.clean(Cleaning.COMPACT);
                cube.flushIndex();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
