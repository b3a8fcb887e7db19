package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore.DeleteResult;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store with one bucket, and short words for what the tests do with it. */
public abstract class StoreFixture {
    protected static final Caller ALICE = new Caller("alice", "key-a", "alice-laptop");
    protected static final Caller BOB = new Caller("bob", "key-b", "bob-phone");
    protected static final BucketName BUCKET = new BucketName("photos");
    protected static final VersionSelector LATEST = VersionSelector.LATEST;
    protected static final int PART_BYTES_MIN = 10;

    private final AtomicLong seconds = new AtomicLong(1_700_000_000L);
    protected Cube cube;
    protected VersionedStore store;

    /** The caller of puts, gets and deletes. */
    protected Caller caller = ALICE;

    /** On disk small bodies lie in their records, in memory none does: most suites see both. */
    protected static int recordBodyBytesMax(Cube cube) {
        return cube instanceof FakeCube ? 0 : StoreOptions.Limits.S3.recordBodyBytesMax();
    }

    public static StoreOptions.Limits limits(int recordBodyBytesMax) {
        return new StoreOptions.Limits(3, PART_BYTES_MIN, 1000, 2000, recordBodyBytesMax);
    }

    /** Longest body that lies in its record. */
    protected int recordBodyBytesMax() {
        return recordBodyBytesMax(cube);
    }

    /** The cube under the store; the tests on disk give another one. */
    protected Cube openCube() throws IOException {
        return new FakeCube();
    }

    @BeforeEach
    protected void openStore() throws IOException {
        cube = openCube();
        store = reopen();
        BucketInfo bucket = store.createBucket(ALICE, BUCKET);
        assertThat(bucket.versioning()).isEqualTo(VersioningState.UNVERSIONED);
    }

    @AfterEach
    protected void closeStore() throws IOException {
        try (Cube last = cube) {
            store.close();
            Signing.audit(this, store, last);
        }
    }

    /** Another store on the same cube, as after a restart. */
    protected VersionedStore reopen() throws IOException {
        // Each look at the clock is a second later, so that no two times are equal.
        InstantSource clock = () -> Instant.ofEpochSecond(seconds.incrementAndGet());
        return ObjectStores.open(
                options(
                        StoreOptions.withoutHistory(
                                cube,
                                clock,
                                new SplittableRandom(42),
                                limits(recordBodyBytesMax()))));
    }

    /** The options of the store, which a test may change. */
    protected StoreOptions options(StoreOptions usual) throws IOException {
        return Signing.options(this, usual);
    }

    /** Returns the provenance of a store that signs. */
    protected Provenance provenance() {
        return store.provenance().orElseThrow();
    }

    /** Returns the entries in the chain of a key, oldest first. */
    protected List<Entry> entries(String key) throws IOException {
        List<Entry> entries = new ArrayList<>();
        provenance().entries(BUCKET, key(key), record -> entries.add(record.entry()));
        return entries;
    }

    protected List<EventKind> kinds(String key) throws IOException {
        return entries(key).stream().map(Entry::kind).toList();
    }

    /** The clock goes on from here, which may be a time that was before. */
    protected void turnClockTo(Instant time) {
        seconds.set(time.getEpochSecond());
    }

    protected void versioning(VersioningState state) throws IOException {
        store.setVersioning(ALICE, BUCKET, state);
    }

    protected static ObjectKey key(String value) {
        return new ObjectKey(value);
    }

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static String md5(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(utf8(text));
            return String.format("%032x", new BigInteger(1, digest));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    public static ObjectAttributes attributes(String text) {
        return new ObjectAttributes(
                md5(text),
                new TreeMap<>(Map.of("content-type", "text/plain")),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty());
    }

    protected PendingBlob body(String text) throws IOException {
        byte[] bytes = utf8(text);
        try (BlobWriter writer =
                store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            return writer.finish();
        }
    }

    protected ObjectVersion put(String key, String text) throws IOException {
        return put(key, text, WriteCondition.NONE);
    }

    protected ObjectVersion put(String key, String text, WriteCondition condition)
            throws IOException {
        return store.put(caller, BUCKET, key(key), body(text), attributes(text), condition);
    }

    protected String get(String key) throws IOException {
        return get(key, LATEST);
    }

    protected String get(String key, VersionSelector selector) throws IOException {
        OpenObject object = store.open(caller, BUCKET, key(key), selector);
        try (BlobReader reader = object.reader()) {
            assertThat(reader.bytes()).isEqualTo(object.version().bytes());
            return content(reader);
        }
    }

    public static String content(BlobReader reader) throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) reader.bytes());
        while (all.hasRemaining()) {
            ByteBuffer chunk = ByteBuffer.allocateDirect(reader.bufferBytes(all.position()));
            reader.read(all.position(), reader.bytes(), chunk);
            assertThat(chunk.hasRemaining()).isTrue();
            all.put(chunk);
        }
        return new String(all.array(), StandardCharsets.UTF_8);
    }

    protected Optional<ObjectVersion> head(String key) throws IOException {
        return head(key, LATEST);
    }

    protected Optional<ObjectVersion> head(String key, VersionSelector selector)
            throws IOException {
        return store.head(ALICE, BUCKET, key(key), selector);
    }

    protected DeleteResult delete(String key) throws IOException {
        return delete(key, LATEST);
    }

    protected DeleteResult delete(String key, VersionSelector selector) throws IOException {
        return store.delete(caller, BUCKET, key(key), selector, WriteCondition.NONE);
    }

    public static VersionSelector number(ObjectVersion version) {
        return new VersionSelector.Numbered(version.number());
    }

    /** Every version of the bucket, newest first within a key. */
    protected List<ObjectVersion> allVersions() throws IOException {
        List<ObjectVersion> all = new ArrayList<>();
        VersionQuery query = new VersionQuery("", "", "", Optional.empty(), 1000);
        while (true) {
            VersionPage page = store.listVersions(ALICE, BUCKET, query);
            all.addAll(page.versions());
            if (page.nextKey().isEmpty()) {
                return all;
            }
            query =
                    new VersionQuery(
                            "",
                            "",
                            page.nextKey().get(),
                            page.nextVersionId().flatMap(VersionId::parse),
                            1000);
        }
    }

    /** The versions as words: key, then null or number, then * for latest and - for a marker. */
    protected List<String> chain() throws IOException {
        return allVersions().stream()
                .map(
                        version ->
                                version.key().value()
                                        + (version.nullVersion() ? " null" : " id")
                                        + (version.latest() ? "*" : "")
                                        + (version.deleteMarker() ? "-" : ""))
                .toList();
    }

    protected String createUpload(String key) throws IOException {
        return store.createUpload(ALICE, BUCKET, key(key), uploadAttributes()).uploadId();
    }

    public static ObjectAttributes uploadAttributes() {
        return new ObjectAttributes(
                "",
                new TreeMap<>(Map.of("content-type", "video/mp4")),
                new TreeMap<>(Map.of("camera", "left")),
                new TreeMap<>(),
                Optional.empty());
    }

    protected PartInfo putPart(String key, String uploadId, int number, String text)
            throws IOException {
        PartInfo part = new PartInfo(number, 0, md5(text), Instant.EPOCH, Optional.empty());
        return store.putPart(ALICE, BUCKET, key(key), uploadId, part, body(text));
    }

    protected int rows(Family family) {
        int rows = 0;
        try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
            while (cursor.next()) {
                rows++;
            }
        }
        return rows;
    }

    /** Counts where the cube lets itself be counted. */
    protected void assertLiveBlobs(int wanted) {
        if (cube instanceof FakeCube fake) {
            assertThat(fake.liveBlobs()).isEqualTo(wanted);
        }
    }

    /** Runs it and expects to be refused for this reason. */
    public static void refused(Reason reason, ThrowingCallable call) {
        StoreException refusal = catchThrowableOfType(StoreException.class, call);
        assertThat(refusal).as("refusal").isNotNull();
        assertThat(refusal.reason()).isEqualTo(reason);
        assertThat(refusal.getMessage()).isNotBlank();
    }
}
