package io.volute.versioning;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.REMOVED;
import static io.volute.versioning.rows.Families.VERSIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.storage.Transaction;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store that keeps history, and a clock that only the test moves. */
public abstract class PastFixture {
    protected static final BucketName BUCKET = new BucketName("photos");
    protected static final Caller ALICE = new Caller("alice", "key-a", "laptop");
    protected static final Caller THIEF = new Caller("alice", "key-a", "thief");
    protected static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    protected final AtomicReference<Instant> clock = new AtomicReference<>(START);
    protected Cube cube;
    protected VersionedStore store;

    protected Cube openCube() throws IOException {
        return new FakeCube(Runnable::run, clock::get);
    }

    /** Creates a cube in memory that refuses a commit when the function returns a reason. */
    protected Cube refusing(Function<Transaction, Optional<CubeUnavailableException>> why) {
        FakeCube cube = new FakeCube(Runnable::run, clock::get);
        return (Cube)
                Proxy.newProxyInstance(
                        Cube.class.getClassLoader(),
                        new Class<?>[] {Cube.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("commit")) {
                                var refusal = why.apply((Transaction) arguments[0]);
                                if (refusal.isPresent()) {
                                    return CompletableFuture.failedFuture(refusal.get());
                                }
                            }
                            try {
                                return method.invoke(cube, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    /** Returns whether a transaction has a row about the progress of a restore. */
    protected static boolean isOfRestore(Transaction transaction) {
        return transaction.changes().stream()
                .anyMatch(
                        change ->
                                change instanceof Transaction.Put put
                                        && put.family().equals(Families.RESTORES));
    }

    protected VersionedStore openStore() throws IOException {
        return ObjectStores.open(
                Signing.options(
                        this,
                        new StoreOptions(
                                cube,
                                clock::get,
                                new SplittableRandom(3),
                                StoreFixture.limits(recordBodyBytesMax()),
                                historySettings())));
    }

    /** Longest body that lies in its record. */
    protected int recordBodyBytesMax() {
        return StoreFixture.recordBodyBytesMax(cube);
    }

    /** Returns settings without a resolution, so that the policies alone decide. */
    protected StoreOptions.HistorySettings historySettings() {
        return StoreOptions.HistorySettings.DEFAULTS.with(Duration.ZERO);
    }

    @BeforeEach
    protected void open() throws IOException {
        cube = openCube();
        store = openStore();
        BucketInfo bucket = store.createBucket(ALICE, BUCKET);
        assertThat(bucket.history()).isEqualTo(HistoryPolicy.CYCLE_AVOIDANCE);
    }

    @AfterEach
    protected void close() throws IOException {
        try (Cube last = cube) {
            store.close();
            Signing.audit(this, store, last);
        }
    }

    /** Blobs that something refers to. */
    protected int liveBlobs() throws IOException {
        return cube instanceof FakeCube fake
                ? fake.liveBlobs()
                : Math.toIntExact(cube.check(Long.MAX_VALUE, progress -> true).progress().blobs());
    }

    /** The same, and bodies that lie in records. */
    protected int liveBodies() throws IOException {
        int bodies = liveBlobs();
        for (Family family : List.of(CURRENT, VERSIONS, HISTORY)) {
            try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
                while (cursor.next()) {
                    byte[] summary = cursor.record().summary();
                    ObjectRow row =
                            family.equals(HISTORY)
                                    ? HistoryRow.decode(summary).state()
                                    : ObjectRow.decode(summary);
                    bodies += row.holdsBody() ? 1 : 0;
                }
            }
        }
        return bodies;
    }

    protected int rows(Family family) {
        return rowsBefore(family, new byte[0]);
    }

    /**
     * Counts the rows of keys under {@code removed}, including the one that marks their migration
     * as done.
     */
    protected int removedKeys() {
        return rowsBefore(REMOVED, RowKeys.historyHorizon());
    }

    private int rowsBefore(Family family, byte[] end) {
        int rows = 0;
        try (RecordCursor cursor = cube.scan(family, new byte[0], end)) {
            while (cursor.next()) {
                rows++;
            }
        }
        return rows;
    }

    protected void policy(HistoryPolicy policy) throws IOException {
        store.setHistoryPolicy(ALICE, BUCKET, policy);
    }

    /** The present instant, which is over when the call returns. */
    protected Instant tick() {
        return clock.getAndUpdate(now -> now.plus(Duration.ofSeconds(1)));
    }

    /** A restore when it is under way no more. */
    protected Restore.Run ended(String id) {
        Restore restore = store.restore();
        Restore.Run run = restore.run(id);
        while (run.phase() == Restore.Phase.RUNNING) {
            Thread.onSpinWait();
            run = restore.run(id);
        }
        return run;
    }

    protected ObjectVersion put(Caller caller, String key, String text) throws IOException {
        return put(caller, BUCKET, key, text);
    }

    protected ObjectVersion put(Caller caller, BucketName bucket, String key, String text)
            throws IOException {
        byte[] bytes = StoreFixture.utf8(text);
        try (BlobWriter writer =
                store.newBody(bucket, new ObjectKey("any"), OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            PendingBlob body = writer.finish();
            return store.put(
                    caller,
                    bucket,
                    new ObjectKey(key),
                    body,
                    StoreFixture.attributes(text),
                    WriteCondition.NONE);
        }
    }

    protected void delete(Caller caller, String key) throws IOException {
        var result =
                store.delete(
                        caller,
                        BUCKET,
                        new ObjectKey(key),
                        VersionSelector.LATEST,
                        WriteCondition.NONE);
        assertThat(result).isNotNull();
    }

    /** Reads as a client whose later writes depend on the content. */
    protected String read(Caller caller, String key) throws IOException {
        return read(store, caller, key);
    }

    protected static String read(ObjectReader from, Caller caller, String key) throws IOException {
        OpenObject object = from.open(caller, BUCKET, new ObjectKey(key), VersionSelector.LATEST);
        try (BlobReader reader = object.reader()) {
            return StoreFixture.content(reader);
        }
    }

    /** Returns the content of all keys of a store, by listing and reading. */
    protected static Map<String, String> contents(ObjectReader of) throws IOException {
        Map<String, String> found = new TreeMap<>();
        String after = "";
        Optional<String> next;
        do {
            ObjectPage page = of.listObjects(ALICE, BUCKET, new ObjectQuery("", "", after, 2));
            for (ObjectVersion object : page.objects()) {
                String key = object.key().value();
                String text = read(of, new Caller("auditor", "key-x", "x"), key);
                assertThat(object.attributes().etag()).isEqualTo(StoreFixture.md5(text));
                found.put(key, text);
            }
            next = page.next();
            after = next.orElse("");
        } while (next.isPresent());
        return found;
    }

    protected Map<String, String> past(Instant instant) throws IOException {
        return contents(store.asOf(instant));
    }
}
