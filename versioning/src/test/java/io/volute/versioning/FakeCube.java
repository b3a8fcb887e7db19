package io.volute.versioning;

import io.volute.storage.BatchSeal;
import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Family;
import io.volute.storage.LateCommitException;
import io.volute.storage.MissingBlobException;
import io.volute.storage.PendingBlob;
import io.volute.storage.Place;
import io.volute.storage.RecordCursor;
import io.volute.storage.SpaceGiver;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.SpaceReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A cube in memory that keeps the contract: transactions are atomic, blobs live as long as
 * something refers to them, cursors are snapshots, readers pin. It refuses what the contract
 * forbids (unknown families, references to dead blobs, blobs that nothing refers to). It knows no
 * crashes.
 */
public final class FakeCube implements Cube {

    private final AtomicLong ids = new AtomicLong();
    private final AtomicLong gets = new AtomicLong();
    private final AtomicLong details = new AtomicLong();
    private final Map<Family, AtomicLong> scans = new ConcurrentHashMap<>();
    private final AtomicReference<Runnable> afterRead = new AtomicReference<>(() -> {});
    private final Executor committer;
    private final InstantSource clock;
    private final Map<Family, NavigableMap<byte[], Stored>> families = new HashMap<>();
    private final Map<BlobId, Blob> blobs = new HashMap<>();
    private long sequence;
    private long commits;
    private Optional<BatchSeal> seal = Optional.empty();
    private volatile CubeState state = CubeState.HEALTHY;
    private Optional<IOException> nextFailure = Optional.empty();

    private record Stored(StoredRecord record, byte[] detail) {}

    private static final class Blob {
        final byte[] content;
        final List<Transaction.Part> parts;
        int references;

        Blob(byte[] content, List<Transaction.Part> parts) {
            this.content = content;
            this.parts = parts;
        }
    }

    private record Pending(BlobId id, byte[] content) implements PendingBlob {
        @Override
        public long bytes() {
            return content.length;
        }

        @Override
        public Optional<ByteBuffer> inMemory() {
            return Optional.of(ByteBuffer.wrap(content));
        }

        @Override
        public void close() {}
    }

    public FakeCube() {
        this(Runnable::run);
    }

    /** Commits run on {@code committer}, so that callers wait for another thread. */
    public FakeCube(Executor committer) {
        this(committer, () -> Instant.EPOCH);
    }

    /** Creates a cube whose commits have the time of a clock. */
    public FakeCube(Executor committer, InstantSource clock) {
        this.committer = committer;
        this.clock = clock;
        ObjectStores.families()
                .forEach(family -> families.put(family, new TreeMap<>(Arrays::compareUnsigned)));
    }

    public synchronized void failNextCommit(IOException failure) {
        nextFailure = Optional.of(failure);
    }

    /** Refuses commits in any other state than healthy. */
    public void state(CubeState now) {
        state = now;
    }

    public synchronized int liveBlobs() {
        return blobs.size();
    }

    public long gets() {
        return gets.get();
    }

    /** Details that were read. */
    public long details() {
        return details.get();
    }

    /** Cursors that were opened over a family. */
    public long scans(Family family) {
        return scans.computeIfAbsent(family, same -> new AtomicLong()).get();
    }

    @Override
    public long allocateId() {
        return ids.incrementAndGet();
    }

    @Override
    public void passId(long id) {
        long unused = ids.accumulateAndGet(id, Math::max);
    }

    /** Runs once, behind the next look-up or the opening of the next cursor. */
    public void afterNextRead(Runnable interference) {
        afterRead.set(interference);
    }

    /** The same behind the so-manieth of them, from 1. */
    public void afterReads(int reads, Runnable interference) {
        afterNextRead(reads == 1 ? interference : () -> afterReads(reads - 1, interference));
    }

    private void interfere() {
        afterRead.getAndSet(() -> {}).run();
    }

    @Override
    public Optional<StoredRecord> get(Family family, byte[] key) {
        gets.incrementAndGet();
        Optional<StoredRecord> found;
        synchronized (this) {
            found = Optional.ofNullable(of(family).get(key)).map(Stored::record);
        }
        interfere();
        return found;
    }

    @Override
    public synchronized byte[] readDetail(Family family, byte[] key, StoredRecord record)
            throws IOException {
        details.incrementAndGet();
        Stored stored = of(family).get(key);
        if (stored == null || stored.record().sequence() != record.sequence()) {
            throw new IOException("the record is not there any more");
        }
        return stored.detail();
    }

    @Override
    public RecordCursor scan(Family family, byte[] from, byte[] to) {
        scans.computeIfAbsent(family, same -> new AtomicLong()).incrementAndGet();
        Cursor cursor;
        synchronized (this) {
            NavigableMap<byte[], Stored> tail = of(family).tailMap(from, true);
            cursor = new Cursor(new TreeMap<>(to.length == 0 ? tail : tail.headMap(to, false)));
        }
        interfere();
        return cursor;
    }

    @Override
    public BlobWriter newBlob(OptionalLong expectedBytes) {
        return new BlobWriter() {
            private final ByteArrayOutputStream content = new ByteArrayOutputStream();

            @Override
            public void write(ByteBuffer source) {
                byte[] bytes = new byte[source.remaining()];
                source.get(bytes);
                content.writeBytes(bytes);
            }

            @Override
            public PendingBlob finish() {
                return new Pending(new BlobId(allocateId()), content.toByteArray());
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public synchronized BlobReader openBlob(BlobId id) throws IOException {
        Blob blob = blobs.get(id);
        if (blob == null) {
            throw new MissingBlobException(id);
        }
        return new FakeReader(blob.content, blob.parts);
    }

    @Override
    public CompletableFuture<Long> commit(Transaction transaction) {
        CompletableFuture<Long> future = new CompletableFuture<>();
        committer.execute(
                () -> {
                    try {
                        future.complete(applySealed(transaction));
                    } catch (IOException | RuntimeException e) {
                        future.completeExceptionally(e);
                    }
                });
        return future;
    }

    @Override
    public long transactionBytesMax() {
        return Long.MAX_VALUE;
    }

    @Override
    public synchronized void sealWith(BatchSeal use) {
        seal = Optional.of(use);
    }

    @Override
    public synchronized long lastSequence() {
        return sequence;
    }

    private synchronized long applySealed(Transaction transaction) throws IOException {
        if (state != CubeState.HEALTHY) {
            throw new CubeUnavailableException(
                    CubeUnavailableException.Reason.READ_ONLY, "told so by the test");
        }
        long commit = apply(transaction);
        commits++;
        if (!transaction.notes().isEmpty()) {
            apply(seal.orElseThrow().seal(transaction.notes(), sequence));
        }
        return commit;
    }

    private synchronized long apply(Transaction transaction) throws IOException {
        if (nextFailure.isPresent()) {
            IOException failure = nextFailure.get();
            nextFailure = Optional.empty();
            throw failure;
        }
        checkBlobs(transaction);
        int records = transaction.changes().size() + 1;
        sequence = CommitTime.next(sequence + 1, clock.instant(), records);
        if (sequence + records - 1 > transaction.latest()) {
            throw new LateCommitException(CommitTime.of(sequence));
        }
        long commit = sequence;
        List<BlobId> released = new ArrayList<>();
        for (Transaction.Change change : transaction.changes()) {
            switch (change) {
                case Transaction.AddBlob add -> {
                    Pending pending = (Pending) add.blob();
                    blobs.put(pending.id(), new Blob(pending.content(), List.of()));
                }
                case Transaction.Compose compose -> compose(compose);
                case Transaction.Put put -> released.addAll(put(put, ++sequence));
                case Transaction.Delete delete ->
                        released.addAll(references(of(delete.family()).remove(delete.key())));
            }
        }
        released.forEach(this::release);
        return commit;
    }

    /**
     * Refuses references to blobs that are neither live nor made by the transaction, and blobs made
     * by it that nothing in it refers to.
     */
    private void checkBlobs(Transaction transaction) throws IOException {
        Set<BlobId> made = new HashSet<>();
        Set<BlobId> referenced = new HashSet<>();
        for (Transaction.Change change : transaction.changes()) {
            List<BlobId> named = List.of();
            switch (change) {
                case Transaction.AddBlob add -> made.add(add.blob().id());
                case Transaction.Compose compose -> {
                    made.add(compose.blob());
                    named = compose.parts().stream().map(Transaction.Part::blob).toList();
                }
                case Transaction.Put put -> named = put.references();
                case Transaction.Delete delete -> of(delete.family());
            }
            for (BlobId blob : named) {
                if (!made.contains(blob) && !blobs.containsKey(blob)) {
                    throw new MissingBlobException(blob);
                }
                referenced.add(blob);
            }
        }
        if (!referenced.containsAll(made)) {
            throw new IllegalArgumentException("nothing refers to a blob of " + made);
        }
    }

    private void compose(Transaction.Compose compose) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (Transaction.Part part : compose.parts()) {
            Blob blob = blobs.get(part.blob());
            if (blob.content.length != part.bytes()) {
                throw new IllegalStateException("part of " + part.bytes() + " bytes is not that");
            }
            content.writeBytes(blob.content);
            blob.references++;
        }
        blobs.put(compose.blob(), new Blob(content.toByteArray(), compose.parts()));
    }

    private List<BlobId> put(Transaction.Put put, long number) {
        put.references().forEach(blob -> blobs.get(blob).references++);
        Place place = new Place(1, number, 1 + put.detail().length);
        StoredRecord record =
                new StoredRecord(
                        number,
                        place,
                        put.summary().clone(),
                        put.detail().length,
                        put.references());
        Stored before =
                of(put.family()).put(put.key().clone(), new Stored(record, put.detail().clone()));
        if (put.isNew() && before != null) {
            throw new IllegalStateException("there is a record of a new key of " + put.family());
        }
        return references(before);
    }

    private static List<BlobId> references(Stored replaced) {
        return replaced == null ? List.of() : replaced.record().references();
    }

    private void release(BlobId id) {
        Blob blob = blobs.get(id);
        blob.references--;
        if (blob.references == 0) {
            blobs.remove(id);
            blob.parts.forEach(part -> release(part.blob()));
        }
    }

    private NavigableMap<byte[], Stored> of(Family family) {
        return Optional.ofNullable(families.get(family))
                .orElseThrow(() -> new IllegalArgumentException("unknown family " + family));
    }

    @Override
    public CubeState state() {
        return state;
    }

    @Override
    public long clean(Cleaning level) {
        return 0;
    }

    @Override
    public CheckReport check(
            long bytesPerSecond, CheckReport.Watch watch, Optional<Set<Long>> some) {
        return new CheckReport(true, new CheckReport.Progress(0, 0, 0, 0, 0), List.of(), 0);
    }

    @Override
    public LogSnapshot snapshot() {
        throw new UnsupportedOperationException("it has no log");
    }

    @Override
    public Pause pauseCommits() {
        throw new UnsupportedOperationException("it has no log");
    }

    /** Never short. */
    @Override
    public void whenShort(SpaceGiver giver) {}

    @Override
    public SpaceReport spaceAtGlance() {
        return space();
    }

    @Override
    public SpaceReport space() {
        return new SpaceReport(List.of(), 0, 1);
    }

    @Override
    public synchronized CubeStats stats() {
        return new CubeStats(commits, commits, 0, Map.of(), 0);
    }

    @Override
    public void close() {}

    private static final class Cursor implements RecordCursor {
        private final NavigableMap<byte[], Stored> snapshot;
        private Optional<Map.Entry<byte[], Stored>> at = Optional.empty();
        private boolean begun;

        Cursor(NavigableMap<byte[], Stored> snapshot) {
            this.snapshot = snapshot;
        }

        @Override
        public boolean next() {
            at =
                    Optional.ofNullable(
                            begun
                                    ? snapshot.higherEntry(at.orElseThrow().getKey())
                                    : snapshot.firstEntry());
            begun = true;
            return at.isPresent();
        }

        @Override
        public boolean seek(byte[] key) {
            at = Optional.ofNullable(snapshot.ceilingEntry(key));
            begun = true;
            return at.isPresent();
        }

        @Override
        public byte[] key() {
            return at.orElseThrow().getKey().clone();
        }

        @Override
        public StoredRecord record() {
            return at.orElseThrow().getValue().record();
        }

        @Override
        public void close() {}
    }
}
