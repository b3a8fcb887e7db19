package io.volute.server.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.backup.BackupSource.SourceFile;
import io.volute.server.deposit.BackupTarget;
import io.volute.server.deposit.DirectoryTarget;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Targets that earlier versions wrote can be read. {@code -Dgolden.write=DIRECTORY} writes those of
 * this version.
 */
class BackupGoldenTest {
    private static final Path GOLDEN = Path.of("src/test/resources/backup");
    private static final Instant NOW = Instant.parse("2026-11-26T10:00:00Z");
    private static final String NAME = "20261126T100000Z-000001";

    @TempDir private Path temporary;

    private static Optional<char[]> passphrase(String kind) {
        return kind.endsWith("encrypted")
                ? Optional.of("correct horse".toCharArray())
                : Optional.empty();
    }

    private static void write(BackupTarget target, String kind) throws IOException {
        Repository made =
                Repository.openOrCreate(
                        target, FixedSource.STORE, passphrase(kind), NOW, new SecureRandom());
        BackupJob job =
                new BackupJob(made, new BackupJob.Terms(NAME, NOW, "1.0"), (figures, bytes) -> {});
        job.begin(FixedSource.STORE);
        job.run(new FixedSource(), NOW);
    }

    private void check(BackupTarget target, String kind) throws IOException {
        Repository repository = Repository.open(target, passphrase(kind));
        assertThat(repository.snapshots()).containsExactly(NAME);
        Manifest manifest = repository.snapshot(NAME);
        assertThat(manifest.cubes()).isEqualTo(new FixedSource().cubes());
        assertThat(manifest.checkpoint()).isEqualTo(new FixedSource().checkpoint());
        assertThat(manifest.leftOut()).isEqualTo(new FixedSource().leftOut());
        assertThat(manifest.taken()).isEqualTo(NOW);
        assertThat(new Verification(repository, (files, total, bytes) -> {}).run(manifest))
                .isEmpty();
        Path directory = temporary.resolve(kind);
        new DataDirectoryRestore(repository, new OsFileSystem(), (files, total, bytes) -> {})
                .run(manifest, directory);
        for (SourceFile file : new FixedSource().files()) {
            ByteBuffer expected = ByteBuffer.allocate((int) file.bytes());
            file.content().read(0, expected);
            byte[] found = Files.readAllBytes(directory.resolve(file.path()));
            byte[] whole = Arrays.copyOf(expected.array(), (int) file.fileBytes());
            assertThat(Arrays.mismatch(found, whole)).as(file.path()).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1-plain", "v1-encrypted"})
    void golden(String kind) throws IOException {
        String directory = System.getProperty("golden.write");
        if (directory != null) {
            write(target(Path.of(directory).resolve(kind)), kind);
        }
        check(target(GOLDEN.resolve(kind)), kind);
    }

    private static BackupTarget target(Path directory) {
        return new DirectoryTarget(new OsFileSystem(), directory.toAbsolutePath());
    }

    @Test
    @Tag("slow")
    void thisVersionReadsWhatItWrites() throws IOException {
        MemoryTarget target = new MemoryTarget();
        write(target, "new-encrypted");
        check(target, "new-encrypted");
    }
}
