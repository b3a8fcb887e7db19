package io.volute.server.accesslog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that others move away. */
class RotatedFileTest {
    @TempDir private Path directory;

    private static void write(RotatedFile file, String text) throws IOException {
        file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void aFileThatWasMovedAwayIsBegunAnew() throws IOException {
        Path path = directory.resolve("access.log");
        Path moved = directory.resolve("access.log.1");
        try (RotatedFile file = new RotatedFile(path)) {
            write(file, "1\n");
            Files.move(path, moved);
            write(file, "2\n");
            assertThat(path).doesNotExist();
            file.look();
            write(file, "3\n");
        }
        assertThat(moved).hasContent("1\n2\n");
        assertThat(path).hasContent("3\n");
    }

    @Test
    void theFileThatWasPutInItsPlaceIsTaken() throws IOException {
        Path path = directory.resolve("access.log");
        try (RotatedFile file = new RotatedFile(path)) {
            write(file, "1\n");
            Files.move(path, directory.resolve("access.log.1"));
            Files.writeString(path, "of logrotate\n");
            file.look();
            write(file, "2\n");
        }
        assertThat(path).hasContent("of logrotate\n2\n");
    }

    @Test
    void aFileThatWasRemovedIsMadeAnew() throws IOException {
        Path path = directory.resolve("access.log");
        try (RotatedFile file = new RotatedFile(path)) {
            write(file, "1\n");
            Files.delete(path);
            file.look();
            write(file, "2\n");
        }
        assertThat(path).hasContent("2\n");
    }

    @Test
    void aFileThatWasEmptiedGoesOnAtItsBeginning() throws IOException {
        Path path = directory.resolve("access.log");
        try (RotatedFile file = new RotatedFile(path)) {
            write(file, "1\n");
            Files.write(path, new byte[0]);
            write(file, "2\n");
        }
        assertThat(path).hasContent("2\n");
    }

    @Test
    void whatIsThereStaysAndALineThatWasBegunIsEnded() throws IOException {
        Path path = Files.writeString(directory.resolve("access.log"), "whole\ntor");
        try (RotatedFile file = new RotatedFile(path)) {
            write(file, "1\n");
        }
        try (RotatedFile file = new RotatedFile(path)) {
            write(file, "2\n");
        }
        assertThat(path).hasContent("whole\ntor\n1\n2\n");
    }

    @Test
    void aNewFileIsForItsOwnerAndTheGroup() throws IOException {
        Path path = directory.resolve("access.log");
        try (RotatedFile file = new RotatedFile(path)) {
            write(file, "1\n");
        }
        assertThat(Files.getPosixFilePermissions(path))
                .contains(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE)
                .doesNotContain(
                        PosixFilePermission.OTHERS_READ,
                        PosixFilePermission.OTHERS_WRITE,
                        PosixFilePermission.GROUP_WRITE);
    }

    @Test
    void itIsTriedAgainWhenItCannotBeOpened() throws IOException {
        Path path = directory.resolve("later/access.log");
        try (RotatedFile file = new RotatedFile(path)) {
            assertThatThrownBy(file::look).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> write(file, "1\n")).isInstanceOf(IOException.class);
            Files.createDirectory(path.getParent());
            write(file, "1\n");
        }
        assertThat(path).hasContent("1\n");
    }
}
