package io.volute.storage.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.io.DurableFile.Readers;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFileTest {
    private final FileSystem files = new OsFileSystem();

    @TempDir private Path directory;

    @Test
    void whatCannotBeWrittenWholeLeavesWhatWasThere() throws IOException {
        Path file = directory.resolve("file");
        DurableFile.write(files, file, out -> out.write(new byte[] {1, 2, 3}));
        assertThatThrownBy(
                        () ->
                                DurableFile.write(
                                        files,
                                        file,
                                        out -> {
                                            out.write(4);
                                            throw new IOException("no more");
                                        }))
                .hasMessage("no more");
        assertThat(file).hasBinaryContent(new byte[] {1, 2, 3});
        // What a crash left aside is not in the way.
        Files.write(directory.resolve("file.new"), new byte[] {6, 6});
        DurableFile.write(files, file, out -> out.write(5));
        assertThat(file).hasBinaryContent(new byte[] {5});
        assertThat(directory.toFile().list()).containsExactly("file");
    }

    @Test
    void aDirectoryInTheWayIsNotRemoved() throws IOException {
        Path inTheWay = Files.createDirectory(directory.resolve("file.new"));
        assertThatThrownBy(
                        () ->
                                DurableFile.write(
                                        files, directory.resolve("file"), out -> out.write(1)))
                .isInstanceOf(IOException.class);
        assertThat(inTheWay).isDirectory();
        assertThat(directory.resolve("file")).doesNotExist();
    }

    @Test
    void whatIsNotRightIsNotKept() {
        Path file = directory.resolve("file");
        assertThatThrownBy(
                        () ->
                                DurableFile.write(
                                        files,
                                        file,
                                        Readers.USUAL,
                                        out -> out.write(1),
                                        whole -> {
                                            assertThat(whole).hasBinaryContent(new byte[] {1});
                                            throw new IOException("wrong");
                                        }))
                .hasMessage("wrong");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void hasItsAttributesBeforeItsBytes() throws IOException {
        Path file = directory.resolve("secret");
        DurableFile.write(
                files,
                file,
                Readers.OWNER,
                out ->
                        assertThat(Files.getPosixFilePermissions(directory.resolve("secret.new")))
                                .isEqualTo(PosixFilePermissions.fromString("rw-------")),
                any -> {});
        assertThat(Files.getPosixFilePermissions(file))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void aNewFileReplacesNothing() throws IOException {
        Path file = directory.resolve("secret");
        Random random = new Random(1);
        DurableFile.create(files, file, Readers.OWNER, out -> out.write(1), random);
        assertThatThrownBy(
                        () ->
                                DurableFile.create(
                                        files, file, Readers.OWNER, out -> out.write(2), random))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(file).hasBinaryContent(new byte[] {1});
        assertThat(directory.toFile().list()).containsExactly("secret");
        assertThat(Files.getPosixFilePermissions(file))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
}
