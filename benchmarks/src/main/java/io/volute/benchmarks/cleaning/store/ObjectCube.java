package io.volute.benchmarks.cleaning.store;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.StoreOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;

/**
 * Objects under numbered keys in a cube, each a record and, unless it is small, a blob: as a server
 * writes them.
 */
public final class ObjectCube implements MeasuredStore {
    private static final Family OBJECTS = new Family(1, "objects");

    private final Cube cube;
    private final Content content;

    public ObjectCube(Path directory, StoreSettings settings, Content content) throws IOException {
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

    @Override
    public void put(long key, int version, int bytes, ByteBuffer buffer) throws IOException {
        content.fill(buffer, key, version, bytes);
        byte[] summary = new byte[8];
        ByteBuffer.wrap(summary).putInt(version).putInt(bytes);
        if (bytes <= StoreOptions.Limits.S3.recordBodyBytesMax()) {
            byte[] body = new byte[bytes];
            buffer.get(body);
            commit(new Transaction().put(OBJECTS, bytesOf(key), summary, body, List.of()));
            return;
        }
        try (BlobWriter writer = cube.newBlob(OptionalLong.of(bytes))) {
            writer.write(buffer);
            try (PendingBlob blob = writer.finish()) {
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

    @Override
    public void delete(long key) throws IOException {
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

    @Override
    public Optional<String> check(long key, int version, int bytes, ByteBuffer buffer) {
        try {
            Optional<StoredRecord> record = cube.get(OBJECTS, bytesOf(key));
            if (record.isEmpty()) {
                return Optional.of("object " + key + " version " + version + " is not there");
            }
            read(key, record.get(), buffer);
            return content.isOf(buffer, key, version, bytes)
                    ? Optional.empty()
                    : Optional.of("object " + key + " is not version " + version + " of " + bytes);
        } catch (IOException | RuntimeException e) {
            return Optional.of("object " + key + ": " + e);
        }
    }

    private void read(long key, StoredRecord record, ByteBuffer buffer) throws IOException {
        buffer.clear();
        if (record.references().isEmpty()) {
            buffer.put(cube.readDetail(OBJECTS, bytesOf(key), record)).flip();
            return;
        }
        try (BlobReader reader = cube.openBlob(record.references().getFirst())) {
            reader.read(0, reader.bytes(), buffer);
        }
    }

    @Override
    public long count() {
        long count = 0;
        try (RecordCursor cursor = cube.scan(OBJECTS, new byte[0], new byte[0])) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    @Override
    public Spaces spaces() {
        return Spaces.of(cube.space());
    }

    /** Runs one pass of combined cleaning at once; returns the freed bytes. */
    public long clean() throws IOException {
        return cube.clean(Cube.Cleaning.COMBINED);
    }

    @Override
    public WrittenBytes written() {
        return WrittenBytes.of(cube.stats());
    }

    @Override
    public ProcessHandle process() {
        return ProcessHandle.current();
    }

    private static byte[] bytesOf(long key) {
        return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
    }

    @Override
    public void close() throws IOException {
        cube.close();
    }
}
