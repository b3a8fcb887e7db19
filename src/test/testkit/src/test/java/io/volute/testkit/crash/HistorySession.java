package io.volute.testkit.crash;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.testkit.crash.HistoryView.Seen;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.Restore;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * A store with history in use: each write makes the next expected state, with the edges that it
 * depends on, and is counted when acknowledged. Each operation has a second of its own.
 */
final class HistorySession implements AutoCloseable {
    static final BucketName BUCKET = new BucketName("bucket");
    static final Caller OWNER = new Caller("owner", "key-o", "owner");
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    /**
     * The expected state after a write.
     *
     * @param edges that must be in the history when this state is there
     */
    record Step(Seen seen, Set<String> edges) {}

    /**
     * The state known outside of the machine.
     *
     * @param now of the clock
     * @param steps expected after 0, 1, 2, ... writes
     * @param acknowledged writes
     * @param indexes the part of the index that a crash leaves
     */
    record Known(Instant now, Steps steps, int acknowledged, MemoryIndexFactory indexes) {

        Known with(MemoryIndexFactory newIndexes) {
            return new Known(now, steps, acknowledged, newIndexes);
        }
    }

    /** All steps of a run. What a write under way will become is seen when it is done. */
    static final class Steps {
        private final List<Step> all = new ArrayList<>();

        /**
         * Returns the possible steps after so many acknowledged writes, including one that was
         * under way.
         */
        synchronized List<Step> from(int acknowledged) {
            return List.copyOf(all.subList(acknowledged, Math.min(all.size(), acknowledged + 2)));
        }

        private synchronized void add(Step step) {
            all.add(step);
        }
    }

    private record Progress(Instant now, int acknowledged) {}

    private final AtomicReference<Progress> progress =
            new AtomicReference<>(new Progress(START, -1));
    private final Steps steps = new Steps();
    private final MemoryIndexFactory indexes = new MemoryIndexFactory();
    private final CrashProbe<Known> probe;
    private final Cube cube;
    private final VersionedStore store;

    /** Edges that are in the log already, or go there with what depends on them. */
    private final Set<String> edges = new TreeSet<>();

    /** The reads of each actor since its last write. */
    private final Map<Caller, Set<String>> readings = new HashMap<>();

    private HistoryPolicy policy = HistoryPolicy.CYCLE_AVOIDANCE;
    private boolean isGraphed;
    private boolean isWatched;

    HistorySession(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
        this.probe = probe;
        this.cube = HistoryView.openCube(disk, indexes, this::now);
        this.store = HistoryView.openStore(cube, this::now);
        store.createBucket(OWNER, BUCKET);
    }

    private Instant now() {
        return progress.get().now();
    }

    /** From here on everything is crashed. */
    void watch() throws IOException {
        isWatched = true;
        written();
        probe.watch(
                () -> {
                    Progress at = progress.get();
                    return new Known(at.now(), steps, at.acknowledged(), indexes.crashImage());
                });
    }

    private void tick() {
        progress.updateAndGet(at -> new Progress(at.now().plusSeconds(1), at.acknowledged()));
    }

    /**
     * Records the state after a finished write. Observes it without adding reads to the history.
     */
    private void written() throws IOException {
        if (isWatched) {
            steps.add(new Step(HistoryView.see(store), Set.copyOf(edges)));
            progress.updateAndGet(at -> new Progress(at.now(), at.acknowledged() + 1));
            probe.point("acknowledgement of write " + progress.get().acknowledged());
        }
    }

    // ---- operations

    /** Puts and deletes many keys in the same second. */
    void overwrite(Caller caller, int keys, Predicate<Integer> isDeleted) throws IOException {
        tick();
        for (int i = 0; i < keys; i++) {
            if (isDeleted.test(i)) {
                remove(caller, "k" + i);
            } else {
                write(caller, "k" + i, caller.actor().label() + " " + i);
            }
        }
    }

    void put(Caller caller, String key, String text) throws IOException {
        tick();
        write(caller, key, text);
    }

    private void write(Caller caller, String key, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (BlobWriter writer =
                store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            ObjectVersion made =
                    store.put(
                            caller,
                            BUCKET,
                            new ObjectKey(key),
                            writer.finish(),
                            HistoryView.attributes(text),
                            WriteCondition.NONE);
            depends(caller, "PUT " + HistoryView.place(store, made.key()));
        }
        written();
    }

    /** Copies what is there. */
    void copy(Caller caller, String source, String key) throws IOException {
        tick();
        String from = HistoryView.place(store, new ObjectKey(source));
        var copied =
                store.copy(
                        caller,
                        new ObjectStore.Source(
                                BUCKET, new ObjectKey(source), VersionSelector.LATEST),
                        BUCKET,
                        new ObjectKey(key),
                        version -> {},
                        ObjectVersion::attributes,
                        WriteCondition.NONE);
        depends(caller, "PUT " + HistoryView.place(store, copied.target().key()) + " from " + from);
        written();
    }

    /** Deletes what is there. */
    void delete(Caller caller, String... keys) throws IOException {
        tick();
        remove(caller, keys);
    }

    private void remove(Caller caller, String... keys) throws IOException {
        List<DeleteTarget> targets = new ArrayList<>();
        for (String key : keys) {
            targets.add(
                    new DeleteTarget(
                            new ObjectKey(key), VersionSelector.LATEST, WriteCondition.NONE));
        }
        for (DeleteOutcome outcome : store.deleteAll(caller, BUCKET, targets)) {
            if (outcome instanceof DeleteOutcome.Refused refused) {
                throw refused.reason();
            }
        }
        depends(caller);
        written();
    }

    void read(Caller caller, String key) throws IOException {
        tick();
        OpenObject object = store.open(caller, BUCKET, new ObjectKey(key), VersionSelector.LATEST);
        try (BlobReader reader = object.reader()) {
            HistoryView.content(reader);
        }
        if (policy != HistoryPolicy.NONE) {
            asked();
        }
        // Of what it wrote itself an actor learns nothing.
        if (policy != HistoryPolicy.NONE && !HistoryView.isBy(store, caller, new ObjectKey(key))) {
            readings.computeIfAbsent(caller, who -> new TreeSet<>())
                    .add(
                            caller.actor().label()
                                    + " READ "
                                    + HistoryView.place(store, new ObjectKey(key)));
        }
    }

    void policy(HistoryPolicy other) throws IOException {
        tick();
        store.setHistoryPolicy(OWNER, BUCKET, other);
        policy = other;
        written();
    }

    /** Restores, and waits for the end; its writes are acknowledged to nobody. */
    Restore.Run restore(Restore.Goal goal) throws IOException {
        tick();
        Restore restore = store.restore();
        Restore.Run run =
                HistoryView.ended(
                        restore,
                        restore.start(
                                OWNER,
                                new Restore.Request(
                                        BUCKET, "", goal, Restore.OnConflict.OVERWRITE)));
        // A restore that goes on after a crash depends on nobody's reads, which may be lost. When
        // there was none they are in the log: its plan has asked for them.
        written();
        readings.values().forEach(edges::addAll);
        readings.clear();
        return run;
    }

    /** Adds the edges of a write, and the earlier reads of its caller, which it depends on. */
    private void depends(Caller caller, String... wrote) {
        if (policy != HistoryPolicy.NONE) {
            asked();
            Set<String> read = readings.remove(caller);
            if (read != null) {
                edges.addAll(read);
            }
            for (String each : wrote) {
                edges.add(caller.actor().label() + " " + each);
            }
        }
    }

    /** Ends all sessions at the first operation that needs the graph. */
    private void asked() {
        if (policy == HistoryPolicy.GRAPH_FINESSE && !isGraphed) {
            isGraphed = true;
            readings.clear();
        }
    }

    Instant instant() {
        return now();
    }

    /** Returns the edges that the history holds. */
    Set<String> edgesWritten() throws IOException {
        return HistoryView.edges(store);
    }

    Set<String> edgesExpected() {
        Set<String> all = new TreeSet<>(edges);
        readings.values().forEach(all::addAll);
        return all;
    }

    boolean isThere(String key) throws IOException {
        return store.head(OWNER, BUCKET, new ObjectKey(key), VersionSelector.LATEST).isPresent();
    }

    @Override
    public void close() throws IOException {
        store.close();
        cube.close();
    }
}
