package io.volute.storage.blob;

import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.MissingBlobException;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.storage.cube.CubeFixture;
import io.volute.storage.cube.LogCube;
import io.volute.storage.report.ImageStats;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CubeImagesTest {
    private final CubeFixture fixture = new CubeFixture();
    private final Random random = new Random(42);
    private LogCube cube;

    @BeforeEach
    void open() throws IOException {
        fixture.memory = new MemorySettings(1 << 20, 1000);
        cube = fixture.open();
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
        assertThat(cube.stats().images().space().allocatedBytes()).isZero();
    }

    private byte[] bytes(int count) {
        return CubeFixture.bytes(random, count);
    }

    private BlobId stored(String key, byte[] content) throws IOException {
        return CubeFixture.stored(cube, key, content);
    }

    private ImageStats images() {
        return cube.stats().images();
    }

    @Test
    void servesACommittedBlobFromMemory() throws IOException {
        byte[] content = bytes(1000);
        BlobId blob = stored("a", content);
        assertThat(CubeFixture.read(cube, blob)).isEqualTo(content);
        try (BlobReader reader = cube.openBlob(blob)) {
            assertThat(CubeFixture.readRange(reader, 17, 900))
                    .isEqualTo(Arrays.copyOfRange(content, 17, 900));
        }
        assertThat(images().reads()).isEqualTo(new ImageStats.Reads(2, 0, 0));
        assertThat(images().writes().written()).isEqualTo(1);
    }

    @Test
    void longBlobsStayOnTheDisk() throws IOException {
        byte[] inline = bytes(1001);
        byte[] stream = bytes(CubeFixture.INLINE_BYTES + 1);
        assertThat(CubeFixture.read(cube, stored("a", inline))).isEqualTo(inline);
        assertThat(CubeFixture.read(cube, stored("b", stream))).isEqualTo(stream);
        assertThat(images().writes().written()).isZero();
        assertThat(images().reads().hits()).isZero();
    }

    @Test
    void theLeavesOfAComposedBlobComeFromMemory() throws IOException {
        byte[] one = bytes(100);
        byte[] two = bytes(200);
        BlobId first = stored("1", one);
        BlobId second = stored("2", two);
        BlobId whole = new BlobId(cube.allocateId());
        List<Transaction.Part> parts =
                List.of(
                        new Transaction.Part(first, 100, new byte[0]),
                        new Transaction.Part(second, 200, new byte[0]));
        cube.commit(put("c", "", whole).compose(whole, parts)).join();
        byte[] read = CubeFixture.read(cube, whole);
        assertThat(Arrays.copyOf(read, 100)).isEqualTo(one);
        assertThat(Arrays.copyOfRange(read, 100, 300)).isEqualTo(two);
        assertThat(images().reads().hits()).isEqualTo(2);
    }

    @Test
    void aDeletedBlobLeavesMemoryAndItsOpenReaderGoesOn() throws IOException {
        byte[] content = bytes(500);
        BlobId blob = stored("a", content);
        try (BlobReader reader = cube.openBlob(blob)) {
            cube.commit(delete("a")).join();
            assertThat(images().writes().died()).isEqualTo(1);
            assertThat(images().space().entries()).isZero();
            assertThat(CubeFixture.readRange(reader, 0, 500)).isEqualTo(content);
        }
        assertThat(images().reads().hits()).isZero();
        assertThatThrownBy(() -> CubeFixture.read(cube, blob))
                .isInstanceOf(MissingBlobException.class);
    }

    @Test
    void theSecondReadFromTheDiskBringsItToMemory() throws IOException {
        byte[] content = bytes(500);
        BlobId blob = stored("a", content);
        cube.close();
        cube = fixture.open();
        for (int i = 0; i < 3; i++) {
            assertThat(CubeFixture.read(cube, blob)).isEqualTo(content);
        }
        assertThat(images().writes().admitted()).isEqualTo(1);
        assertThat(images().reads()).isEqualTo(new ImageStats.Reads(1, 2, 0));
    }

    @Test
    void aRefusedCommitBringsNothing() throws IOException {
        PendingBlob blob = CubeFixture.blob(cube, bytes(100));
        assertThatThrownBy(
                        () ->
                                cube.commit(put("a", "", blob.id(), new BlobId(4711)).add(blob))
                                        .join())
                .hasCauseInstanceOf(MissingBlobException.class);
        assertThat(images().space().entries()).isZero();
    }

    @Test
    void withoutMemoryEverythingComesFromTheDisk() throws IOException {
        byte[] content = bytes(500);
        BlobId blob = stored("a", content);
        cube.close();
        fixture.memory = MemorySettings.OFF;
        cube = fixture.open();
        assertThat(CubeFixture.read(cube, blob)).isEqualTo(content);
        assertThat(CubeFixture.read(cube, stored("b", content))).isEqualTo(content);
        assertThat(images()).isEqualTo(ImageStats.OFF);
    }

    @Test
    void manyOverwritesBesideReadsInATinyMemory() throws IOException {
        byte[][] contents = new byte[50][];
        BlobId[] blobs = new BlobId[contents.length];
        for (int i = 0; i < 4000; i++) {
            int key = random.nextInt(contents.length);
            contents[key] = bytes(1 + random.nextInt(1000));
            blobs[key] = stored("k" + key, contents[key]);
            int other = random.nextInt(contents.length);
            if (contents[other] != null) {
                assertThat(CubeFixture.read(cube, blobs[other])).isEqualTo(contents[other]);
            }
        }
        assertThat(images().space().entries()).isBetween(1, contents.length);
        assertThat(images().reads().hits()).isPositive();
        assertThat(images().reads().mismatches()).isZero();
        assertThat(images().space().allocatedBytes()).isLessThanOrEqualTo(1 << 20);
    }
}
