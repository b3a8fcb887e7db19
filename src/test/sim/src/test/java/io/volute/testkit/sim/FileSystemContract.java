package io.volute.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.FileSystem.DirectoryLock;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link FileSystem} does when nothing fails. Run over the real one and over the
 * simulated one, so that the simulated one stays honest.
 */
public abstract class FileSystemContract {
    private FileSystem files;
    private Path root;

    /** An empty file system. */
    protected abstract FileSystem newFileSystem() throws IOException;

    /** A directory that exists in it and is empty. */
    protected abstract Path newRoot() throws IOException;

    @BeforeEach
    void open() throws IOException {
        files = newFileSystem();
        root = newRoot();
    }

    @Test
    void readsBackWhatWasWritten() throws IOException {
        byte[] bytes = randomBytes(10_000, 1);
        try (StoredFile file = files.create(root.resolve("a"))) {
            file.write(ByteBuffer.wrap(bytes), 0, WriteCause.CLIENT_DATA);
            assertThat(file.size()).isEqualTo(10_000);
            file.force();
        }
        try (StoredFile file = files.open(root.resolve("a"), Access.READ)) {
            assertThat(read(file, 0, 10_000)).isEqualTo(bytes);
            assertThat(read(file, 4_000, 200)).isEqualTo(Arrays.copyOfRange(bytes, 4_000, 4_200));
        }
    }

    @Test
    void takesDirectBuffersAndTheirRemainingBytesOnly() throws IOException {
        ByteBuffer source = ByteBuffer.allocateDirect(64);
        for (int i = 0; i < 64; i++) {
            source.put((byte) i);
        }
        source.position(10).limit(20);
        try (StoredFile file = files.create(root.resolve("a"))) {
            file.write(source, 5, WriteCause.CLIENT_DATA);
            assertThat(source.remaining()).isZero();
            assertThat(file.size()).isEqualTo(15);
            ByteBuffer target = ByteBuffer.allocateDirect(100);
            target.position(50);
            assertThat(file.read(target, 5)).isEqualTo(10);
            assertThat(target.position()).isEqualTo(60);
            assertThat(target.get(50)).isEqualTo((byte) 10);
            assertThat(target.get(59)).isEqualTo((byte) 19);
        }
    }

    @Test
    void gapsReadAsZeros() throws IOException {
        try (StoredFile file = files.create(root.resolve("a"))) {
            file.write(ByteBuffer.wrap(new byte[] {7}), 9_000, WriteCause.CLIENT_DATA);
            byte[] expected = new byte[9_001];
            expected[9_000] = 7;
            assertThat(read(file, 0, 9_001)).isEqualTo(expected);
        }
    }

    @Test
    void overlappingWritesLeaveTheLatest() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        byte[] expected = new byte[50_000];
        try (StoredFile file = files.create(root.resolve("a"))) {
            for (int i = 0; i < 200; i++) {
                int offset = random.nextInt(40_000);
                byte[] bytes = randomBytes(random.nextInt(10_000), i);
                file.write(ByteBuffer.wrap(bytes), offset, WriteCause.CLIENT_DATA);
                System.arraycopy(bytes, 0, expected, offset, bytes.length);
                if (i % 10 == 0) {
                    file.force();
                }
            }
            int size = (int) file.size();
            assertThat(read(file, 0, size)).isEqualTo(Arrays.copyOf(expected, size));
        }
    }

    @Test
    void readsEndAtTheEndOfTheFile() throws IOException {
        try (StoredFile file = files.create(root.resolve("a"))) {
            file.write(ByteBuffer.wrap(new byte[10]), 0, WriteCause.CLIENT_DATA);
            assertThat(file.read(ByteBuffer.allocate(100), 4)).isEqualTo(6);
            assertThat(file.read(ByteBuffer.allocate(100), 10)).isZero();
            assertThat(file.read(ByteBuffer.allocate(100), 1_000)).isZero();
            assertThat(file.read(ByteBuffer.allocate(0), 0)).isZero();
        }
    }

    @Test
    void punchedRangesReadAsZerosAndKeepTheLength() throws IOException {
        byte[] bytes = randomBytes(20_000, 4);
        try (StoredFile file = files.create(root.resolve("a"))) {
            file.write(ByteBuffer.wrap(bytes), 0, WriteCause.CLIENT_DATA);
            if (file.punch(4_096, 8_192)) {
                Arrays.fill(bytes, 4_096, 4_096 + 8_192, (byte) 0);
            }
            assertThat(file.size()).isEqualTo(20_000);
            assertThat(read(file, 0, 20_000)).isEqualTo(bytes);
        }
    }

    @Test
    void knowsWhatTakesSpace() throws IOException {
        try (StoredFile file = files.create(root.resolve("a"))) {
            file.write(ByteBuffer.wrap(randomBytes(20_000, 5)), 0, WriteCause.CLIENT_DATA);
            file.force();
            assertThat(file.allocatedBytes(0, 20_000)).isEqualTo(20_000);
            if (file.punch(4_096, 8_192)) {
                assertThat(file.allocatedBytes(0, 20_000)).isEqualTo(20_000 - 8_192);
                assertThat(file.allocatedBytes(8_192, 8_192)).isEqualTo(4_096);
                assertThat(file.punch(4_096, 8_192)).isTrue();
            }
            assertThat(file.allocatedBytes(16_384, 100_000)).isEqualTo(20_000 - 16_384);
            assertThat(file.allocatedBytes(20_000, 4_096)).isZero();
        }
    }

    @Test
    void punchesThroughWritersOnly() throws IOException {
        writeFile("a", 1);
        try (StoredFile file = files.open(root.resolve("a"), Access.READ)) {
            assertThatThrownBy(() -> file.punch(0, 4_096)).isInstanceOf(Exception.class);
            assertThat(file.allocatedBytes(0, 1)).isEqualTo(1);
        }
    }

    @Test
    void refusesToWriteThroughAReader() throws IOException {
        files.create(root.resolve("a")).close();
        try (StoredFile file = files.open(root.resolve("a"), Access.READ)) {
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 0, WriteCause.CLIENT_DATA))
                    .isInstanceOf(Exception.class);
            assertThat(file.size()).isZero();
        }
    }

    @Test
    void aClosedFileRefusesEverything() throws IOException {
        StoredFile file = files.create(root.resolve("a"));
        file.close();
        file.close();
        assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 0, WriteCause.CLIENT_DATA))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(file::force).isInstanceOf(IOException.class);
    }

    @Test
    void createsOnlyWhatIsNotThere() throws IOException {
        files.create(root.resolve("a")).close();
        assertThatThrownBy(() -> files.create(root.resolve("a")))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> files.create(root.resolve("none/a")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void opensOnlyWhatIsThere() {
        assertThatThrownBy(() -> files.open(root.resolve("a"), Access.READ))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> files.open(root.resolve("a"), Access.READ_WRITE))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void listsNamesInOrder() throws IOException {
        for (String name : new String[] {"b", "a", "c"}) {
            files.create(root.resolve(name)).close();
        }
        files.createDirectories(root.resolve("d/e/f"));
        files.createDirectories(root.resolve("d/e/f"));
        assertThat(files.list(root)).containsExactly("a", "b", "c", "d");
        assertThat(files.list(root.resolve("d/e"))).containsExactly("f");
        assertThat(files.list(root.resolve("none"))).isEmpty();
        assertThat(files.exists(root.resolve("d/e"))).isTrue();
        assertThat(files.exists(root.resolve("none"))).isFalse();
    }

    @Test
    void renamesOverTheTarget() throws IOException {
        writeFile("source", 1);
        writeFile("target", 2);
        files.rename(root.resolve("source"), root.resolve("target"));
        files.forceDirectory(root);
        assertThat(files.list(root)).containsExactly("target");
        try (StoredFile file = files.open(root.resolve("target"), Access.READ)) {
            assertThat(read(file, 0, 1)).containsExactly(1);
        }
        assertThatThrownBy(() -> files.rename(root.resolve("source"), root.resolve("other")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void renamesBetweenDirectories() throws IOException {
        files.createDirectories(root.resolve("d"));
        writeFile("source", 1);
        files.rename(root.resolve("source"), root.resolve("d/target"));
        assertThat(files.list(root)).containsExactly("d");
        assertThat(files.list(root.resolve("d"))).containsExactly("target");
    }

    @Test
    void anOpenFileOutlivesItsName() throws IOException {
        writeFile("a", 5);
        try (StoredFile file = files.open(root.resolve("a"), Access.READ_WRITE)) {
            files.rename(root.resolve("a"), root.resolve("b"));
            file.write(ByteBuffer.wrap(new byte[] {6}), 1, WriteCause.CLIENT_DATA);
            files.delete(root.resolve("b"));
            assertThat(read(file, 0, 2)).containsExactly(5, 6);
            file.force();
        }
        assertThat(files.list(root)).isEmpty();
    }

    @Test
    void deletesFilesAndEmptyDirectories() throws IOException {
        writeFile("a", 1);
        files.createDirectories(root.resolve("d/e"));
        files.delete(root.resolve("a"));
        assertThatThrownBy(() -> files.delete(root.resolve("a")))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> files.delete(root.resolve("d")))
                .isInstanceOf(DirectoryNotEmptyException.class);
        files.delete(root.resolve("d/e"));
        assertThat(files.list(root.resolve("d"))).isEmpty();
    }

    @Test
    void locksExclude() throws IOException {
        Path path = root.resolve("lock");
        DirectoryLock held = files.lock(path);
        assertThatThrownBy(() -> files.lock(path)).isInstanceOf(IOException.class);
        held.close();
        files.lock(path).close();
    }

    @Test
    void knowsItsFreeSpace() throws IOException {
        assertThat(files.usableBytes(root)).isPositive();
    }

    private void writeFile(String name, int content) throws IOException {
        try (StoredFile file = files.create(root.resolve(name))) {
            file.write(ByteBuffer.wrap(new byte[] {(byte) content}), 0, WriteCause.CLIENT_DATA);
        }
    }

    private static byte[] read(StoredFile file, long offset, int bytes) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(bytes);
        assertThat(file.read(target, offset)).isEqualTo(bytes);
        return target.array();
    }

    private static byte[] randomBytes(int count, long seed) {
        byte[] bytes = new byte[count];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }
}
