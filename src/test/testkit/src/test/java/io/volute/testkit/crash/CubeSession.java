package io.volute.testkit.crash;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.cleaning.Compactor;
import io.volute.storage.cube.LogCube;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.report.SpaceReport;
import io.volute.testkit.sim.SimFileSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;

/** A cube in use: each commit makes the next expected state, and is counted when acknowledged. */
final class CubeSession implements AutoCloseable {
    static final Family RECORDS = new Family(1, "records");

    /** Written to see that a recovered cube works; no part of the expected states. */
    static final String PROBE = "probe";

    /**
     * The state known outside of the machine.
     *
     * @param states expected after 0, 1, 2, ... commits; the last ones were begun only
     * @param acknowledged commits
     * @param indexes the part of the index that a crash leaves
     */
    record Known(
            List<TreeMap<String, String>> states, int acknowledged, MemoryIndexFactory indexes) {

        Known with(MemoryIndexFactory newIndexes) {
            return new Known(states, acknowledged, newIndexes);
        }
    }

    private record Progress(List<TreeMap<String, String>> states, int acknowledged) {}

    private final SimFileSystem disk;
    private final MemoryIndexFactory indexes;
    private final CrashProbe<Known> probe;
    private final AtomicReference<Progress> progress =
            new AtomicReference<>(new Progress(List.of(new TreeMap<>()), 0));
    private Cube cube;
    private int seed;

    CubeSession(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
        this.disk = disk;
        this.indexes = new MemoryIndexFactory();
        this.probe = probe;
        probe.watch(this::known);
        this.cube = open(disk, indexes);
    }

    private Known known() {
        Progress now = progress.get();
        return new Known(now.states(), now.acknowledged(), indexes.crashImage());
    }

    static Cube open(SimFileSystem disk, MemoryIndexFactory indexes) throws IOException {
        return open(disk, indexes, 4_000);
    }

    private static Cube open(SimFileSystem disk, MemoryIndexFactory indexes, int inlineBytes)
            throws IOException {
        LogSettings settings =
                new LogSettings(
                        64 << 10, inlineBytes, 8_000, 90_000, 1 << 20, 1 << 20, OnDamage.REFUSE);
        CubeOptions options =
                new CubeOptions(
                        Path.of("/data/cube"),
                        disk,
                        InstantSource.fixed(Instant.EPOCH),
                        new SplittableRandom(7),
                        List.of(RECORDS),
                        settings);
        return Cubes.open(options, indexes).cube();
    }

    // ---- operations

    /** Puts a record with one blob. */
    void put(String key, int bytes) throws IOException {
        await(List.of(beginPut(List.of(key), bytes)));
    }

    /** Puts several records in one transaction. */
    void putTogether(List<String> keys, int bytes) throws IOException {
        await(List.of(beginPut(keys, bytes)));
    }

    /** Begins several commits before waiting for the first. */
    void putBeside(List<String> keys, int bytes) throws IOException {
        List<CompletableFuture<Void>> commits = new ArrayList<>();
        for (String key : keys) {
            commits.add(beginPut(List.of(key), bytes));
        }
        await(commits);
    }

    private CompletableFuture<Void> beginPut(List<String> keys, int bytes) throws IOException {
        Transaction transaction = new Transaction();
        TreeMap<String, String> next = nextState();
        for (String key : keys) {
            seed++;
            byte[] content = content(seed, bytes);
            PendingBlob blob;
            try (BlobWriter writer = cube.newBlob(OptionalLong.of(bytes))) {
                writer.write(ByteBuffer.wrap(content));
                blob = writer.finish();
            }
            transaction.add(blob);
            put(transaction, key, blob.id(), next, content);
        }
        return commit(transaction, next);
    }

    private void put(
            Transaction transaction,
            String key,
            BlobId blob,
            TreeMap<String, String> next,
            byte[] content) {
        byte[] summary = content(seed, 20);
        byte[] detail = content(seed, 300);
        transaction.put(RECORDS, utf8(key), summary, detail, List.of(blob));
        next.put(key, words(summary, detail, content));
    }

    /** Begins a blob and gives it up. */
    void abandon(int bytes) throws IOException {
        try (BlobWriter writer = cube.newBlob(OptionalLong.of(bytes))) {
            writer.write(ByteBuffer.wrap(content(-1, bytes)));
        }
    }

    void delete(String... keys) throws IOException {
        Transaction transaction = new Transaction();
        TreeMap<String, String> next = nextState();
        for (String key : keys) {
            transaction.delete(RECORDS, utf8(key));
            next.remove(key);
        }
        await(List.of(commit(transaction, next)));
    }

    /** Makes one record of the blobs of others, which go. */
    void compose(String key, String... parts) throws IOException {
        Transaction transaction = new Transaction();
        TreeMap<String, String> next = nextState();
        List<Transaction.Part> list = new ArrayList<>();
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (String part : parts) {
            StoredRecord record = cube.get(RECORDS, utf8(part)).orElseThrow();
            BlobId blob = record.references().getFirst();
            byte[] bytes = read(cube, blob);
            list.add(new Transaction.Part(blob, bytes.length, new byte[3]));
            content.writeBytes(bytes);
            transaction.delete(RECORDS, utf8(part));
            next.remove(part);
        }
        seed++;
        BlobId whole = new BlobId(cube.allocateId());
        transaction.compose(whole, list);
        put(transaction, key, whole, next, content.toByteArray());
        await(List.of(commit(transaction, next)));
    }

    void reopen() throws IOException {
        cube.close();
        cube = open(disk, indexes);
    }

    /** Cleans until nothing is worth it. */
    long clean() throws IOException {
        long freed = clean(cube);
        probe.point("the end of a cleaning");
        return freed;
    }

    static long clean(Cube cube) throws IOException {
        long freed = 0;
        for (long more = 1; more > 0; freed += more) {
            more = cube.clean(Cube.Cleaning.COMBINED);
        }
        return freed;
    }

    /** Sealed segments of all kinds with dead pages in them, and blobs that live beside. */
    void prepareCompaction() throws IOException {
        cube.close();
        // Blobs that go through the head must cover whole pages.
        cube = open(disk, indexes, 12_000);
        putBeside(List.of("a", "b", "c"), 11_000);
        putTogether(List.of("d", "e"), 9_000);
        put("large", 20_000);
        put("stays", 14_000);
        abandon(15_000);
        putBeside(List.of("f", "g", "h", "i"), 10_000);
        delete("b", "large");
        cube.close();
        cube = open(disk, indexes, 12_000);
    }

    /** Gives all dead pages of sealed segments back. */
    long compact() throws IOException {
        long given = compact(cube);
        probe.point("the end of a compaction");
        return given;
    }

    static long compact(Cube cube) throws IOException {
        Compactor compactor = ((LogCube) cube).compactor();
        long given = 0;
        for (SpaceReport.SegmentSpace segment : cube.space().segments()) {
            given += compactor.compact(segment.segmentId());
        }
        return given;
    }

    void rebuildIndex() throws IOException {
        cube.close();
        Cubes.rebuildIndex(Path.of("/data/cube"), indexes);
        cube = open(disk, indexes);
    }

    @Override
    public void close() throws IOException {
        cube.close();
    }

    private TreeMap<String, String> nextState() {
        return new TreeMap<>(progress.get().states().getLast());
    }

    private CompletableFuture<Void> commit(Transaction transaction, TreeMap<String, String> next) {
        Progress begun =
                progress.updateAndGet(
                        now -> {
                            List<TreeMap<String, String>> states = new ArrayList<>(now.states());
                            states.add(next);
                            return new Progress(List.copyOf(states), now.acknowledged());
                        });
        int number = begun.states().size() - 1;
        return cube.commit(transaction)
                .thenAccept(
                        sequence -> {
                            progress.updateAndGet(now -> new Progress(now.states(), number));
                            probe.point("acknowledgement of commit " + number);
                        });
    }

    private static void await(List<CompletableFuture<Void>> commits) throws IOException {
        try {
            commits.forEach(CompletableFuture::join);
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof IOException refused) {
                throw refused;
            }
            throw failed;
        }
    }

    // ---- reading

    /** Everything that the cube holds, read through and through. */
    static TreeMap<String, String> state(Cube cube) throws IOException {
        TreeMap<String, String> state = new TreeMap<>();
        try (RecordCursor cursor = cube.scan(RECORDS, new byte[0], new byte[0])) {
            while (cursor.next()) {
                String key = new String(cursor.key(), StandardCharsets.UTF_8);
                StoredRecord record = cursor.record();
                byte[] detail = cube.readDetail(RECORDS, cursor.key(), record);
                byte[] content = read(cube, record.references().getFirst());
                if (!key.equals(PROBE)) {
                    state.put(key, words(record.summary(), detail, content));
                }
            }
        }
        return state;
    }

    private static byte[] read(Cube cube, BlobId blob) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        try (BlobReader reader = cube.openBlob(blob)) {
            long offset = 0;
            while (offset < reader.bytes()) {
                ByteBuffer target = ByteBuffer.allocate(reader.bufferBytes(offset));
                reader.read(offset, reader.bytes(), target);
                offset += target.remaining();
                content.write(target.array(), target.position(), target.remaining());
            }
        }
        return content.toByteArray();
    }

    /** Writes the probe and waits for it. */
    static void writeProbe(Cube cube) throws IOException {
        try (BlobWriter writer = cube.newBlob(OptionalLong.of(10))) {
            writer.write(ByteBuffer.wrap(new byte[10]));
            PendingBlob blob = writer.finish();
            Transaction transaction = new Transaction().add(blob);
            transaction.put(RECORDS, utf8(PROBE), new byte[1], new byte[1], List.of(blob.id()));
            await(List.of(cube.commit(transaction).thenAccept(sequence -> {})));
        }
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] content(int seed, int bytes) {
        byte[] content = new byte[bytes];
        new SplittableRandom(seed).nextBytes(content);
        return content;
    }

    private static String words(byte[] summary, byte[] detail, byte[] content) {
        return Arrays.hashCode(summary)
                + "/"
                + Arrays.hashCode(detail)
                + "/"
                + content.length
                + ":"
                + Arrays.hashCode(content);
    }
}
