package io.volute.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.directory.CubeMark;
import io.volute.storage.io.OsFileSystem;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole storage core on real files with the real index. */
class CubesTest {
    private static final Family NAMES = new Family(1, "names");
    private static final int RECORDS = 500;

    @TempDir Path directory;

    private CubeOptions options() {
        return new CubeOptions(
                directory.resolve("cube"),
                new OsFileSystem(),
                InstantSource.system(),
                new Random(1),
                List.of(NAMES),
                new LogSettings(
                        1 << 20, 4096, 32 << 10, 1 << 20, 4 << 20, 4 << 20, OnDamage.REFUSE));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] content(int i) {
        byte[] bytes = new byte[i % 50 == 0 ? 100_000 : 1000];
        new Random(i).nextBytes(bytes);
        return bytes;
    }

    private static void fill(Cube cube) throws IOException {
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            try (BlobWriter writer = cube.newBlob(OptionalLong.empty())) {
                writer.write(ByteBuffer.wrap(content(i)));
                PendingBlob blob = writer.finish();
                futures.add(
                        cube.commit(
                                new Transaction()
                                        .add(blob)
                                        .put(
                                                NAMES,
                                                utf8("key" + i),
                                                utf8("summary " + i),
                                                utf8("detail " + i),
                                                List.of(blob.id()))));
            }
        }
        futures.forEach(CompletableFuture::join);
    }

    private static void check(Cube cube) throws IOException {
        for (int i = 0; i < RECORDS; i++) {
            StoredRecord record = cube.get(NAMES, utf8("key" + i)).orElseThrow();
            assertThat(record.summary()).isEqualTo(utf8("summary " + i));
            assertThat(cube.readDetail(NAMES, utf8("key" + i), record))
                    .isEqualTo(utf8("detail " + i));
            assertThat(read(cube, record.references().getFirst())).isEqualTo(content(i));
        }
    }

    private static byte[] read(Cube cube, BlobId blob) throws IOException {
        try (BlobReader reader = cube.openBlob(blob)) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.bytes());
            while (all.hasRemaining()) {
                ByteBuffer target = ByteBuffer.allocateDirect(reader.bufferBytes(all.position()));
                reader.read(all.position(), reader.bytes(), target);
                all.put(target);
            }
            return all.array();
        }
    }

    @Test
    void keepsEverythingOverACleanRestart() throws IOException {
        try (Cube cube = Cubes.open(options()).cube()) {
            fill(cube);
            check(cube);
            assertThat(cube.stats().bytesWritten().get(WriteCause.CLIENT_DATA)).isPositive();
            assertThat(cube.stats().commits()).isEqualTo(RECORDS);
            assertThat(cube.stats().batches()).isLessThanOrEqualTo(RECORDS);
        }
        Cubes.Opened opened = Cubes.open(options());
        try (Cube cube = opened.cube()) {
            assertThat(opened.report().cleanStart()).isTrue();
            check(cube);
        }
    }

    @Test
    void indexThatIsThrownAwayIsMadeAgain() throws IOException {
        try (Cube cube = Cubes.open(options()).cube()) {
            fill(cube);
        }
        Cubes.rebuildIndex(directory.resolve("cube"));
        assertThat(directory.resolve("cube").resolve("index")).doesNotExist();
        Cubes.Opened opened = Cubes.open(options());
        try (Cube cube = opened.cube()) {
            assertThat(opened.report().indexRebuilt()).isTrue();
            check(cube);
        }
    }

    @Test
    void indexThatIsGarbageIsMadeAgain() throws IOException {
        try (Cube cube = Cubes.open(options()).cube()) {
            fill(cube);
        }
        try (var files = Files.list(directory.resolve("cube").resolve("index"))) {
            for (Path file : files.toList()) {
                Files.writeString(file, "garbage");
            }
        }
        Cubes.Opened opened = Cubes.open(options());
        try (Cube cube = opened.cube()) {
            assertThat(opened.report().indexRebuilt()).isTrue();
            check(cube);
        }
    }

    @Test
    void segmentsWithoutTheMarkAndItsCopyAreRefused() throws IOException {
        Cubes.open(options()).cube().close();
        Path mark = directory.resolve("cube").resolve("cube.mark");
        byte[] good = Files.readAllBytes(mark);
        Files.delete(mark);
        Cubes.open(options()).cube().close();
        assertThat(mark).hasBinaryContent(good);
        Files.delete(mark);
        Files.delete(directory.resolve("cube").resolve("cube.mark.copy"));
        assertThatThrownBy(() -> Cubes.open(options()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cube.mark")
                .hasMessageContaining("restore that file from a backup");
    }

    @Test
    void theMarkOfAnotherCubeIsRefused() throws IOException {
        Cubes.open(options()).cube().close();
        Path mark = directory.resolve("cube").resolve("cube.mark");
        String other = Files.readString(mark);
        Files.move(mark, directory.resolve("kept"));
        Files.delete(directory.resolve("cube").resolve("cube.mark.copy"));
        new CubeMark(options().fileSystem(), directory.resolve("cube"), options().clock())
                .adopt(Optional.of(new UUID(1, 2)));
        Files.move(directory.resolve("kept"), mark, StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> Cubes.open(options()))
                .hasMessageContaining("remove the file that is of another cube");
        assertThat(mark).hasContent(other);
    }

    @Test
    void identityComesFromTheGivenRandomness() throws IOException {
        Cubes.open(options()).cube().close();
        String first = Files.readString(directory.resolve("cube").resolve("cube.mark"));
        Path other = directory.resolve("other");
        CubeOptions options = options();
        Cubes.open(
                        new CubeOptions(
                                other,
                                options.fileSystem(),
                                options.clock(),
                                new Random(2),
                                options.families(),
                                options.log()))
                .cube()
                .close();
        assertThat(Files.readString(other.resolve("cube.mark"))).isNotEqualTo(first);
    }
}
