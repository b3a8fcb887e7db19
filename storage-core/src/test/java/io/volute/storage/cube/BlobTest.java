package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.DamagedException;
import io.volute.storage.MissingBlobException;
import io.volute.storage.PendingBlob;
import io.volute.storage.Place;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.blob.StagedBlob;
import io.volute.storage.format.LogEntry;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordRow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BlobTest {
    private final CubeFixture fixture = new CubeFixture();
    private final Random random = new Random(42);
    private LogCube cube;

    @BeforeEach
    void open() throws IOException {
        cube = fixture.open();
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
    }

    private byte[] bytes(int count) {
        return CubeFixture.bytes(random, count);
    }

    private BlobId stored(String key, byte[] content) throws IOException {
        return CubeFixture.stored(cube, key, content);
    }

    private void checkRanges(BlobId blob, byte[] content) throws IOException {
        try (BlobReader reader = cube.openBlob(blob)) {
            assertThat(reader.bytes()).isEqualTo(content.length);
            for (int i = 0; i < 200; i++) {
                int from = random.nextInt(content.length);
                int to = from + 1 + random.nextInt(content.length - from);
                assertThat(CubeFixture.readRange(reader, from, to))
                        .isEqualTo(Arrays.copyOfRange(content, from, to));
            }
            assertThatThrownBy(() -> reader.read(content.length, content.length, buffer(reader)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static ByteBuffer buffer(BlobReader reader) {
        return ByteBuffer.allocateDirect(reader.bufferBytes(0));
    }

    @Test
    void readsRangesOfAnInlineBlob() throws IOException {
        byte[] content = bytes(CubeFixture.INLINE_BYTES);
        checkRanges(stored("a", content), content);
    }

    @Test
    void readsRangesOfAStreamBlob() throws IOException {
        byte[] content = bytes(3 * CubeFixture.CHUNK_BYTES + 17);
        checkRanges(stored("a", content), content);
    }

    @Test
    void readsRangesOfNestedComposedBlobs() throws IOException {
        byte[] small = bytes(100);
        byte[] large = bytes(9000);
        BlobId one = stored("1", small);
        BlobId two = stored("2", large);
        BlobId empty = stored("3", new byte[0]);
        BlobId inner = new BlobId(cube.allocateId());
        BlobId outer = new BlobId(cube.allocateId());
        List<Transaction.Part> innerParts =
                List.of(part(two, 9000), part(empty, 0), part(one, 100), part(two, 9000));
        cube.commit(
                        put("c", "", outer)
                                .compose(inner, innerParts)
                                .compose(outer, List.of(part(one, 100), part(inner, 18100))))
                .join();
        for (String key : List.of("1", "2", "3")) {
            cube.commit(CubeFixture.delete(key)).join();
        }
        byte[] whole =
                ByteBuffer.allocate(18200).put(small).put(large).put(small).put(large).array();
        checkRanges(outer, whole);
        try (BlobReader reader = cube.openBlob(outer)) {
            assertThat(reader.parts()).hasSize(2);
            assertThat(reader.parts().get(1).blob()).isEqualTo(inner);
            assertThat(reader.parts().get(1).attributes()).isEqualTo(utf8("attributes"));
        }
        cube.commit(CubeFixture.delete("c")).join();
        assertThat(CubeFixture.references(cube)).isEmpty();
    }

    private static Transaction.Part part(BlobId blob, long bytes) {
        return new Transaction.Part(blob, bytes, utf8("attributes"));
    }

    @Test
    void emptyComposedBlobHasNothing() throws IOException {
        BlobId composed = new BlobId(cube.allocateId());
        cube.commit(put("c", "", composed).compose(composed, List.of())).join();
        assertThat(CubeFixture.read(cube, composed)).isEmpty();
    }

    @Test
    void expectedLengthChoosesTheRoute() throws IOException {
        try (BlobWriter writer = cube.newBlob(OptionalLong.of(10_000))) {
            writer.write(ByteBuffer.allocate(3000));
            assertThat(streams()).isEqualTo(1);
        }
        long before = cube.stats().streamForces();
        try (BlobWriter writer = cube.newBlob(OptionalLong.of(CubeFixture.INLINE_BYTES));
                PendingBlob blob = finished(writer, CubeFixture.INLINE_BYTES)) {
            assertThat(blob.bytes()).isEqualTo(CubeFixture.INLINE_BYTES);
        }
        assertThat(cube.stats().streamForces()).isEqualTo(before);
    }

    private static PendingBlob finished(BlobWriter writer, int bytes) throws IOException {
        writer.write(ByteBuffer.allocate(bytes));
        return writer.finish();
    }

    private long streams() {
        return cube.space().segments().stream()
                .filter(each -> each.kind() == SpaceReport.Kind.STREAM)
                .count();
    }

    @Test
    void longBodiesAreDurableWhenFinished() throws IOException {
        byte[] content = bytes(20_000);
        PendingBlob blob = CubeFixture.blob(cube, content);
        assertThat(cube.stats().streamForces()).isEqualTo(1);
        cube.commit(put("a", "", blob.id()).add(blob)).join();
        try (LogCube recovered = fixture.crashImage().open()) {
            assertThat(CubeFixture.read(recovered, blob.id())).isEqualTo(content);
        }
    }

    @Test
    void writerEndsOnce() throws IOException {
        try (BlobWriter writer = cube.newBlob(OptionalLong.empty())) {
            assertThat(finished(writer, 5).bytes()).isEqualTo(5);
            assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1)))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void streamWithoutBytesIsAnEmptyBlob() throws IOException {
        try (BlobWriter writer = cube.newBlob(OptionalLong.of(100_000))) {
            writer.write(ByteBuffer.allocate(0));
            PendingBlob blob = writer.finish();
            cube.commit(put("a", "", blob.id()).add(blob)).join();
            assertThat(CubeFixture.read(cube, blob.id())).isEmpty();
        }
    }

    @Test
    void missingBlobIsSaid() {
        assertThatThrownBy(() -> cube.openBlob(new BlobId(4711)))
                .isInstanceOf(MissingBlobException.class)
                .hasMessageContaining("4711");
    }

    @Test
    void detailIsVerifiedToBeTheRecordsOwn() throws IOException {
        cube.commit(
                        new Transaction()
                                .put(NAMES, utf8("a"), utf8(""), utf8("detail a"), List.of())
                                .put(NAMES, utf8("b"), utf8(""), utf8("detail b"), List.of()))
                .join();
        StoredRecord a = cube.get(NAMES, utf8("a")).orElseThrow();
        StoredRecord b = cube.get(NAMES, utf8("b")).orElseThrow();
        assertThat(cube.readDetail(NAMES, utf8("a"), a)).isEqualTo(utf8("detail a"));
        StoredRecord mixed =
                new StoredRecord(
                        a.sequence(), b.place(), a.summary(), a.detailBytes(), a.references());
        assertThatThrownBy(() -> cube.readDetail(NAMES, utf8("a"), mixed))
                .isInstanceOf(DamagedException.class);
        assertThat(cube.stats().damages()).isEqualTo(1);
    }

    @Test
    void indexRowThatPointsAtAnotherBlobIsDamage() throws IOException {
        BlobId one = stored("1", bytes(500));
        BlobId two = stored("2", bytes(500));
        Place wrong = cube.index().blob(two.value()).orElseThrow().entry();
        BlobRow row = new BlobRow(1, wrong, 500, new BlobRow.Inline());
        CubeFixture.spoil(
                cube,
                batch ->
                        batch.put(
                                cube.index().blobs(),
                                CubeIndex.blobKey(one.value()),
                                row.encode()));
        assertThatThrownBy(() -> CubeFixture.read(cube, one)).isInstanceOf(DamagedException.class);
    }

    @Test
    void recordRowStaysWithinItsBudget() {
        Place far = new Place(1_000_000, 64 << 20, 100_000);
        RecordRow row =
                new RecordRow(
                        1L << 42, far, 4000, List.of(1L << 42, (1L << 42) + 1), new byte[100]);
        assertThat(row.encode().length).isLessThanOrEqualTo(160);
    }

    @Test
    void rowsComeBackAsTheyWere() {
        for (int i = 0; i < 1000; i++) {
            Place place = new Place(1 + random.nextInt(1 << 20), random.nextInt(1 << 30), 1 + i);
            RecordRow record =
                    new RecordRow(
                            random.nextLong() >>> 1,
                            place,
                            random.nextInt(1 << 30),
                            List.of(random.nextLong() >>> 1, 3L),
                            bytes(random.nextInt(200)));
            RecordRow again = RecordRow.decode(record.encode());
            assertThat(again.summary()).isEqualTo(record.summary());
            assertThat(again)
                    .usingRecursiveComparison()
                    .ignoringFields("summary")
                    .isEqualTo(record);
            for (BlobRow.Content content :
                    List.of(
                            new BlobRow.Inline(),
                            new BlobRow.Stream(1 << 17, List.of(place, place)),
                            new BlobRow.Composed(List.of(4L, 9L, 1L << 50)))) {
                BlobRow blob = new BlobRow(random.nextInt(9), place, 1L << 40, content);
                assertThat(BlobRow.decode(blob.encode())).isEqualTo(blob);
            }
        }
    }

    @Test
    void memoryOfASlowUploadGrowsWithItsBytes() throws IOException {
        // Only the entry reveals it: a blob of a few bytes is committed with exactly those.
        PendingBlob blob = CubeFixture.blob(cube, bytes(3));
        LogEntry entry = StagedBlob.of(blob).toEntry(1);
        assertThat(((LogEntry.InlineBlob) entry).content().capacity()).isLessThanOrEqualTo(2048);
    }
}
