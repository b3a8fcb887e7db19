package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The past is exact at every whole second, whoever wrote: what it shows is compared with notes that
 * were taken of all that clients could see when it was the present. Several actors write, delete,
 * copy, tag and lock, with and without versioning, under each policy; the clock goes on between
 * their writes, and while a write waits for its commit.
 */
class ExactPastTest extends PastFixture {
    private static final int INSTANTS = Integer.getInteger("volute.exact.instants", 100);
    private static final int SEEDS = Integer.getInteger("volute.exact.seeds", 24);
    private static final List<HistoryPolicy> POLICIES =
            List.of(
                    HistoryPolicy.CYCLE_AVOIDANCE,
                    HistoryPolicy.OPEN_CLOSE,
                    HistoryPolicy.GRAPH_FINESSE,
                    HistoryPolicy.EVERY_WRITE);
    private static final List<Caller> ACTORS =
            List.of(ALICE, THIEF, new Caller("alice", "key-h", "helper"));
    private static final Caller AUDITOR = new Caller("auditor", "key-x", "x");
    private static final List<String> KEYS = List.of("a", "b", "c/d", "c/e");

    private SplittableRandom random = new SplittableRandom(1);

    /** Makes the clock advance during a commit of {@link #writer}. */
    private boolean isSlow;

    /**
     * The only thread that moves the clock and draws numbers. Reads are flushed in threads of their
     * own, at any time: one that moved the clock behind a write would date the notes wrongly.
     */
    private final Thread writer = Thread.currentThread();

    /** Runs before each commit of another thread. */
    private volatile Runnable beforeOther = () -> {};

    /** The visible versions of each key now, newest version first. */
    private TreeMap<String, List<String>> present = new TreeMap<>();

    /** The versions that were visible at whole seconds. */
    private final Map<Instant, Map<String, List<String>>> notes = new TreeMap<>();

    private Instant noted = START;
    private int writes;

    static LongStream seeds() {
        long seed = Long.getLong("volute.exact.seed", 0);
        return seed != 0 ? LongStream.of(seed) : LongStream.rangeClosed(1, SEEDS);
    }

    @Override
    public HistorySettings historySettings() {
        return HistorySettings.DEFAULTS;
    }

    @Override
    public Cube openCube() throws IOException {
        return slowed(super.openCube());
    }

    /** The same cube, which sometimes takes its time to commit. */
    Cube slowed(Cube cube) {
        return (Cube)
                Proxy.newProxyInstance(
                        Cube.class.getClassLoader(),
                        new Class<?>[] {Cube.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("commit")) {
                                if (Thread.currentThread() != writer) {
                                    beforeOther.run();
                                } else if (isSlow && oneOf(4)) {
                                    pass(random.nextInt(700));
                                }
                            }
                            try {
                                return method.invoke(cube, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private boolean oneOf(int many) {
        return random.nextInt(many) == 0;
    }

    private void pass(long millis) {
        clock.updateAndGet(now -> now.plusMillis(millis));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("slow")
    void everyWholeSecondIsShownAsItWas(long seed) throws IOException {
        random = new SplittableRandom(seed);
        if (oneOf(2)) {
            store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
            if (oneOf(3)) {
                store.setObjectLock(ALICE, BUCKET, BucketLock.PLAIN);
            }
        }
        policy(POLICIES.get((int) seed % POLICIES.size()));
        while (notes.size() < INSTANTS) {
            step();
        }
        pass(1000);
        for (var note : notes.entrySet()) {
            assertThat(seen(store.asOf(note.getKey()), ""))
                    .as("at %s, seed %s (-Dvolute.exact.seed)", note.getKey(), seed)
                    .isEqualTo(note.getValue());
        }
    }

    /**
     * A write at a whole second belongs to that second, also if the clock goes on before the writer
     * looks at it again: here because another thread commits behind it.
     */
    @Test
    void aWriteBelongsToTheTimeOfItsCommit() throws Exception {
        assertThat(put(ALICE, "a", "before")).isNotNull();
        pass(50_000);
        Instant second = clock.get();
        assertThat(put(ALICE, "a", "at the second")).isNotNull();
        beforeOther = () -> pass(300);
        FutureTask<ObjectVersion> other = new FutureTask<>(() -> put(THIEF, "b", "behind it"));
        Thread.ofVirtual().start(other).join();
        assertThat(other.get()).isNotNull();
        assertThat(clock.get()).isEqualTo(second.plusMillis(300));
        pass(1);
        assertThat(past(second)).isEqualTo(Map.of("a", "at the second"));
        assertThat(past(second.minusMillis(1))).isEqualTo(Map.of("a", "before"));
        assertThat(past(second.plusMillis(300)))
                .isEqualTo(Map.of("a", "at the second", "b", "behind it"));
    }

    /** One write or none, and some time behind it. */
    private void step() throws IOException {
        String key = KEYS.get(random.nextInt(KEYS.size()));
        Caller actor = ACTORS.get(random.nextInt(ACTORS.size()));
        Instant before = clock.get();
        isSlow = true;
        change(actor, key);
        isSlow = false;
        // A reader of an instant also sees the commits of its millisecond.
        note(before, clock.get().minusMillis(1));
        for (String each : KEYS) {
            List<String> now = seen(store, each).getOrDefault(each, List.of());
            if (now.isEmpty()) {
                present.remove(each);
            } else {
                present.put(each, now);
            }
        }
        Instant after = clock.get();
        pass(
                switch (random.nextInt(12)) {
                    case 0 -> 0;
                    case 1 -> 1;
                    case 2 -> 1000 - after.toEpochMilli() % 1000;
                    case 3 -> 1000 + random.nextInt(4000);
                    default -> random.nextInt(400);
                });
        note(after, clock.get().minusMillis(1));
    }

    /** Records the present versions for each whole second between two instants. */
    private void note(Instant from, Instant to) {
        assertThat(from).isAfterOrEqualTo(noted.minusSeconds(1));
        while (!noted.isAfter(to)) {
            notes.put(noted, new TreeMap<>(present));
            noted = noted.plusSeconds(1);
        }
    }

    private void change(Caller actor, String key) throws IOException {
        ObjectKey name = new ObjectKey(key);
        String text = "text " + writes++;
        List<ObjectVersion> versions = versions(store, key);
        boolean isThere = !versions.isEmpty() && !versions.getFirst().deleteMarker();
        Optional<ObjectVersion> any =
                versions.isEmpty()
                        ? Optional.empty()
                        : Optional.of(versions.get(random.nextInt(versions.size())));
        Optional<ObjectVersion> object =
                isThere ? Optional.of(versions.getFirst()) : Optional.empty();
        switch (random.nextInt(17)) {
            case 0, 1, 2, 3 -> assertThat(put(actor, key, text)).isNotNull();
            case 4, 5 -> delete(actor, key);
            case 6, 7 -> {
                if (any.isPresent()) {
                    remove(actor, any.get());
                }
            }
            case 8 -> {
                if (isThere) {
                    assertThat(read(actor, key)).isNotEmpty();
                }
            }
            case 9 -> {
                if (object.isPresent()) {
                    assertThat(tag(actor, object.get(), text)).isNotNull();
                }
            }
            case 10 -> {
                if (isThere) {
                    copy(actor, name, new ObjectKey(KEYS.get(random.nextInt(KEYS.size()))));
                }
            }
            case 11 -> upload(actor, name, text);
            case 12 -> assertThat(store.deleteAll(actor, BUCKET, all())).hasSize(KEYS.size());
            case 13 -> changeVersioning(actor);
            case 14 -> {
                if (oneOf(4)) {
                    store.close();
                    store = openStore();
                }
            }
            case 15 -> {
                if (isLocking() && object.isPresent()) {
                    hold(actor, object.get());
                }
            }
            default -> {
                assertThat(put(actor, key, text)).isNotNull();
                isSlow = false;
                assertThat(put(actor, key, text + " again")).isNotNull();
            }
        }
    }

    private static List<DeleteTarget> all() {
        return KEYS.stream()
                .map(
                        key ->
                                new DeleteTarget(
                                        new ObjectKey(key),
                                        VersionSelector.LATEST,
                                        WriteCondition.NONE))
                .toList();
    }

    private static VersionSelector selector(ObjectVersion version) {
        return version.nullVersion()
                ? VersionSelector.NULL
                : new VersionSelector.Numbered(version.number());
    }

    private void remove(Caller actor, ObjectVersion version) throws IOException {
        try {
            assertThat(
                            store.delete(
                                    actor,
                                    BUCKET,
                                    version.key(),
                                    selector(version),
                                    WriteCondition.NONE))
                    .isNotNull();
        } catch (StoreException e) {
            assertThat(e.reason()).isEqualTo(Reason.LOCKED);
        }
    }

    private ObjectVersion tag(Caller actor, ObjectVersion version, String text) throws IOException {
        return store.setTags(actor, BUCKET, version.key(), selector(version), Map.of("tag", text));
    }

    private boolean isLocking() {
        return store.bucket(BUCKET).orElseThrow().lock().isPresent();
    }

    private void hold(Caller actor, ObjectVersion version) throws IOException {
        LegalHold hold = oneOf(4) ? LegalHold.ON : LegalHold.OFF;
        assertThat(
                        store.setLock(
                                actor,
                                BUCKET,
                                version.key(),
                                selector(version),
                                new ObjectLock.Change.OfLegalHold(hold)))
                .isNotNull();
    }

    private void copy(Caller actor, ObjectKey from, ObjectKey to) throws IOException {
        var copied =
                store.copy(
                        actor,
                        new Source(BUCKET, from, VersionSelector.LATEST, Optional.empty()),
                        BUCKET,
                        to,
                        version -> {},
                        ObjectVersion::attributes,
                        WriteCondition.NONE);
        assertThat(copied.target().latest()).isTrue();
    }

    private void upload(Caller actor, ObjectKey key, String text) throws IOException {
        String id =
                store.createUpload(actor, BUCKET, key, StoreFixture.attributes(text)).uploadId();
        byte[] bytes = StoreFixture.utf8(text);
        PartInfo part;
        try (BlobWriter writer =
                store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            PartInfo asked =
                    new PartInfo(1, 0, StoreFixture.md5(text), clock.get(), Optional.empty());
            part = store.putPart(actor, BUCKET, key, id, asked, writer.finish());
        }
        assertThat(
                        store.completeUpload(
                                actor,
                                BUCKET,
                                key,
                                id,
                                List.of(new PartChoice(1, part.etag(), Optional.empty())),
                                (upload, chosen) -> StoreFixture.attributes(text),
                                WriteCondition.NONE))
                .isNotNull();
    }

    private void changeVersioning(Caller actor) throws IOException {
        VersioningState now = store.bucket(BUCKET).orElseThrow().versioning();
        if (now != VersioningState.UNVERSIONED && !isLocking() && oneOf(3)) {
            store.setVersioning(
                    actor, BUCKET, oneOf(2) ? VersioningState.ENABLED : VersioningState.SUSPENDED);
        }
    }

    /** The versions of keys with a prefix, newest first within a key. */
    private static List<ObjectVersion> versions(ObjectReader of, String prefix) throws IOException {
        return of.listVersions(
                        ALICE, BUCKET, new VersionQuery(prefix, "", "", Optional.empty(), 1000))
                .versions();
    }

    /** All that a client can see of keys with a prefix: their versions, and what they hold. */
    private static Map<String, List<String>> seen(ObjectReader of, String prefix)
            throws IOException {
        Map<String, List<String>> seen = new TreeMap<>();
        for (ObjectVersion listed : versions(of, prefix)) {
            String shown =
                    (listed.latest() ? "latest " : "")
                            + (listed.nullVersion() ? "null " : "")
                            + listed.number()
                            + listed.writtenLater().map(at -> " written " + at).orElse("")
                            + (listed.deleteMarker() ? " marker" : content(of, listed));
            seen.computeIfAbsent(listed.key().value(), key -> new ArrayList<>()).add(shown);
        }
        return seen;
    }

    private static String content(ObjectReader of, ObjectVersion listed) throws IOException {
        OpenObject object = of.open(AUDITOR, BUCKET, listed.key(), selector(listed));
        try (BlobReader reader = object.reader()) {
            ObjectAttributes attributes = object.version().attributes();
            assertThat(attributes.etag()).isEqualTo(listed.attributes().etag());
            return " " + StoreFixture.content(reader) + attributes.tags() + attributes.lock();
        }
    }
}
