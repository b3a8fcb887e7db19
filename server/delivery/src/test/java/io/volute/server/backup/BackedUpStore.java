package io.volute.server.backup;

import io.volute.server.backup.Manifest.CutOfCube;
import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.CleaningSettings;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;

/** A data directory with a cube that a test fills. The keys have large and small blobs. */
final class BackedUpStore implements AutoCloseable {
    static final Family FAMILY = new Family(1, "names");
    static final Instant NOW = Instant.parse("2026-11-26T10:00:00Z");

    private static final int SEGMENT_BYTES = 256 << 10;

    final FileSystem files = new OsFileSystem();
    final Path path;
    final StoreDirectory directory;
    final Cube cube;
    private final Random random;

    BackedUpStore(Path path, long seed) throws IOException {
        this.path = path;
        random = new Random(seed);
        directory = StoreDirectory.open(path, files, InstantSource.fixed(NOW));
        cube =
                Cubes.open(
                                new CubeOptions(
                                        directory.cube("default"),
                                        files,
                                        InstantSource.system(),
                                        random,
                                        List.of(FAMILY),
                                        new LogSettings(
                                                SEGMENT_BYTES,
                                                16 << 10,
                                                16 << 10,
                                                16 << 20,
                                                4 << 20,
                                                4 << 20,
                                                OnDamage.REFUSE,
                                                CleaningSettings.onlyWhenAsked())))
                        .cube();
    }

    /** Writes a key with a body of so many random bytes. */
    void write(String key, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        PendingBlob blob;
        try (BlobWriter writer = cube.newBlob(OptionalLong.empty())) {
            writer.write(ByteBuffer.wrap(content));
            blob = writer.finish();
        }
        Transaction write =
                new Transaction()
                        .put(FAMILY, utf8(key), new byte[0], new byte[0], List.of(blob.id()))
                        .add(blob);
        cube.commit(write).join();
    }

    void fill(int keys) throws IOException {
        for (int i = 0; i < keys; i++) {
            write("key-" + i, i % 4 == 0 ? 40_000 : 3_000);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a hash of the body of each key. */
    Map<String, String> contents() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (var cursor = cube.scan(FAMILY, new byte[0], new byte[0])) {
            while (cursor.next()) {
                StoredRecord record = cursor.record();
                contents.put(
                        new String(cursor.key(), StandardCharsets.UTF_8),
                        Hashes.hex(read(record.references().getFirst())));
            }
        }
        return contents;
    }

    private byte[] read(BlobId blob) throws IOException {
        try (BlobReader reader = cube.openBlob(blob)) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.bytes());
            while (all.hasRemaining()) {
                ByteBuffer part = ByteBuffer.allocate(reader.bufferBytes(all.position()));
                reader.read(all.position(), all.capacity(), part);
                all.put(part);
            }
            return all.array();
        }
    }

    private StoreBackup backup() {
        return backup(List.of(), OtherCubes.NONE, Optional::empty);
    }

    /** Returns the backup of this store, of which other nodes have some cubes. */
    StoreBackup backup(
            List<String> elsewhere, OtherCubes others, StoreBackup.SealedKeyring keyring) {
        return new StoreBackup(
                new StoreBackup.Store(
                        path,
                        files,
                        () -> new StoreBackup.AllCubes(Map.of("default", cube), elsewhere),
                        others,
                        keyring,
                        Optional.empty()),
                InstantSource.fixed(NOW),
                new SecureRandom());
    }

    /** Makes a snapshot of this name. */
    Manifest backUp(MemoryTarget target, String name) throws IOException {
        return backUp(target, name, Optional.empty());
    }

    Manifest backUp(MemoryTarget target, String name, Optional<String> passphrase)
            throws IOException {
        return backUp(backup(), target, name, passphrase);
    }

    static Manifest backUp(
            StoreBackup backup, MemoryTarget target, String name, Optional<String> passphrase)
            throws IOException {
        return backup.run(
                target,
                name,
                passphrase.map(String::toCharArray),
                () -> true,
                (done, total, read, sent) -> {});
    }

    /** Returns the sequence that a snapshot has at least. */
    static long sequence(Manifest manifest) {
        return manifest.cubes().stream().mapToLong(CutOfCube::sequence).findFirst().orElseThrow();
    }

    @Override
    public void close() throws IOException {
        cube.close();
        directory.close();
    }
}
