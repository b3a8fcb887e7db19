package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.ClusterCube;
import io.volute.adminapi.ClusterApi.ClusterNode;
import io.volute.adminapi.ClusterApi.CubeLag;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.NotificationApi.Target;
import io.volute.adminapi.NotificationApi.Targets;
import io.volute.adminapi.ReplicationApi.RefusedChange;
import io.volute.adminapi.ReplicationApi.Replication;
import io.volute.adminapi.ReplicationApi.ReplicationRun;
import io.volute.adminapi.ReplicationApi.ReplicationTarget;
import io.volute.adminapi.Route;
import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.admin.AdminParts.ClusterControl;
import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.credentials.Credential;
import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.KeyServiceException.Kind;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.MemoryKeyService;
import io.volute.server.encryption.MemoryPlace;
import io.volute.server.http.watch.RequestTally;
import io.volute.server.identity.TestPeople;
import io.volute.server.json.Json;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.lifecycle.LifecycleTime;
import io.volute.server.s3.replication.ReplicationControl;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response;
import io.volute.storage.Cube;
import io.volute.storage.directory.LogPlace;
import io.volute.storage.directory.LogPlacement;
import io.volute.storage.directory.MigrationStatus;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CheckReport.Problem;
import io.volute.storage.report.Damage;
import io.volute.storage.report.UnderReplication;
import io.volute.versioning.Damages;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** The admin API over a real store, with a history and restores that the test makes up. */
public final class AdminTestBed implements AutoCloseable {
    public static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    public static final RequestSigner ROOT =
            new RequestSigner("ROOTKEY", "rootsecret", "us-east-1");
    static final RequestSigner ALICE = new RequestSigner("ALICE", "alicesecret", "us-east-1");

    /** The targets of notifications. */
    static final Targets TARGETS =
            new Targets(
                    List.of(
                            new Target(
                                    "hook",
                                    Optional.of("arn:volute:sqs::hook:webhook"),
                                    5,
                                    1,
                                    2,
                                    3000,
                                    0,
                                    Optional.of("answered with 500"))));

    private static final ReplicationRun RUN =
            new ReplicationRun("b-1", "running", false, NOW, 1000, 9, 20, 7, 1, Optional.of("k"));

    private static final Replication REPLICATION =
            new Replication(
                    List.of(
                            new ReplicationTarget(
                                    "vault",
                                    true,
                                    5,
                                    1,
                                    2,
                                    3000,
                                    1,
                                    Optional.of("answered with 500"))),
                    List.of(new RefusedChange("vault", "version", "k", "null", NOW)),
                    List.of(RUN),
                    true);

    static final Cluster CLUSTER =
            new Cluster(
                    "node1",
                    NOW,
                    1500,
                    4000,
                    List.of(
                            new ClusterNode(
                                    "node1",
                                    "10.0.0.1:9100",
                                    "1",
                                    true,
                                    true,
                                    List.of(new CubeLag("default", 2)))),
                    List.of("node2"),
                    List.of(
                            new ClusterCube(
                                    "default", "node1", 3, "healthy", Optional.of("node1"))));

    /** A cluster of one node, which takes any order. */
    private static final class FakeCluster implements ClusterControl {
        @Override
        public Optional<Cluster> cluster(List<StoreCubes.CubeInfo> cubes) {
            return Optional.of(CLUSTER);
        }

        @Override
        public HandOver moveTo(String node) {
            return new HandOver(node, "node1", true, List.of());
        }

        @Override
        public HandOver moveCube(String cube, String node) {
            return new HandOver(node, "node1", false, List.of(cube));
        }

        @Override
        public HandOver drain(String node, boolean isOff) {
            return new HandOver(node, "node1", !isOff, List.of("one"));
        }
    }

    /** A log whose migration stops right after its start. */
    private static final class FakePlacement implements LogPlacement {
        private MigrationStatus now = status(LogPlace.State.SETTLED, "");

        private static MigrationStatus status(LogPlace.State state, String why) {
            return new MigrationStatus(
                    new LogPlace(LogPlace.Kind.LOCAL, state, 0, new UUID(0, 0)),
                    false,
                    new MigrationStatus.Progress(1, 2, 3, why),
                    state == LogPlace.State.SETTLED
                            ? UnderReplication.NONE
                            : new UnderReplication(4, 5));
        }

        @Override
        public MigrationStatus status() {
            return now;
        }

        @Override
        public MigrationStatus start(LogPlace.Kind to) throws IOException {
            if (to == LogPlace.Kind.LOCAL) {
                throw new IllegalArgumentException("it is there already");
            }
            if (now.state() != LogPlace.State.SETTLED) {
                throw new IOException("2 bookies are needed");
            }
            now = status(LogPlace.State.COPYING, "stopped");
            return now;
        }
    }

    /** Replication of one bucket. */
    private static final class FakeReplication implements ReplicationControl {
        @Override
        public Replication status(Optional<BucketName> bucket) {
            return REPLICATION;
        }

        @Override
        public Optional<ReplicationRun> start(BucketName bucket, boolean isAgain, int rate) {
            return isAgain ? Optional.empty() : Optional.of(RUN);
        }

        @Override
        public Optional<ReplicationRun> stop(BucketName bucket) {
            return Optional.of(RUN);
        }

        @Override
        public long retry(BucketName bucket) {
            return 2;
        }

        @Override
        public long forget(BucketName bucket) {
            return 3;
        }

        @Override
        public Damages.Source.OfReplica replicas() {
            return state -> {
                throw new IOException("no replica");
            };
        }
    }

    private static final Map<String, Credential> CREDENTIALS =
            Map.of(
                    "ROOTKEY", new Credential("ROOTKEY", "rootsecret", "root", "Root", true),
                    "ALICE", new Credential("ALICE", "alicesecret", "alice", "Alice", false));

    final List<String> passedOn = new ArrayList<>();
    final FakeHistory history = new FakeHistory();
    final MemoryPlace keyringPlace = new MemoryPlace();
    final Keyring keyring = keyringPlace.open();
    final MemoryKeyService keyService = new MemoryKeyService("of-service");
    private final FakePlacement log = new FakePlacement();
    final FakeScrubber scrubber;
    final FakeBackups backups = new FakeBackups();
    final RequestTally requests = new RequestTally(() -> 0);
    final FakeRestore restore = new FakeRestore();
    final StoreCubes cubes;
    final VersionedStore store;
    final AdminApi api;
    final TestPeople people;
    private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
    private final AtomicReference<Instant> storeTime = new AtomicReference<>(NOW);
    private final Cube cube;
    final AdminFront front;

    public AdminTestBed(Path directory) throws IOException {
        this(directory, usual -> usual);
    }

    /**
     * @param options changes the usual ones
     */
    AdminTestBed(Path directory, UnaryOperator<StoreOptions> options) throws IOException {
        this(directory, options, false);
    }

    /** Returns a bed whose history is that of its store. */
    static AdminTestBed withHistory(Path directory) throws IOException {
        return new AdminTestBed(directory, usual -> usual, true);
    }

    /** The other owners of the cluster. */
    private OtherAnswers others = OtherAnswers.NONE;

    private AdminTestBed(Path directory, UnaryOperator<StoreOptions> options, boolean hasHistory)
            throws IOException {
        keyService.fail(Optional.of(Kind.UNAVAILABLE));
        cube = S3TestBed.cube(directory, storeTime::get);
        cubes =
                ObjectStores.openCubes(
                        new TestCubes(directory),
                        cube,
                        each ->
                                options.apply(
                                        StoreOptions.defaults(each, storeTime::get, new Random(1))),
                        StoreCubes.Placement.DEFAULT);
        store = cubes.store();
        scrubber = new FakeScrubber(cubes::opened);
        people = new TestPeople(cube, CREDENTIALS, now::get);
        api =
                new AdminApi(
                        new AdminParts(
                                cubes,
                                name -> Optional.of(log),
                                store,
                                hasHistory ? store.history() : history,
                                restore,
                                store.provenance(),
                                Optional.of(new DataKeys(keyring, Optional.of(keyService))),
                                scrubber,
                                backups,
                                people.identities(),
                                requests,
                                () -> TARGETS,
                                new FakeReplication(),
                                Optional.of(new FakeCluster()),
                                (route, caller, arguments) -> others.ask(route, caller, arguments),
                                LifecycleTime.DAY),
                        () -> NOW);
        front =
                new AdminFront(
                        (head, body) -> {
                            passedOn.add(head.rawPath());
                            return new S3Response(299, List.of(), new S3Response.Content.None(-1));
                        },
                        new Authenticator(
                                people.tokens(), new AuthSettings("us-east-1", now::get, true)),
                        people.authority(),
                        new S3Settings("us-east-1", List.of("s3.example.com"), now::get, true),
                        api,
                        AuditTrail.NONE,
                        people.tokens());
    }

    /** Returns the admin API, in front of a handler that answers 299. */
    public AdminFront front() {
        return front;
    }

    /** Lists the present version of a key as damaged. */
    void damage(BucketName bucket, String key) {
        assertThat(checked(scrubber.damages().beginCheck(), bucket, key)).isEqualTo(1);
    }

    /**
     * Ends a check of the whole cube that found the present versions of some keys damaged; returns
     * the number of problems.
     */
    int checked(long check, BucketName bucket, String... keys) {
        List<Problem> problems = new ArrayList<>();
        for (String key : keys) {
            byte[] row =
                    RowKeys.current(store.bucket(bucket).orElseThrow().id(), new ObjectKey(key));
            Damage damage = new Damage(0, List.of(new Damage.User(Families.CURRENT.id(), row)), 0);
            problems.add(
                    new Problem(CheckReport.Kind.CHECKSUM, "where", "what", Optional.of(damage)));
        }
        CheckReport report =
                new CheckReport(true, new CheckReport.Progress(0, 0, 0, 0, 0), problems, 0);
        return scrubber.damages().checked(cubes.opened().getFirst(), report, check).size();
    }

    /** Lets time go on in the store. */
    void later(Duration time) {
        storeTime.updateAndGet(before -> before.plus(time));
    }

    public AdminApi api() {
        return api;
    }

    /** Sets the other owners of the cluster. */
    public void others(OtherAnswers now) {
        others = now;
    }

    /** Returns the answer to a GET of the root. */
    public Map<String, Object> read(String path, Map<String, String> query) throws IOException {
        Answer answer = get(path, query);
        if (answer.status() != 200) {
            throw new IOException(answer.message());
        }
        return answer.document();
    }

    public VersionedStore store() {
        return store;
    }

    @Override
    public void close() throws IOException {
        try {
            api.close();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        cubes.close();
        cube.close();
    }

    record Answer(int status, Map<String, Object> document) {
        String code() {
            return String.valueOf(document.get("code"));
        }

        String message() {
            return String.valueOf(document.get("message"));
        }
    }

    private static final class OneBuffer implements RequestBody {
        private final ByteBuffer bytes;
        private boolean given;

        OneBuffer(byte[] bytes) {
            this.bytes = ByteBuffer.wrap(bytes);
        }

        @Override
        public boolean next() {
            boolean more = !given && bytes.hasRemaining();
            given = true;
            return more;
        }

        @Override
        public ByteBuffer buffer() {
            return bytes;
        }
    }

    /**
     * @param target path and query
     */
    S3Response raw(
            String method, String target, String host, byte[] body, Map<String, String> signed) {
        List<Header> headers = new ArrayList<>();
        headers.add(new Header("host", host));
        signed.forEach((name, value) -> headers.add(new Header(name, value)));
        int question = target.indexOf('?');
        HttpHead head =
                new HttpHead(
                        method,
                        question < 0 ? target : target.substring(0, question),
                        question < 0 ? "" : target.substring(question + 1),
                        new HeaderList(headers),
                        false,
                        "127.0.0.1",
                        body.length,
                        "REQUEST1");
        return front.handle(head, new OneBuffer(body));
    }

    Answer send(RequestSigner who, String method, String path, String text) throws IOException {
        return send(who, method, path, Map.of(), text);
    }

    private Answer send(
            RequestSigner who,
            String method,
            String path,
            Map<String, String> parameters,
            String text)
            throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        String query = RequestSigner.query(parameters);
        Map<String, String> signed = who.headers(method, "localhost", path, query, body, NOW);
        return read(
                raw(
                        method,
                        query.isEmpty() ? path : path + "?" + query,
                        "localhost",
                        body,
                        signed));
    }

    /** Sends the arguments in the query or the body, as the route takes them. */
    Answer ask(RequestSigner who, Route<?, ?> route, Map<String, ?> arguments) throws IOException {
        if (!route.method().equals("GET")) {
            String text = new String(Json.write(arguments), StandardCharsets.UTF_8);
            return send(who, route.method(), route.path(), text);
        }
        Map<String, String> query = new TreeMap<>();
        arguments.forEach((name, value) -> query.put(name, value.toString()));
        return send(who, "GET", route.path(), query, "");
    }

    /** Requests, as root, an answer that is no document. */
    S3Response bytes(String path, Map<String, String> parameters) {
        String query = RequestSigner.query(parameters);
        Map<String, String> signed =
                ROOT.headers("GET", "localhost", path, query, new byte[0], NOW);
        String target = query.isEmpty() ? path : path + "?" + query;
        return raw("GET", target, "localhost", new byte[0], signed);
    }

    static Answer read(S3Response response) throws IOException {
        assertThat(response.headers()).contains(new Header("content-type", "application/json"));
        byte[] bytes = ((S3Response.Content.Bytes) response.content()).bytes();
        return new Answer(response.status(), Json.read(bytes));
    }

    Answer root(String method, String path, String text) throws IOException {
        return send(ROOT, method, path, text);
    }

    /** Sends a GET as root. */
    Answer get(String path, Map<String, String> parameters) throws IOException {
        return send(ROOT, "GET", path, parameters, "");
    }

    Answer post(String path, Map<String, ?> document) throws IOException {
        return root("POST", path, new String(Json.write(document), StandardCharsets.UTF_8));
    }

    Answer put(String path, Map<String, ?> document) throws IOException {
        return root("PUT", path, new String(Json.write(document), StandardCharsets.UTF_8));
    }

    Answer putWithQuery(String path, Map<String, String> parameters) throws IOException {
        return send(ROOT, "PUT", path, parameters, "");
    }
}
