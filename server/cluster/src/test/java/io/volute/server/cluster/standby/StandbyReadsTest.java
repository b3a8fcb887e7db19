package io.volute.server.cluster.standby;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.provenance.keys.MasterKey;
import io.volute.server.config.ConfigSource;
import io.volute.server.config.ServerConfig;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.storage.Cube;
import io.volute.storage.Cubes;
import io.volute.storage.report.StandbyReport;
import io.volute.storage.report.StandbyReport.Position;
import io.volute.storage.report.StandbyReport.State;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which reads a standby answers, by which view, and which go to the owner. */
class StandbyReadsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final Caller ALICE = new Caller("alice", "key", "test");
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final String STANDBY = "standby";

    /** The answer of the owner. */
    private static final int FORWARDED = 299;

    @TempDir Path directory;

    private final AtomicLong nanos = new AtomicLong(1_000 * SECOND);
    private final FollowedCube followed = new FollowedCube(new UUID(1, 2), this::cube);
    private final Map<String, Cubes.Standby> standbys =
            new TreeMap<>(Map.of(StoreCubes.SYSTEM, followed));
    private Instant clock = NOW;
    private Cube cube;
    private VersionedStore store;
    private StandbyViews views;
    private StandbyReads reads;

    /** A standby whose progress the test sets. Its views are the cube itself. */
    private final class FollowedCube implements Cubes.Standby {
        private final UUID id;
        private final Supplier<Cube> present;
        private State state = State.FOLLOWING;
        private OptionalLong completeAt = OptionalLong.empty();
        private long position;
        private int opened;
        private int closed;
        private boolean fails;

        FollowedCube(UUID id, Supplier<Cube> present) {
            this.id = id;
            this.present = present;
        }

        @Override
        public UUID cubeId() {
            return id;
        }

        @Override
        public StandbyReport report() {
            return new StandbyReport(state, new Position(1, position), 0, completeAt, 1);
        }

        @Override
        public Optional<Cube> view(Instant complete) {
            assertThat(complete).isBefore(NOW.minusSeconds(60));
            opened++;
            return Optional.of(
                    (Cube)
                            Proxy.newProxyInstance(
                                    Cube.class.getClassLoader(),
                                    new Class<?>[] {Cube.class},
                                    (proxy, method, arguments) ->
                                            call(method.getName(), method, arguments)));
        }

        private Object call(String name, Method method, Object[] arguments) throws Throwable {
            if (name.equals("close")) {
                closed++;
                return null;
            }
            if (fails && (name.equals("get") || name.equals("scan"))) {
                throw new IllegalStateException("the index is closed");
            }
            if (name.equals("commit")) {
                Object refusal = CompletableFuture.failedFuture(new IOException("no commits"));
                return refusal;
            }
            try {
                return method.invoke(present.get(), arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        @Override
        public void step() {
            throw new AssertionError("the test makes the steps");
        }

        @Override
        public void stop() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void open() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "a secret of the nodes");
        Path file =
                Files.writeString(
                        directory.resolve("volute.conf"),
                        """
                        log.store = bookkeeper
                        log.bookkeeper.zookeeper = "127.0.0.1:2181"
                        cluster.name = node1
                        cluster.address = "127.0.0.1:9100"
                        cluster.secret-file = "%s"
                        cluster.standby-lag = 5s
                        """
                                .replace("%s", secret.toString()));
        ServerConfig config = ConfigSource.read(Optional.of(file), Map.of(), Map.of());
        cube = S3TestBed.cube(directory.resolve("cube"), () -> NOW);
        store = ObjectStores.open(StoreOptions.defaults(cube, () -> NOW, new SplittableRandom(1)));
        SecureRandom random = new SecureRandom();
        StandbyStore.Options options =
                StandbyStore.Options.of(
                        config,
                        new Credential("ROOT", "secret", "root", "root", true),
                        MasterKey.create(random, text -> {}),
                        random,
                        () -> clock);
        views = new StandbyViews(options, nanos::get);
        reads =
                new StandbyReads(
                        (head, body) -> new S3Response(FORWARDED, List.of(), new Content.None(0)),
                        views);
    }

    @AfterEach
    void close() throws IOException {
        views.close();
        store.close();
        cube.close();
    }

    private Cube cube() {
        return cube;
    }

    private void step() {
        views.step(standbys);
    }

    /** Lets the standby have everything as of now. */
    private void complete() {
        followed.completeAt = OptionalLong.of(nanos.get());
        step();
    }

    /** Lets the standby have more of the log, and everything as of now. */
    private void advance() {
        followed.position++;
        complete();
    }

    private S3Response ask(String method, String path, long contentLength, String... values) {
        List<Header> headers = new ArrayList<>(List.of(new Header("host", "localhost")));
        for (String value : values) {
            headers.add(new Header("x-volute-read", value));
        }
        return ask(method, path, contentLength, headers);
    }

    private S3Response ask(String method, String path, long contentLength, List<Header> headers) {
        HttpHead head =
                new HttpHead(
                        method,
                        path,
                        "",
                        new HeaderList(headers),
                        false,
                        "127.0.0.1",
                        contentLength,
                        "1");
        return reads.handle(
                head,
                new RequestBody() {
                    @Override
                    public boolean next() {
                        return false;
                    }

                    @Override
                    public ByteBuffer buffer() {
                        return ByteBuffer.allocate(0);
                    }
                });
    }

    /** Asks for an object as nobody: 403 if there is its bucket, else 404. */
    private int read() {
        return ask("GET", "/photos/a", 0, STANDBY).status();
    }

    private static Optional<String> lag(S3Response answer) {
        return answer.headers().stream()
                .filter(each -> each.name().equals("x-volute-lag"))
                .map(Header::value)
                .findFirst();
    }

    /** Asks until the first view is there, which the steps of this thread make. */
    private void want() throws InterruptedException {
        complete();
        Thread asking = Thread.ofVirtual().start(this::read);
        while (asking.isAlive()) {
            step();
            Thread.onSpinWait();
        }
        asking.join();
    }

    @Test
    void aStandbyThatIsNotReadyAnswersNothing() {
        assertThat(read()).isEqualTo(FORWARDED);
        step();
        assertThat(read()).as("never complete").isEqualTo(FORWARDED);
        followed.state = State.BUILDING;
        complete();
        assertThat(read()).as("no index").isEqualTo(FORWARDED);
        assertThat(followed.opened).isZero();
    }

    @Test
    void onlyReadsThatAcceptAStandbyAreAnsweredByIt() throws InterruptedException {
        want();
        assertThat(read()).isEqualTo(404);
        assertThat(ask("HEAD", "/photos/a", 0, STANDBY).status()).isEqualTo(404);
        assertThat(ask("GET", "/photos/a", 0).status()).isEqualTo(FORWARDED);
        assertThat(ask("GET", "/photos/a", 0, "owner").status()).isEqualTo(FORWARDED);
        assertThat(ask("GET", "/photos/a", 0, STANDBY, STANDBY).status()).isEqualTo(FORWARDED);
        assertThat(ask("PUT", "/photos/a", 0, STANDBY).status()).isEqualTo(FORWARDED);
        assertThat(ask("GET", "/photos/a", 3, STANDBY).status()).isEqualTo(FORWARDED);
        assertThat(ask("GET", "/_volute/v1/health", 0, STANDBY).status()).isEqualTo(FORWARDED);
    }

    @Test
    void theLagIsThatOfTheViewAndBounded() throws InterruptedException {
        want();
        nanos.addAndGet(1_250_000_000);
        assertThat(lag(ask("GET", "/photos/a", 0, STANDBY))).hasValue("1.250");
        complete();
        assertThat(lag(ask("GET", "/photos/a", 0, STANDBY))).hasValue("0.000");
        assertThat(followed.opened).as("nothing new").isEqualTo(1);
        nanos.addAndGet(5 * SECOND);
        step();
        assertThat(read()).isEqualTo(404);
        nanos.addAndGet(1);
        step();
        assertThat(read()).as("older than cluster.standby-lag").isEqualTo(FORWARDED);
        complete();
        assertThat(read()).isEqualTo(404);
    }

    @Test
    void aViewStaysAsItIsUntilTheNext() throws Exception {
        want();
        store.createBucket(ALICE, new BucketName("photos"), false);
        assertThat(read()).isEqualTo(404);
        nanos.addAndGet(SECOND);
        advance();
        assertThat(read()).isEqualTo(403);
        assertThat(followed.closed).isEqualTo(1);
    }

    @Test
    void aViewInUseIsClosedByItsLastUser() throws Exception {
        want();
        StandbyViews.Use use = views.use().orElseThrow();
        nanos.addAndGet(SECOND);
        advance();
        assertThat(followed.opened).isEqualTo(2);
        assertThat(followed.closed).isZero();
        use.close();
        assertThat(followed.closed).isEqualTo(1);
    }

    @Test
    void noViewIsKeptThatNobodyWants() throws Exception {
        want();
        nanos.addAndGet(61 * SECOND);
        complete();
        assertThat(followed.closed).isEqualTo(1);
        advance();
        assertThat(followed.opened).isEqualTo(1);
    }

    private S3Response askAsRoot(String path, Map<String, String> more) {
        Map<String, String> signed = new TreeMap<>(more);
        signed.put("x-volute-read", STANDBY);
        RequestSigner.Target target = new RequestSigner.Target("GET", "localhost", path, "");
        List<Header> headers = new ArrayList<>(List.of(new Header("host", "localhost")));
        new RequestSigner("ROOT", "secret", "us-east-1")
                .headersOf(target, "UNSIGNED-PAYLOAD", signed, NOW)
                .forEach((name, value) -> headers.add(new Header(name, value)));
        return ask("GET", path, 0, headers);
    }

    /** The indexes may be closed beneath a request, and the log freed. */
    @Test
    void anAnswerThatTheStandbyCannotGiveComesFromTheOwner() throws Exception {
        store.createBucket(ALICE, new BucketName("photos"), false);
        want();
        assertThat(askAsRoot("/photos/a", Map.of()).status()).isEqualTo(404);
        followed.fails = true;
        assertThat(askAsRoot("/photos/a", Map.of()).status()).isEqualTo(FORWARDED);
        advance();
        assertThat(askAsRoot("/photos/a", Map.of()).status())
                .as("the view before, as no new one can be made")
                .isEqualTo(FORWARDED);
        assertThat(followed.closed).isEqualTo(followed.opened - 1);
        views.close();
        assertThat(read()).isEqualTo(FORWARDED);
        assertThat(followed.closed).isEqualTo(followed.opened);
    }

    /** The owner may still commit to an instant that is not over for the standby. */
    @Test
    void aPastThatCouldStillChangeComesFromTheOwner() throws Exception {
        store.createBucket(ALICE, new BucketName("photos"), false);
        want();
        Map<String, String> before = Map.of("x-volute-at", NOW.minusMillis(1).toString());
        assertThat(askAsRoot("/photos/a", before).status()).isEqualTo(404);
        clock = NOW.plusSeconds(2);
        Map<String, String> later = Map.of("x-volute-at", NOW.plusSeconds(1).toString());
        assertThat(askAsRoot("/photos/a", later).status()).isEqualTo(FORWARDED);
    }

    /** The cubes of a store in the directory of the test. */
    private record Disk(Path directory, Map<String, Cube> opened) implements StoreCubes.Files {
        @Override
        public Cube open(String name) throws IOException {
            Cube cube = S3TestBed.cube(directory.resolve(name), () -> NOW);
            opened.put(name, cube);
            return cube;
        }

        @Override
        public Optional<UUID> identity(String name) {
            return Optional.of(name)
                    .filter(opened::containsKey)
                    .map(each -> UUID.nameUUIDFromBytes(each.getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public void allowSeveralCubes() {}

        @Override
        public void discardIndex(String name) {
            throw new AssertionError("not asked for");
        }

        @Override
        public String retire(String name, int number) {
            throw new AssertionError("not asked for");
        }
    }

    /** Its rows may be in neither cube of that view. */
    @Test
    @Tag("slow")
    void aViewBehindAMoveOfABucketIsNotUsed() throws Exception {
        Disk disk = new Disk(directory, new TreeMap<>());
        try (StoreCubes cubes =
                ObjectStores.openCubes(
                        disk,
                        cube,
                        each -> StoreOptions.defaults(each, () -> NOW, new SplittableRandom(2)),
                        StoreCubes.Placement.DEFAULT)) {
            cubes.create("other");
            BucketName bucket = new BucketName("photos");
            cubes.store().createBucket(ALICE, bucket, false);
            FollowedCube other =
                    new FollowedCube(
                            disk.identity("other").orElseThrow(), () -> disk.opened().get("other"));
            other.completeAt = OptionalLong.of(nanos.get());
            standbys.put("other", other);
            want();
            int used = followed.opened;
            cubes.moves().start(bucket, "other");
            while (!cubes.moves().list().isEmpty()) {
                Thread.onSpinWait();
            }
            nanos.addAndGet(SECOND);
            advance();
            assertThat(followed.opened).isEqualTo(used + 1);
            assertThat(followed.closed).as("the new one").isEqualTo(used);
            assertThat(lag(ask("GET", "/photos/a", 0, STANDBY))).hasValue("1.000");
            nanos.addAndGet(SECOND);
            other.completeAt = OptionalLong.of(nanos.get());
            advance();
            assertThat(lag(ask("GET", "/photos/a", 0, STANDBY))).hasValue("0.000");
        }
    }
}
