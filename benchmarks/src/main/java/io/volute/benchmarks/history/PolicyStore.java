package io.volute.benchmarks.history;

import static io.volute.versioning.rows.Families.ACTORS;
import static io.volute.versioning.rows.Families.EVENTS;
import static io.volute.versioning.rows.Families.EVENT_INDEX;
import static io.volute.versioning.rows.Families.HISTORY;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.Ticks;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.io.OsFileSystem;
import io.volute.storage.io.WriteCause;
import io.volute.versioning.History;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Restore;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** An object store with a bucket of one policy in a directory of its own. Thread-safe. */
final class PolicyStore implements HistoryStore {
    private static final BucketName NAME = new BucketName(BUCKET);

    private final String name;
    private final Scratch scratch;
    private final SecureRandom random;
    private final Cube cube;
    private VersionedStore store;

    /** Creates a store without S3 versioning. */
    PolicyStore(HistoryPolicy policy, Path directory) throws IOException {
        this(policy.text(), policy, directory);
    }

    /** Creates a store without S3 versioning, with the given history resolution. */
    PolicyStore(HistoryPolicy policy, Duration resolution, Path directory) throws IOException {
        this(policy.text() + ", resolution " + resolution.toSeconds() + " s", policy, directory);
        store.settings().setResolution(NAME, Optional.of(resolution));
    }

    /** Creates a store that keeps every overwritten state as an S3 version, without causality. */
    static PolicyStore plainVersioning(Path directory) throws IOException {
        PolicyStore plain = new PolicyStore("plain versioning", HistoryPolicy.NONE, directory);
        plain.store.setVersioning(caller("owner"), NAME, VersioningState.ENABLED);
        return plain;
    }

    private PolicyStore(String name, HistoryPolicy policy, Path directory) throws IOException {
        this.name = name;
        this.scratch = Scratch.in(directory);
        this.random = new SecureRandom();
        this.cube =
                Cubes.open(
                                new CubeOptions(
                                        scratch.directory(),
                                        new OsFileSystem(),
                                        InstantSource.system(),
                                        random,
                                        ObjectStores.families(),
                                        LogSettings.defaults()))
                        .cube();
        this.store = openStore();
        Caller owner = caller("owner");
        store.createBucket(owner, NAME);
        store.setHistoryPolicy(owner, NAME, policy);
    }

    private VersionedStore openStore() throws IOException {
        return ObjectStores.open(StoreOptions.defaults(cube, InstantSource.system(), random));
    }

    @Override
    public void endSessions() throws IOException {
        store.close();
        store = openStore();
    }

    private static Caller caller(String actor) {
        return new Caller("bench", "bench", actor);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void put(String actor, String key, byte[] content) throws IOException {
        ObjectAttributes attributes =
                ObjectAttributes.ofEtag(
                        String.format(
                                Locale.ROOT, "%032x", Arrays.hashCode(content) & 0xFFFFFFFFL));
        try (BlobWriter writer = store.newBody(NAME, OptionalLong.of(content.length))) {
            writer.write(ByteBuffer.wrap(content));
            var made =
                    store.put(
                            caller(actor),
                            NAME,
                            new ObjectKey(key),
                            writer.finish(),
                            attributes,
                            WriteCondition.NONE);
            assert made.latest();
        }
    }

    @Override
    public Optional<byte[]> get(String actor, String key) throws IOException {
        try {
            return Optional.of(content(caller(actor), new ObjectKey(key)));
        } catch (StoreException e) {
            if (e.reason() != Reason.NO_SUCH_KEY) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private byte[] content(Caller caller, ObjectKey key) throws IOException {
        OpenObject object = store.open(caller, NAME, key, VersionSelector.LATEST);
        try (BlobReader reader = object.reader()) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.bytes());
            while (all.hasRemaining()) {
                ByteBuffer chunk = ByteBuffer.allocateDirect(reader.bufferBytes(all.position()));
                reader.read(all.position(), reader.bytes(), chunk);
                all.put(chunk);
            }
            return all.array();
        }
    }

    @Override
    public long restore(Restore.Goal goal) throws IOException {
        Restore restore = store.restore();
        Restore.Run run =
                restore.start(
                        caller("owner"),
                        new Restore.Request(NAME, "", goal, Restore.OnConflict.OVERWRITE));
        while (run.phase() == Restore.Phase.RUNNING) {
            Ticks.waitUntil(Ticks.nanos() + POLL_NANOS);
            run = restore.run(run.id());
        }
        if (run.phase() != Restore.Phase.DONE) {
            throw new IOException("the restore ended as " + run);
        }
        return run.restored();
    }

    @Override
    public Taken taken() throws IOException {
        History.Kept kept = store.history().kept(NAME);
        return new Taken(
                OptionalLong.of(
                        cube.stats().bytesWritten().getOrDefault(WriteCause.CLIENT_DATA, 0L)),
                OptionalLong.of(kept.states()),
                OptionalLong.of(kept.bytes()),
                OptionalLong.of(causalBytes()));
    }

    @Override
    public List<ProcessHandle> processes() {
        return List.of(ProcessHandle.current());
    }

    private long causalBytes() throws IOException {
        // Whoever asks has the events written down.
        var actors = store.history().actors(History.ActorFilter.ALL, Optional.empty(), 1);
        assert actors.entries().size() <= 1;
        long bytes = 0;
        for (Family family : List.of(EVENTS, ACTORS, HISTORY, EVENT_INDEX)) {
            try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
                while (cursor.next()) {
                    bytes +=
                            cursor.key().length
                                    + cursor.record().summary().length
                                    + cursor.record().detailBytes();
                }
            }
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        store.close();
        cube.close();
        scratch.close();
    }
}
