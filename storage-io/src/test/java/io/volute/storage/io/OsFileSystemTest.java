package io.volute.storage.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.volute.storage.io.FileSystem.Access;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OsFileSystemTest {
    private final OsFileSystem files = new OsFileSystem();
    @TempDir private Path directory;

    private static ByteBuffer bytes(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(values.length);
        for (int value : values) {
            buffer.put((byte) value);
        }
        return buffer.flip();
    }

    @Test
    void onlyTheOwnerEntersNewDirectories() throws IOException {
        Path made = directory.resolve("a/b");
        files.createDirectories(made);
        for (Path each : List.of(made, made.getParent())) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                    .isEqualTo("rwx------");
        }
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-x---"));
        files.createDirectories(made);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                .isEqualTo("rwxr-x---");
    }

    @Test
    void writesReadsRenamesAndLists() throws IOException {
        Path one = directory.resolve("b");
        try (StoredFile file = files.create(one)) {
            file.write(bytes(1, 2, 3), 5, WriteCause.CLIENT_DATA);
            file.writePadded(bytes(4, 0), 8, WriteCause.CLIENT_DATA, 1);
            file.force();
            assertThat(file.size()).isEqualTo(10);
            ByteBuffer target = ByteBuffer.allocate(20);
            assertThat(file.read(target, 4)).isEqualTo(6);
            assertThat(target.flip()).isEqualTo(bytes(0, 1, 2, 3, 4, 0));
        }
        files.rename(one, directory.resolve("c"));
        files.create(directory.resolve("a")).close();
        files.forceDirectory(directory);
        assertThat(files.list(directory)).containsExactly("a", "c");
        assertThat(files.list(directory.resolve("none"))).isEmpty();
        files.delete(directory.resolve("a"));
        assertThat(files.exists(directory.resolve("a"))).isFalse();
        assertThat(files.usableBytes(directory)).isPositive();
        assertThatThrownBy(() -> files.open(directory.resolve("a"), Access.READ))
                .isInstanceOf(NoSuchFileException.class);
    }

    /** On a file system without holes, the test is skipped with a message. */
    @Test
    void punchedPagesTakeNoSpace() throws IOException {
        try (StoredFile file = files.create(directory.resolve("a"))) {
            file.write(ByteBuffer.allocate(1 << 20), 0, WriteCause.CLIENT_DATA);
            file.force();
            assumeThat(file.punch(4096, 1 << 19)).as("holes can be punched here").isTrue();
            assertThat(file.allocatedBytes(0, 1 << 20)).isEqualTo((1 << 20) - (1 << 19));
            Thread.currentThread().interrupt();
            assertThat(file.punch(0, 4096)).isTrue();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(file.size()).isEqualTo(1 << 20);
            assertThatThrownBy(() -> file.punch(-4096, 4096))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("offset -4096")
                    .hasMessageContaining("Invalid argument");
        }
    }

    @Test
    void aClosedFileIsNotPunched() throws IOException {
        StoredFile file = files.create(directory.resolve("a"));
        file.close();
        assertThatThrownBy(() -> file.punch(0, 4096))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> file.allocatedBytes(0, 4096)).isInstanceOf(IOException.class);
    }

    /** The JDK closes a channel under an interrupted thread; the file must live on. */
    @Test
    void anInterruptedThreadDoesNotBreakTheFileForOthers() throws Exception {
        try (StoredFile file = files.create(directory.resolve("a"))) {
            AtomicBoolean flagKept = new AtomicBoolean();
            Thread thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        Thread.currentThread().interrupt();
                                        try {
                                            file.write(bytes(7), 0, WriteCause.CLIENT_DATA);
                                            file.force();
                                            file.read(ByteBuffer.allocate(1), 0);
                                            flagKept.set(Thread.currentThread().isInterrupted());
                                        } catch (IOException e) {
                                            throw new AssertionError(e);
                                        }
                                    });
            thread.join();
            assertThat(flagKept).isTrue();
            ByteBuffer target = ByteBuffer.allocate(1);
            assertThat(file.read(target, 0)).isEqualTo(1);
            assertThat(target.get(0)).isEqualTo((byte) 7);
        }
    }

    @Test
    void interruptsInTheMiddleOfReadsDoNotBreakTheFile() throws Exception {
        try (StoredFile file = files.create(directory.resolve("a"))) {
            file.write(ByteBuffer.allocate(1 << 20), 0, WriteCause.CLIENT_DATA);
            AtomicBoolean stop = new AtomicBoolean();
            AtomicBoolean failed = new AtomicBoolean();
            Thread reader =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        ByteBuffer target = ByteBuffer.allocateDirect(1 << 20);
                                        while (!stop.get()) {
                                            try {
                                                file.read(target.clear(), 0);
                                            } catch (IOException e) {
                                                failed.set(true);
                                            }
                                        }
                                    });
            ByteBuffer target = ByteBuffer.allocateDirect(4096);
            for (int i = 0; i < 2_000; i++) {
                reader.interrupt();
                assertThat(file.read(target.clear(), 0)).isEqualTo(4096);
            }
            stop.set(true);
            reader.join();
            assertThat(failed).isFalse();
        }
    }

    @Test
    void aLockNamesItsHolder() throws IOException {
        Path lock = directory.resolve("LOCK");
        FileSystem.DirectoryLock held = files.lock(lock);
        assertThat(Files.readString(lock).strip()).matches("[0-9]+");
        assertThatThrownBy(() -> files.lock(lock))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("this process")
                .hasMessageContaining("another data directory");
        held.close();
        files.lock(lock).close();
    }

    @Test
    void knowsWhatNoSpaceLooksLike() {
        assertThat(NoSpaceException.isNoSpace(new IOException("No space left on device"))).isTrue();
        assertThat(NoSpaceException.isNoSpace(new IOException("Disk quota exceeded"))).isTrue();
        assertThat(NoSpaceException.isNoSpace(new NoSpaceException("x", new IOException())))
                .isTrue();
        assertThat(NoSpaceException.isNoSpace(new IOException("Input/output error"))).isFalse();
        assertThat(NoSpaceException.isNoSpace(new IOException())).isFalse();
    }
}
