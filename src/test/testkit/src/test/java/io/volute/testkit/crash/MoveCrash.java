package io.volute.testkit.crash;

import static io.volute.testkit.crash.HistorySession.BUCKET;
import static io.volute.testkit.crash.HistorySession.OWNER;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Cubes;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Placement;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Moves a bucket to another cube, splits it, or merges it, under the crash machine, while a client
 * writes. After every crash one cube has each key, the move goes on to its end, each acknowledged
 * write and each version is there, and the audit is clean.
 */
class MoveCrash {
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
    private static final List<String> CUBES = List.of(StoreCubes.SYSTEM, "one", "two");
    private static final int WRITES = 12;
    private static final ObjectKey AT = new ObjectKey("s-f");

    /** The kinds of moves. */
    private enum Kind {
        MOVE,
        SPLIT,
        MERGE
    }

    /**
     * The state known outside of the machine.
     *
     * @param texts acknowledged contents of the keys that the client writes
     * @param begun the content of the write that is not acknowledged, by key
     * @param versions what the other keys have
     */
    private record Known(
            Map<String, String> texts,
            Map<String, String> begun,
            List<String> versions,
            Map<String, MemoryIndexFactory> indexes) {
        Known {
            texts = Map.copyOf(texts);
            begun = Map.copyOf(begun);
        }
    }

    /** The cubes on the disk of the machine. */
    private static final class Session implements StoreCubes.Files, AutoCloseable {
        private final SimFileSystem disk;
        private final Map<String, MemoryIndexFactory> indexes;
        private final Set<String> known;
        private final Cube system;
        private final StoreCubes cubes;
        private final VersionedStore store;

        Session(SimFileSystem disk, Map<String, MemoryIndexFactory> indexes, List<String> known)
                throws Exception {
            this.disk = disk;
            this.indexes = indexes;
            this.known = new HashSet<>(known);
            this.system = open(StoreCubes.SYSTEM);
            this.cubes = ObjectStores.openCubes(this, system, Session::options, Placement.DEFAULT);
            cubes.awaitOpened(Duration.ofMinutes(1));
            this.store = cubes.store();
        }

        private static StoreOptions options(Cube cube) {
            return new StoreOptions(
                            cube,
                            () -> START,
                            new SplittableRandom(3),
                            StoreOptions.Limits.S3,
                            HistorySettings.DEFAULTS)
                    .with(SimProvenance.settings());
        }

        @Override
        public Cube open(String name) throws IOException {
            known.add(name);
            LogSettings settings =
                    new LogSettings(
                            256 << 10, 300, 8_000, 200_000, 1 << 20, 1 << 20, OnDamage.REFUSE);
            return Cubes.open(
                            new CubeOptions(
                                    Path.of("/cubes/" + name),
                                    disk,
                                    () -> START,
                                    new SplittableRandom(name.hashCode()),
                                    ObjectStores.families(),
                                    settings),
                            indexes.get(name))
                    .cube();
        }

        @Override
        public Optional<UUID> identity(String name) {
            return known.contains(name)
                    ? Optional.of(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)))
                    : Optional.empty();
        }

        @Override
        public void allowSeveralCubes() {}

        @Override
        public void discardIndex(String name) {
            throw new UnsupportedOperationException(name);
        }

        @Override
        public String retire(String name, int number) {
            throw new UnsupportedOperationException(name);
        }

        ObjectVersion put(String key, String text) throws IOException {
            while (true) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                try (BlobWriter writer =
                        store.newBody(BUCKET, new ObjectKey(key), OptionalLong.of(bytes.length))) {
                    writer.write(ByteBuffer.wrap(bytes));
                    return store.put(
                            OWNER,
                            BUCKET,
                            new ObjectKey(key),
                            writer.finish(),
                            HistoryView.attributes(text),
                            WriteCondition.NONE);
                } catch (CubeUnavailableException e) {
                    // The bucket moved behind the body: a client repeats the request.
                    assertThat(e.reason()).isEqualTo(CubeUnavailableException.Reason.BUSY);
                }
            }
        }

        String text(ObjectVersion version) throws IOException {
            try (BlobReader reader =
                    store.open(
                                    OWNER,
                                    BUCKET,
                                    version.key(),
                                    new VersionSelector.Numbered(version.number()))
                            .reader()) {
                StringBuilder text = new StringBuilder();
                ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
                for (long place = 0; place < reader.bytes(); place += buffer.remaining()) {
                    buffer.clear();
                    reader.read(place, reader.bytes(), buffer);
                    text.append(StandardCharsets.UTF_8.decode(buffer.duplicate()));
                }
                return text.toString();
            }
        }

        /** Returns the versions of the keys that nobody writes during the move. */
        List<String> versions() throws IOException {
            List<String> found = new ArrayList<>();
            for (ObjectVersion each :
                    store.listVersions(
                                    OWNER,
                                    BUCKET,
                                    new VersionQuery("s", "", "", Optional.empty(), 100))
                            .versions()) {
                String text = each.deleteMarker() ? "" : Integer.toHexString(text(each).hashCode());
                found.add(each + " " + text);
            }
            return found;
        }

        void awaitMoves() {
            List<StoreCubes.Move> moves = cubes.moves().list();
            while (!moves.isEmpty()) {
                assertThat(moves).allMatch(move -> move.why().isEmpty());
                Thread.onSpinWait();
                moves = cubes.moves().list();
            }
        }

        @Override
        public void close() throws IOException {
            cubes.close();
            system.close();
        }
    }

    private static Map<String, MemoryIndexFactory> images(Map<String, MemoryIndexFactory> of) {
        Map<String, MemoryIndexFactory> images = new TreeMap<>();
        of.forEach((name, index) -> images.put(name, index.crashImage()));
        return images;
    }

    private static final class Workflow implements CrashWorkflow<Known> {
        private final Kind kind;
        private final AtomicReference<Known> known = new AtomicReference<>();

        Workflow(Kind kind) {
            this.kind = kind;
        }

        @Override
        public String name() {
            return kind.name().toLowerCase(Locale.ROOT);
        }

        @Override
        public void run(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            Map<String, MemoryIndexFactory> indexes = new TreeMap<>();
            CUBES.forEach(name -> indexes.put(name, new MemoryIndexFactory()));
            try (Session session = session(disk, indexes, List.of(StoreCubes.SYSTEM))) {
                session.cubes.create("one");
                session.cubes.create("two");
                fill(session);
                if (kind == Kind.MERGE) {
                    assertThat(session.cubes.moves().split(BUCKET, AT, "two")).isNotNull();
                    session.awaitMoves();
                }
                known.set(new Known(Map.of(), Map.of(), session.versions(), indexes));
                probe.watch(
                        () -> {
                            Known now = known.get();
                            return new Known(
                                    now.texts(), now.begun(), now.versions(), images(indexes));
                        });
                begin(session.cubes.moves());
                probe.point("start of the move");
                for (int i = 0; i < WRITES; i++) {
                    // Keys on both sides of the split.
                    write(
                            session,
                            (i % 4 < 2 ? "w" : "a") + i % 3,
                            "text " + i + "-".repeat(i % 2 == 0 ? 10 : 400));
                }
                session.awaitMoves();
                probe.point("end of the move");
            }
        }

        private void begin(StoreCubes.Moves moves) throws IOException {
            StoreCubes.Move begun =
                    switch (kind) {
                        case MOVE -> moves.start(BUCKET, "two");
                        case SPLIT -> moves.split(BUCKET, AT, "two");
                        case MERGE -> moves.merge(BUCKET, AT);
                    };
            assertThat(begun.bucket()).isEqualTo(BUCKET);
        }

        private static Session session(
                SimFileSystem disk, Map<String, MemoryIndexFactory> indexes, List<String> known)
                throws IOException {
            try {
                return new Session(disk, indexes, known);
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }

        private static void fill(Session session) throws IOException {
            VersionedStore store = session.store;
            assertThat(store.createBucket(OWNER, BUCKET, false, Map.of(), Optional.of("one")))
                    .isNotNull();
            store.setVersioning(OWNER, BUCKET, VersioningState.ENABLED);
            store.setHistoryPolicy(OWNER, BUCKET, HistoryPolicy.EVERY_WRITE);
            for (int i = 0; i < 4; i++) {
                session.put("s-versions", "version " + i);
                session.put("s-big", "b".repeat(20_000 + i));
            }
            session.put("s-gone", "gone");
            store.delete(
                    OWNER,
                    BUCKET,
                    new ObjectKey("s-gone"),
                    VersionSelector.LATEST,
                    WriteCondition.NONE);
        }

        private void write(Session session, String key, String text) throws IOException {
            known.updateAndGet(
                    was ->
                            new Known(
                                    was.texts(), Map.of(key, text), was.versions(), was.indexes()));
            assertThat(session.put(key, text).bytes()).isEqualTo(text.length());
            known.updateAndGet(
                    was -> {
                        Map<String, String> texts = new TreeMap<>(was.texts());
                        texts.put(key, text);
                        return new Known(texts, Map.of(), was.versions(), was.indexes());
                    });
        }

        @Override
        public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                throws IOException {
            Map<String, MemoryIndexFactory> indexes = images(known.indexes());
            probe.watch(
                    () ->
                            new Known(
                                    known.texts(),
                                    known.begun(),
                                    known.versions(),
                                    images(indexes)));
            try (Session session = session(disk, indexes, CUBES)) {
                session.awaitMoves();
                long cubes =
                        session.cubes.opened().stream()
                                .filter(each -> each.store().bucket(BUCKET).isPresent())
                                .count();
                // Without a trace of the move, the bucket is where it was.
                assertThat(session.cubes.moves().parts(BUCKET)).hasSize(Math.toIntExact(cubes));
                assertThat(cubes).isLessThanOrEqualTo(kind == Kind.MOVE ? 1 : 2).isPositive();
                assertThat(session.versions()).isEqualTo(known.versions());
                for (Map.Entry<String, String> each : known.texts().entrySet()) {
                    ObjectVersion newest =
                            session.store
                                    .head(
                                            OWNER,
                                            BUCKET,
                                            new ObjectKey(each.getKey()),
                                            VersionSelector.LATEST)
                                    .orElseThrow();
                    assertThat(session.text(newest))
                            .isIn(
                                    each.getValue(),
                                    known.begun().getOrDefault(each.getKey(), each.getValue()));
                }
                assertThat(SimProvenance.audit(session.store.provenance().orElseThrow(), Range.ALL))
                        .as("nothing but how many chains there are")
                        .hasSize(1);
            }
            assertThat(disk.openFiles()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void crashesAtEveryEvent(Kind kind) throws IOException {
        CrashReport report = new CrashLoop(CrashLoop.Settings.usual()).run(new Workflow(kind));
        System.out.println(report);
        assertThat(report.checked()).isPositive();
    }
}
