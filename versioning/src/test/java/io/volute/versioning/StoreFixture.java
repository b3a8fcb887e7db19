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
abstract class StoreFixture {
    static final Caller ALICE = new Caller("alice", "key-a", "alice-laptop");
    static final Caller BOB = new Caller("bob", "key-b", "bob-phone");
    static final BucketName BUCKET = new BucketName("photos");
    static final VersionSelector LATEST = VersionSelector.LATEST;
    static final int PART_BYTES_MIN = 10;

    private final AtomicLong seconds = new AtomicLong(1_700_000_000L);
    Cube cube;
    VersionedStore store;

    /** The caller of puts, gets and deletes. */
    Caller caller = ALICE;

    /** On disk small bodies lie in their records, in memory none does: most suites see both. */
    static int recordBodyBytesMax(Cube cube) {
        return cube instanceof FakeCube ? 0 : StoreOptions.Limits.S3.recordBodyBytesMax();
    }

    static StoreOptions.Limits limits(int recordBodyBytesMax) {
        return new StoreOptions.Limits(3, PART_BYTES_MIN, 1000, 2000, recordBodyBytesMax);
    }

    /** Longest body that lies in its record. */
    int recordBodyBytesMax() {
        return recordBodyBytesMax(cube);
    }

    /** The cube under the store; the tests on disk give another one. */
    Cube openCube() throws IOException {
        return new FakeCube();
    }

    @BeforeEach
    void openStore() throws IOException {
        cube = openCube();
        store = reopen();
        BucketInfo bucket = store.createBucket(ALICE, BUCKET);
        assertThat(bucket.versioning()).isEqualTo(VersioningState.UNVERSIONED);
    }

    @AfterEach
    void closeStore() throws IOException {
        try (Cube last = cube) {
            store.close();
            Signing.audit(this, store, last);
        }
    }

    /** Another store on the same cube, as after a restart. */
    VersionedStore reopen() throws IOException {
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
    StoreOptions options(StoreOptions usual) throws IOException {
        return Signing.options(this, usual);
    }

    /** Returns the provenance of a store that signs. */
    Provenance provenance() {
        return store.provenance().orElseThrow();
    }

    /** Returns the entries in the chain of a key, oldest first. */
    List<Entry> entries(String key) throws IOException {
        List<Entry> entries = new ArrayList<>();
        provenance().entries(BUCKET, key(key), record -> entries.add(record.entry()));
        return entries;
    }

    List<EventKind> kinds(String key) throws IOException {
        return entries(key).stream().map(Entry::kind).toList();
    }

    /** The clock goes on from here, which may be a time that was before. */
    void turnClockTo(Instant time) {
        seconds.set(time.getEpochSecond());
    }

    void versioning(VersioningState state) throws IOException {
        store.setVersioning(ALICE, BUCKET, state);
    }

    static ObjectKey key(String value) {
        return new ObjectKey(value);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String md5(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(utf8(text));
            return String.format("%032x", new BigInteger(1, digest));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    static ObjectAttributes attributes(String text) {
        return new ObjectAttributes(
                md5(text),
                new TreeMap<>(Map.of("content-type", "text/plain")),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty());
    }

    PendingBlob body(String text) throws IOException {
        byte[] bytes = utf8(text);
        try (BlobWriter writer = store.newBody(BUCKET, OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            return writer.finish();
        }
    }

    ObjectVersion put(String key, String text) throws IOException {
        return put(key, text, WriteCondition.NONE);
    }

    ObjectVersion put(String key, String text, WriteCondition condition) throws IOException {
        return store.put(caller, BUCKET, key(key), body(text), attributes(text), condition);
    }

    String get(String key) throws IOException {
        return get(key, LATEST);
    }

    String get(String key, VersionSelector selector) throws IOException {
        OpenObject object = store.open(caller, BUCKET, key(key), selector);
        try (BlobReader reader = object.reader()) {
            assertThat(reader.bytes()).isEqualTo(object.version().bytes());
            return content(reader);
        }
    }

    static String content(BlobReader reader) throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) reader.bytes());
        while (all.hasRemaining()) {
            ByteBuffer chunk = ByteBuffer.allocateDirect(reader.bufferBytes(all.position()));
            reader.read(all.position(), reader.bytes(), chunk);
            assertThat(chunk.hasRemaining()).isTrue();
            all.put(chunk);
        }
        return new String(all.array(), StandardCharsets.UTF_8);
    }

    Optional<ObjectVersion> head(String key) throws IOException {
        return head(key, LATEST);
    }

    Optional<ObjectVersion> head(String key, VersionSelector selector) throws IOException {
        return store.head(ALICE, BUCKET, key(key), selector);
    }

    DeleteResult delete(String key) throws IOException {
        return delete(key, LATEST);
    }

    DeleteResult delete(String key, VersionSelector selector) throws IOException {
        return store.delete(caller, BUCKET, key(key), selector, WriteCondition.NONE);
    }

    static VersionSelector number(ObjectVersion version) {
        return new VersionSelector.Numbered(version.number());
    }

    /** Every version of the bucket, newest first within a key. */
    List<ObjectVersion> allVersions() throws IOException {
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
    List<String> chain() throws IOException {
        return allVersions().stream()
                .map(
                        version ->
                                version.key().value()
                                        + (version.nullVersion() ? " null" : " id")
                                        + (version.latest() ? "*" : "")
                                        + (version.deleteMarker() ? "-" : ""))
                .toList();
    }

    String createUpload(String key) throws IOException {
        return store.createUpload(ALICE, BUCKET, key(key), uploadAttributes()).uploadId();
    }

    static ObjectAttributes uploadAttributes() {
        return new ObjectAttributes(
                "",
                new TreeMap<>(Map.of("content-type", "video/mp4")),
                new TreeMap<>(Map.of("camera", "left")),
                new TreeMap<>(),
                Optional.empty());
    }

    PartInfo putPart(String key, String uploadId, int number, String text) throws IOException {
        PartInfo part = new PartInfo(number, 0, md5(text), Instant.EPOCH, Optional.empty());
        return store.putPart(ALICE, BUCKET, key(key), uploadId, part, body(text));
    }

    int rows(Family family) {
        int rows = 0;
        try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
            while (cursor.next()) {
                rows++;
            }
        }
        return rows;
    }

    /** Counts where the cube lets itself be counted. */
    void assertLiveBlobs(int wanted) {
        if (cube instanceof FakeCube fake) {
            assertThat(fake.liveBlobs()).isEqualTo(wanted);
        }
    }

    /** Runs it and expects to be refused for this reason. */
    static void refused(Reason reason, ThrowingCallable call) {
        StoreException refusal = catchThrowableOfType(StoreException.class, call);
        assertThat(refusal).as("refusal").isNotNull();
        assertThat(refusal.reason()).isEqualTo(reason);
        assertThat(refusal.getMessage()).isNotBlank();
    }
}
