package io.volute.distribution.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Temporary directories of verifications: a whole store may be in one. */
class ScratchTest {
    private final FileSystem files = new OsFileSystem();
    @TempDir private Path place;

    private long entries() throws IOException {
        try (Stream<Path> all = Files.list(place)) {
            return all.count();
        }
    }

    /** Makes the directory of a run that was killed. */
    private Path left() throws IOException {
        Path left = Files.createDirectory(place.resolve("volute-verify-left"));
        Files.createFile(left.resolve("LOCK"));
        Files.createDirectories(left.resolve("data/cubes"));
        Files.writeString(left.resolve("data/cubes/segment"), "bytes of objects");
        return left;
    }

    @Test
    void theEndDeletesAll() throws IOException {
        try (Scratch scratch = Scratch.make(files, place)) {
            assertThat(scratch.data()).doesNotExist();
            Files.createDirectories(scratch.data().resolve("cubes"));
            Files.writeString(scratch.data().resolve("cubes/segment"), "x");
        }
        assertThat(place).isEmptyDirectory();
    }

    /** Its files are those of the store, which others on the machine may not read. */
    @Test
    void nobodyElseReadsIt() throws IOException {
        try (Scratch scratch = Scratch.make(files, place)) {
            assertThat(Files.getPosixFilePermissions(scratch.data().getParent()))
                    .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void theNextRunDeletesWhatAKilledRunLeft() throws IOException {
        Path left = left();
        try (Scratch scratch = Scratch.make(files, place)) {
            assertThat(left).doesNotExist();
            assertThat(scratch.data().getParent()).exists();
        }
    }

    @Test
    void aRunBesideItKeepsItsDirectory() throws IOException {
        try (Scratch one = Scratch.make(files, place)) {
            Files.createDirectories(one.data());
            try (Scratch other = Scratch.make(files, place)) {
                assertThat(one.data()).exists();
                assertThat(other.data().getParent()).isNotEqualTo(one.data().getParent());
            }
            assertThat(one.data()).exists();
        }
        assertThat(entries()).isZero();
    }

    /** The place may be /var/tmp, where all users have files. */
    @Test
    void filesOfOthersStay(@TempDir Path elsewhere) throws IOException {
        Path other = Files.createDirectory(place.resolve("volute-verify-without-lock"));
        Path named = Files.createDirectory(place.resolve("photos"));
        Files.createFile(named.resolve("LOCK"));
        Path file = Files.createFile(elsewhere.resolve("LOCK"));
        Path link = Files.createSymbolicLink(place.resolve("volute-verify-link"), elsewhere);
        try (Scratch unused = Scratch.make(files, place)) {
            assertThat(other).exists();
            assertThat(named).exists();
        }
        assertThat(link).exists();
        assertThat(file).exists();
    }

    @Test
    void aPlaceThatIsMissingIsNamed() {
        Path missing = place.resolve("missing");
        assertThatThrownBy(() -> Scratch.make(files, missing))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining(missing.toString());
    }

    @Test
    void thePlaceIsNamedOrThatOfTheMachine() {
        Map<String, String> machine = Map.of("TMPDIR", "/big/tmp");
        assertThat(Scratch.place(Optional.of(Path.of("/a/../b")), machine))
                .isEqualTo(Path.of("/b"));
        assertThat(Scratch.place(Optional.empty(), machine)).isEqualTo(Path.of("/big/tmp"));
        assertThat(Scratch.place(Optional.empty(), Map.of("TMPDIR", "")))
                .isEqualTo(Scratch.place(Optional.empty(), Map.of()))
                .isAbsolute();
    }
}
