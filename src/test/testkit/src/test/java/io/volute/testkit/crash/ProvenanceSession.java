package io.volute.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Cubes;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A store with provenance in use: what each commit will make is known before it is begun. */
final class ProvenanceSession implements AutoCloseable {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final Caller OWNER = new Caller("owner", "key-o", "owner");
    private static final Instant NEVER = Instant.parse("2100-01-01T00:00:00Z");
    private static final int KEYS = 6;

    /** The exponent of {@link #REACH}: small, so that short chains already lose old entries. */
    private static final int EXPONENT = 1;

    private static final int REACH = 1 << EXPONENT;

    /** Written to after a recovery, and by nothing else. */
    private static final ObjectKey LATER = new ObjectKey("later");

    /**
     * The expected state after a commit.
     *
     * @param publicKeys in the list of keys
     * @param checkpoints of all chains
     * @param current ETags by key
     * @param entries by key, as {@link SimProvenance#words} has them
     */
    record Seen(
            int publicKeys,
            int checkpoints,
            TreeMap<String, String> current,
            TreeMap<String, List<String>> entries) {
        /** A copy with keys of its own. */
        Seen copy(int newPublicKeys, int newCheckpoints) {
            TreeMap<String, List<String>> copied = new TreeMap<>();
            entries.forEach((key, each) -> copied.put(key, new ArrayList<>(each)));
            return new Seen(newPublicKeys, newCheckpoints, new TreeMap<>(current), copied);
        }

        private void tell(String key, String words) {
            entries.computeIfAbsent(key, same -> new ArrayList<>()).add(words);
        }
    }

    /**
     * The state known outside of the machine.
     *
     * @param begun expected states after 0, 1, 2 ... commits, up to the one under way
     * @param acknowledged commits
     * @param indexes the part of the index that a crash leaves
     */
    record Known(List<Seen> begun, int acknowledged, MemoryIndexFactory indexes) {
        List<Seen> allowed() {
            return begun.subList(acknowledged, begun.size());
        }
    }

    /** Each look at the clock is a millisecond later: only what is older may be removed. */
    private final AtomicLong millis = new AtomicLong();

    private final InstantSource clock = () -> Instant.ofEpochMilli(millis.incrementAndGet());
    private final Cube cube;
    private final VersionedStore store;
    private final MemoryIndexFactory indexes;
    private final CrashProbe<Known> probe;
    private final List<Seen> begun = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final TreeMap<String, Hash> contents = new TreeMap<>();

    private ProvenanceSession(
            SimFileSystem disk, MemoryIndexFactory indexes, CrashProbe<Known> probe)
            throws IOException {
        this.indexes = indexes;
        this.probe = probe;
        LogSettings settings =
                new LogSettings(64 << 10, 300, 4_000, 200_000, 1 << 20, 1 << 20, OnDamage.REFUSE);
        cube =
                Cubes.open(
                                new CubeOptions(
                                        Path.of("/cube"),
                                        disk,
                                        clock,
                                        new SplittableRandom(7),
                                        ObjectStores.families(),
                                        settings),
                                indexes)
                        .cube();
        store =
                ObjectStores.open(
                        StoreOptions.withoutHistory(
                                        cube,
                                        clock,
                                        new SplittableRandom(3),
                                        StoreOptions.Limits.S3)
                                .with(SimProvenance.settings(EXPONENT)));
    }

    /** On an empty disk; from its first event on everything is crashed. */
    static ProvenanceSession begin(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
        MemoryIndexFactory indexes = new MemoryIndexFactory();
        Seen empty = new Seen(1, 0, new TreeMap<>(), new TreeMap<>());
        probe.watch(() -> new Known(List.of(empty), 0, indexes.crashImage()));
        ProvenanceSession session = new ProvenanceSession(disk, indexes, probe);
        session.begun.add(empty);
        session.store.createBucket(OWNER, BUCKET);
        probe.watch(
                () -> {
                    int done = session.acknowledged.get();
                    return new Known(
                            List.copyOf(session.begun), done, session.indexes.crashImage());
                });
        return session;
    }

    /** On what a crash left; every other time without the index. */
    static ProvenanceSession recover(SimFileSystem disk, Known known, CrashProbe<Known> probe)
            throws IOException {
        MemoryIndexFactory indexes =
                known.acknowledged() % 2 == 1
                        ? new MemoryIndexFactory()
                        : known.indexes().crashImage();
        probe.watch(() -> new Known(known.begun(), known.acknowledged(), indexes.crashImage()));
        return new ProvenanceSession(disk, indexes, probe);
    }

    Provenance provenance() {
        return store.provenance().orElseThrow();
    }

    Seen seen() throws IOException {
        Seen seen =
                new Seen(
                        provenance().keys().size(),
                        provenance().checkpoints(0, Integer.MAX_VALUE).size(),
                        new TreeMap<>(),
                        new TreeMap<>());
        if (store.bucket(BUCKET).isPresent()) {
            for (int i = 0; i < KEYS; i++) {
                String key = "k" + i;
                store.head(OWNER, BUCKET, new ObjectKey(key), VersionSelector.LATEST)
                        .ifPresent(is -> seen.current.put(key, is.attributes().etag()));
                List<String> entries = entries(key);
                if (!entries.isEmpty()) {
                    seen.entries.put(key, entries);
                }
            }
        }
        return seen;
    }

    /** Before the first write nobody knows the bucket's chains. */
    private List<String> entries(String key) throws IOException {
        try {
            return SimProvenance.entries(provenance(), BUCKET, new ObjectKey(key));
        } catch (StoreException e) {
            assertThat(e.reason()).isEqualTo(StoreException.Reason.NO_SUCH_BUCKET);
            return List.of();
        }
    }

    // ---- operations

    private interface Operation {
        void run() throws IOException;
    }

    /** Expects what will be, does it, and counts it. */
    private void commit(Seen next, Operation operation) throws IOException {
        begun.add(next);
        operation.run();
        probe.point("acknowledgement of commit " + acknowledged.incrementAndGet());
    }

    private Seen next() {
        Seen last = begun.getLast();
        return last.copy(last.publicKeys, last.checkpoints);
    }

    boolean isThere(String key) {
        return begun.getLast().current.containsKey(key);
    }

    void put(String key, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        new SplittableRandom(begun.size()).nextBytes(content);
        Hash hash = Hash.ofContent(content);
        contents.put(key, hash);
        Seen next = next();
        next.current.put(key, hash.toString());
        next.tell(key, SimProvenance.words("WRITE", hash));
        commit(next, () -> write(new ObjectKey(key), content));
    }

    private void write(ObjectKey key, byte[] content) throws IOException {
        try (BlobWriter writer =
                store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(content.length))) {
            writer.write(ByteBuffer.wrap(content));
            var made =
                    store.put(
                            OWNER,
                            BUCKET,
                            key,
                            writer.finish(),
                            attributes(content),
                            WriteCondition.NONE);
            assert made.bytes() == content.length;
        }
    }

    private static ObjectAttributes attributes(byte[] content) {
        return ObjectAttributes.ofEtag(Hash.ofContent(content).toString());
    }

    void deleteAll(List<String> keys) throws IOException {
        Seen next = next();
        List<DeleteTarget> targets = new ArrayList<>();
        for (String key : keys) {
            targets.add(
                    new DeleteTarget(
                            new ObjectKey(key), VersionSelector.LATEST, WriteCondition.NONE));
            if (next.current.remove(key) != null) {
                next.tell(key, "DELETE");
            }
        }
        commit(
                next,
                () -> {
                    var outcomes = store.deleteAll(OWNER, BUCKET, targets);
                    assert outcomes.size() == keys.size();
                });
    }

    void tag(String key, String value) throws IOException {
        Hash hash =
                Domain.TAGS.hash(
                        new ByteWriter()
                                .u32(1)
                                .bytes32(Bytes.of("t"))
                                .bytes32(Bytes.of(value))
                                .toBytes());
        Seen next = next();
        next.tell(key, SimProvenance.words("TAGS", hash));
        commit(
                next,
                () -> {
                    var tagged =
                            store.setTags(
                                    OWNER,
                                    BUCKET,
                                    new ObjectKey(key),
                                    VersionSelector.LATEST,
                                    Map.of("t", value));
                    assert tagged.latest();
                });
    }

    void copy(String from, String to) throws IOException {
        Hash hash = contents.get(from);
        contents.put(to, hash);
        Seen next = next();
        next.current.put(to, hash.toString());
        next.tell(to, SimProvenance.words("COPY", hash));
        ObjectStore.Source source =
                new ObjectStore.Source(BUCKET, new ObjectKey(from), VersionSelector.LATEST);
        commit(
                next,
                () -> {
                    var copied =
                            store.copy(
                                    OWNER,
                                    source,
                                    BUCKET,
                                    new ObjectKey(to),
                                    version -> {},
                                    ObjectVersion::attributes,
                                    WriteCondition.NONE);
                    assert copied.target().latest();
                });
    }

    /** A new key, and the end of the old one. */
    void rotate() throws IOException {
        Seen last = begun.getLast();
        commit(last.copy(last.publicKeys + 2, last.checkpoints), provenance()::rotateKeys);
    }

    void checkpoint() throws IOException {
        Seen last = begun.getLast();
        commit(
                last.copy(last.publicKeys, last.checkpoints + 1),
                () -> {
                    var made = provenance().checkpoint(() -> true);
                    assert made.body().number() == last.checkpoints;
                });
    }

    /** Behind a checkpoint of everything; returns how many chains are shorter, each a commit. */
    int removeOld() throws IOException {
        checkpoint();
        int commits = 0;
        for (String key : List.copyOf(begun.getLast().entries.keySet())) {
            Seen next = next();
            List<String> entries = next.entries.get(key);
            int gone = removable(entries, next.current.containsKey(key));
            if (gone > 0) {
                entries.subList(0, gone).clear();
                entries.add("SUMMARY");
                begun.add(next);
                commits++;
            }
        }
        var removed = provenance().removeOld(new Provenance.Retention(NEVER, 10_000, 1));
        assert removed.isRoundOver();
        int done = acknowledged.addAndGet(commits);
        probe.point("acknowledgement of commit " + done);
        return commits;
    }

    /** The head stays, what is about the state that is there, and what is within reach. */
    private static int removable(List<String> entries, boolean isThere) {
        int last = entries.size() - 1;
        int state = last;
        while (isThere
                && !entries.get(state).startsWith("WRITE")
                && !entries.get(state).startsWith("COPY")) {
            state--;
        }
        return Math.max(0, Math.min(state, entries.size() - REACH));
    }

    /** Returns the findings about the checkpoints, and about the chains in the newest one. */
    List<String> auditCheckpoints() throws IOException {
        return provenance().auditCheckpoints(OptionalLong.empty(), () -> true);
    }

    /** Changes nothing that can be seen. */
    void clean() throws IOException {
        commit(
                next(),
                () -> {
                    long freed = cube.clean(Cube.Cleaning.COMBINED);
                    assert freed >= 0;
                });
    }

    /** After a recovery. */
    void goOn() throws IOException {
        if (store.bucket(BUCKET).isPresent()) {
            write(LATER, new byte[] {1});
        }
    }

    @Override
    public void close() throws IOException {
        store.close();
        cube.close();
    }
}
