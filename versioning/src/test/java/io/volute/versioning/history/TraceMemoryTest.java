package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.EVENTS;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.versioning.DiskCubes;
import io.volute.versioning.History;
import io.volute.versioning.History.Direction;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Page;
import io.volute.versioning.History.Step;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A million edges that a store wrote are traced from one end to the other, and indexed for it, by a
 * process whose heap does not hold them.
 */
@Tag("slow")
class TraceMemoryTest {
    /** A walk needs less than half of it; no edge has 32 bytes of it. */
    private static final String HEAP = "-Xmx32m";

    private static final int WIDTH = 32;
    private static final int LAYERS = 960;
    private static final int PAGE = 1000;
    private static final int EDGES = LAYERS * WIDTH * (WIDTH + 1);
    private static final Instant START = Instant.ofEpochSecond(1_700_000_000L);
    private static final Instant LATER = START.plus(Duration.ofDays(30));
    private static final BucketName BUCKET = new BucketName("photos");
    private static final Caller OWNER = new Caller("alice", "key-a", "owner");

    @TempDir private static Path directory;

    private static VersionedStore store(Cube cube, AtomicReference<Instant> clock)
            throws IOException {
        return ObjectStores.open(
                new StoreOptions(
                        cube,
                        clock::get,
                        new SplittableRandom(5),
                        StoreFixture.limits(StoreOptions.Limits.S3.recordBodyBytesMax()),
                        StoreOptions.HistorySettings.DEFAULTS));
    }

    private static ObjectKey key(int layer, int place) {
        return new ObjectKey("layer " + layer + " place " + place);
    }

    private static ObjectKey put(VersionedStore store, Caller caller, ObjectKey key)
            throws IOException {
        byte[] bytes = StoreFixture.utf8(key.value());
        try (BlobWriter writer =
                store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            return store.put(
                            caller,
                            BUCKET,
                            key,
                            writer.finish(),
                            StoreFixture.attributes(key.value()),
                            WriteCondition.NONE)
                    .key();
        }
    }

    /** Reads all of a layer, and writes one object of the next. */
    private static Callable<ObjectKey> actor(VersionedStore store, int layer, int place) {
        Caller caller = new Caller("alice", "key-a", layer + "." + place);
        return () -> {
            for (int from = 0; from < WIDTH; from++) {
                OpenObject object =
                        store.open(caller, BUCKET, key(layer, from), VersionSelector.LATEST);
                try (var reader = object.reader()) {
                    assertThat(StoreFixture.content(reader)).isNotEmpty();
                }
            }
            return put(store, caller, key(layer + 1, place));
        };
    }

    @BeforeAll
    static void aMillionEdges() throws Exception {
        AtomicReference<Instant> clock = new AtomicReference<>(START);
        try (Cube cube = DiskCubes.open(directory, clock::get);
                ExecutorService threads =
                        Executors.newThreadPerTaskExecutor(
                                Thread.ofVirtual().name("actor-", 0).factory())) {
            VersionedStore store = store(cube, clock);
            assertThat(store.createBucket(OWNER, BUCKET).name()).isEqualTo(BUCKET);
            for (int place = 0; place < WIDTH; place++) {
                assertThat(put(store, OWNER, key(0, place))).isEqualTo(key(0, place));
            }
            for (int layer = 0; layer < LAYERS; layer++) {
                List<Callable<ObjectKey>> actors = new ArrayList<>();
                for (int place = 0; place < WIDTH; place++) {
                    actors.add(actor(store, layer, place));
                }
                for (Future<ObjectKey> each : threads.invokeAll(actors)) {
                    assertThat(each.get()).isNotNull();
                }
                clock.updateAndGet(now -> now.plus(Duration.ofMinutes(1)));
            }
            store.close();
            int[] edges = new int[1];
            forEachEvent(cube, event -> edges[0]++);
            assertThat(edges[0]).isEqualTo(EDGES + WIDTH).isGreaterThan(1_000_000);
        }
    }

    private static void forEachEvent(Cube cube, Consumer<Event> visitor) throws IOException {
        try (RecordCursor cursor = cube.scan(EVENTS, new byte[0], new byte[0])) {
            while (cursor.next()) {
                byte[] bytes =
                        cursor.record().detailBytes() == 0
                                ? cursor.record().summary()
                                : cube.readDetail(EVENTS, cursor.key(), cursor.record());
                EventRow.decode(bytes).forEach(visitor);
            }
        }
    }

    /** Returns the output of a JVM with the small heap. */
    private static String run(Class<?> main) throws IOException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                HEAP,
                                "-XX:+UseSerialGC",
                                "-XX:+ExitOnOutOfMemoryError",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                main.getName(),
                                directory.toString())
                        .redirectErrorStream(true)
                        .start();
        try (var out = process.getInputStream()) {
            return new String(out.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void tracesNeedNoMemoryForTheGraph() throws IOException {
        int each = LAYERS * WIDTH;
        // Of the last layer only one is an ancestor; the owner wrote the first.
        int back = each - WIDTH + 2;
        assertThat(run(Tracing.class))
                .contains("FORWARD reached " + each + " actors and " + each + " objects")
                .contains("BACK reached " + back + " actors and " + each + " objects");
    }

    @Test
    void theGraphHasNoRoomThere() throws IOException {
        assertThat(run(Loading.class)).contains("OutOfMemoryError").doesNotContain("loaded");
    }

    /** Follows both directions, page by page. */
    static final class Tracing {
        private Tracing() {}

        public static void main(String[] arguments) throws IOException {
            AtomicReference<Instant> clock = new AtomicReference<>(LATER);
            try (Cube cube = DiskCubes.open(Path.of(arguments[0]), clock::get)) {
                VersionedStore store = store(cube, clock);
                for (Direction direction : Direction.values()) {
                    trace(store.history(), direction);
                }
                store.close();
            }
        }

        private static void trace(History history, Direction direction) throws IOException {
            ObjectKey start = key(direction == Direction.FORWARD ? 0 : LAYERS, 0);
            int actors = 0;
            int objects = 0;
            Optional<String> from = Optional.empty();
            do {
                Page<Step> page =
                        history.trace(direction, BUCKET, start, Optional.empty(), from, PAGE);
                for (Step step : page.entries()) {
                    switch (step.node()) {
                        case Node.OfActor actor -> actors++;
                        case Node.OfObject object -> objects++;
                        case Node.Closed closed -> throw new IllegalStateException();
                    }
                }
                from = page.next();
            } while (from.isPresent());
            System.out.printf("%s reached %d actors and %d objects%n", direction, actors, objects);
        }
    }

    /** The planted mistake: collects the graph. */
    static final class Loading {
        private Loading() {}

        public static void main(String[] arguments) throws IOException {
            try (Cube cube = DiskCubes.open(Path.of(arguments[0]))) {
                List<Event> graph = new ArrayList<>();
                forEachEvent(cube, graph::add);
                System.out.println("loaded " + graph.size());
            }
        }
    }
}
