package io.volute.benchmarks.cleaning;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.CleaningSettings;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;

/** Objects under numbered keys in a cube, each a blob and a record as a server writes them. */
final class ObjectCube implements AutoCloseable {
    private static final Family OBJECTS = new Family(1, "objects");

    /** As in the paper, the index is in memory: else its reads are what is measured. */
    private static final long INDEX_CACHE_BYTES = 512L << 20;

    private final Cube cube;
    private final Content content;

    ObjectCube(Path directory, Settings settings, Content content) throws IOException {
        this.content = content;
        this.cube =
                Cubes.open(
                                new CubeOptions(
                                        directory,
                                        new OsFileSystem(),
                                        InstantSource.system(),
                                        new SplittableRandom(1),
                                        List.of(OBJECTS),
                                        settings.log()))
                        .cube();
    }

    /** Sizes of the parts of a cube. */
    record Settings(int segmentBytes, CleaningSettings cleaning) {
        LogSettings log() {
            LogSettings server = LogSettings.defaults();
            return new LogSettings(
                    segmentBytes,
                    server.inlineLimitBytes(),
                    server.chunkBytes(),
                    Math.min(server.indexFlushLogBytes(), 16L * segmentBytes),
                    INDEX_CACHE_BYTES,
                    server.writeBufferBytes(),
                    OnDamage.REFUSE,
                    cleaning);
        }

        Settings notCleaning() {
            return new Settings(segmentBytes, CleaningSettings.onlyWhenAsked());
        }
    }

    Cube cube() {
        return cube;
    }

    /** Writes a version of an object, durable on return. The buffer has room for it. */
    void put(long key, int version, int bytes, ByteBuffer buffer) throws IOException {
        content.fill(buffer, key, version, bytes);
        try (BlobWriter writer = cube.newBlob(OptionalLong.of(bytes))) {
            writer.write(buffer);
            try (PendingBlob blob = writer.finish()) {
                byte[] summary = new byte[8];
                ByteBuffer.wrap(summary).putInt(version).putInt(bytes);
                commit(
                        new Transaction()
                                .add(blob)
                                .put(
                                        OBJECTS,
                                        bytesOf(key),
                                        summary,
                                        new byte[0],
                                        List.of(blob.id())));
            }
        }
    }

    void delete(long key) throws IOException {
        commit(new Transaction().delete(OBJECTS, bytesOf(key)));
    }

    private void commit(Transaction transaction) throws IOException {
        try {
            cube.commit(transaction).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof CubeUnavailableException unavailable) {
                throw unavailable;
            }
            throw new IOException("a commit failed", e.getCause());
        }
    }

    /** Reads an object; returns what is wrong with it, or empty. */
    Optional<String> check(long key, int version, int bytes, ByteBuffer buffer) {
        try {
            Optional<StoredRecord> record = cube.get(OBJECTS, bytesOf(key));
            if (record.isEmpty()) {
                return Optional.of("object " + key + " version " + version + " is not there");
            }
            try (BlobReader reader = cube.openBlob(record.get().references().getFirst())) {
                buffer.clear();
                reader.read(0, reader.bytes(), buffer);
                return content.isOf(buffer, key, version, bytes)
                        ? Optional.empty()
                        : Optional.of(
                                "object " + key + " is not version " + version + " of " + bytes);
            }
        } catch (IOException | RuntimeException e) {
            return Optional.of("object " + key + ": " + e);
        }
    }

    /** Number of objects that a listing finds. */
    long count() {
        long count = 0;
        try (RecordCursor cursor = cube.scan(OBJECTS, new byte[0], new byte[0])) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    private static byte[] bytesOf(long key) {
        return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
    }

    @Override
    public void close() throws IOException {
        cube.close();
    }
}
