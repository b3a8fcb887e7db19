package io.volute.server.cluster.owners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.HopGate;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopPool;
import io.volute.server.cluster.hop.HopSeal;
import io.volute.server.cluster.hop.NodeCallHandler;
import io.volute.server.cluster.hop.NodeCalls;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Readiness;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.json.Json;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls about buckets between two nodes, over a real socket. */
@Tag("slow")
class OwnerCallsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final long ELECTION = 7;
    private static final Caller ALICE = new Caller("alice", "KEY", "laptop");
    private static final BucketName PHOTOS = new BucketName("photos");

    private final HopSeal seal = seal(1);
    private final HopPool pool = new HopPool(System::nanoTime, Optional.empty());
    private final NodeCalls calls = new NodeCalls(seal, pool, new Random(2));
    private final OwnerCalls owners = new OwnerCalls(calls, cube -> owner(cube), LIMIT);
    private final FakeCubes cubes = new FakeCubes();
    private volatile Optional<StoreCubes> running = Optional.of(cubes.asStore());
    private Optional<Owner> owner = Optional.empty();
    private HttpServer server;

    private static HopSeal seal(long seed) {
        byte[] secret = "0123456789abcdef".getBytes(StandardCharsets.UTF_8);
        return new HopSeal(secret, () -> NOW, new Random(seed));
    }

    private Optional<Owner> owner(String cube) {
        return owner.filter(each -> cube.equals("one"));
    }

    @BeforeEach
    void start() throws IOException {
        NodeCallHandler handler =
                new NodeCallHandler(seal(3), OwnerCalls.operations(() -> running));
        Handlers handlers =
                new Handlers(HopGate.REFUSED, HopGate.REFUSED, handler, RequestWatch.NONE);
        HopGate gate =
                new HopGate(
                        seal(3),
                        Readiness.ALWAYS,
                        RequestWatch.NONE,
                        election -> Optional.of(handlers).filter(role -> election == ELECTION));
        server =
                HttpServer.start(
                        HttpSettings.plain(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                        gate,
                        () -> NOW,
                        new Random(4));
        owner = Optional.of(new Owner("127.0.0.1:" + server.address().getPort(), ELECTION));
    }

    @AfterEach
    void stop() {
        server.close();
        pool.close();
    }

    // ---- the cubes of the called node

    /** The arguments of a call, in their order. */
    private record Called(String operation, List<Object> arguments) {}

    /** The methods of {@link StoreCubes} that other nodes call. */
    public static final class FakeCubes {
        private final List<Called> called = Collections.synchronizedList(new ArrayList<>());
        private volatile List<BucketInfo> buckets = List.of();
        private volatile Optional<Exception> failure = Optional.empty();

        private StoreCubes asStore() {
            return (StoreCubes)
                    Proxy.newProxyInstance(
                            StoreCubes.class.getClassLoader(),
                            new Class<?>[] {StoreCubes.class},
                            (proxy, method, arguments) -> {
                                try {
                                    return FakeCubes.class
                                            .getMethod(method.getName(), method.getParameterTypes())
                                            .invoke(this, arguments);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            });
        }

        private void note(String operation, Object... arguments) throws IOException {
            called.add(new Called(operation, List.of(arguments)));
            if (failure.isPresent()) {
                switch (failure.get()) {
                    case IOException known -> throw known;
                    case StoreException known -> throw known;
                    default -> throw new AssertionError(failure.get());
                }
            }
        }

        public BucketInfo createHere(
                String cube,
                Caller caller,
                BucketName name,
                boolean locking,
                Map<BucketDocument, String> documents)
                throws IOException {
            note("create", cube, caller, name, locking, documents);
            return buckets.getFirst();
        }

        public void deleteHere(String cube, Caller caller, BucketRef name) throws IOException {
            note("delete", cube, caller, name);
        }

        public List<BucketInfo> bucketsHere(String cube) throws IOException {
            note("list", cube);
            return buckets;
        }
    }

    // ---- random values

    private static final List<String> TEXTS =
            List.of("", "a", "arn:aws:iam::123456789012:user/\u00e9", "\ud83d\ude00 \"\\\n\u0000x");

    private static String text(Random random) {
        return TEXTS.get(random.nextInt(TEXTS.size()));
    }

    private static <T> T one(T[] values, Random random) {
        return values[random.nextInt(values.length)];
    }

    private static byte[] bytes(int length, Random random) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static Attestation attestation(Random random) {
        SignatureAlgorithm algorithm =
                SignatureAlgorithm.SIGNING.get(random.nextInt(SignatureAlgorithm.SIGNING.size()));
        return new Attestation(
                one(Attestation.By.values(), random),
                new SignerId(algorithm, Hash.of(bytes(Hash.BYTES, random))),
                random.nextLong(),
                Bytes.of(bytes(Attestation.NONCE_BYTES, random)),
                Bytes.of(bytes(algorithm.signatureBytes(), random)));
    }

    private static Caller caller(Random random) {
        return new Caller(
                text(random),
                text(random),
                text(random),
                random.nextBoolean()
                        ? Optional.of(new Caller.Parent(text(random), "K" + text(random)))
                        : Optional.empty(),
                new ActorName(one(ActorName.Kind.values(), random), text(random), text(random)),
                random.nextBoolean() ? Optional.of(attestation(random)) : Optional.empty(),
                random.nextBoolean()
                        ? Optional.of(new Caller.Request(text(random), text(random)))
                        : Optional.empty());
    }

    private static BucketName name(Random random) {
        return new BucketName("b-" + Integer.toHexString(random.nextInt()) + "-x");
    }

    private static BucketInfo bucket(BucketName name, Random random) {
        return new BucketInfo(
                random.nextLong(),
                name,
                text(random),
                Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)),
                one(VersioningState.values(), random),
                one(HistoryPolicy.values(), random));
    }

    private static Map<BucketDocument, String> documents(Random random) {
        Map<BucketDocument, String> documents = new EnumMap<>(BucketDocument.class);
        for (int i = random.nextInt(4); i > 0; i--) {
            documents.put(one(BucketDocument.values(), random), text(random));
        }
        return documents;
    }

    private static List<BucketInfo> buckets(int count) {
        Random random = new Random(count);
        return IntStream.range(0, count)
                .mapToObj(i -> String.format(Locale.ROOT, "bucket-%06d", i))
                .map(name -> bucket(new BucketName(name), random))
                .toList();
    }

    // ---- the operations

    @Test
    void aCreationReachesTheOwnerAsItIs() throws IOException {
        Random random = new Random(11);
        for (int i = 0; i < 200; i++) {
            Caller caller = caller(random);
            BucketName name = name(random);
            boolean locking = random.nextBoolean();
            Map<BucketDocument, String> documents = documents(random);
            BucketInfo created = bucket(name, random);
            cubes.buckets = List.of(created);
            assertThat(owners.createBucket("one", caller, name, locking, documents))
                    .isEqualTo(created);
            assertThat(cubes.called.removeLast())
                    .isEqualTo(
                            new Called("create", List.of("one", caller, name, locking, documents)));
        }
        assertThat(cubes.called).isEmpty();
    }

    /** They are known to the creator, and no part of a comparison. */
    @Test
    void settingsOfABucketAreLeftOut() throws IOException {
        BucketInfo plain = bucket(PHOTOS, new Random(1));
        cubes.buckets =
                List.of(
                        plain.with(BucketLock.PLAIN)
                                .with(BucketDocument.CORS, Optional.of("<CORS/>"))
                                .withResolution(Optional.of(Duration.ofDays(1))));
        assertThat(owners.createBucket("one", ALICE, PHOTOS, true, Map.of())).isEqualTo(plain);
        assertThat(owners.buckets("one")).containsExactly(plain);
    }

    @Test
    void aDeletionReachesTheOwnerAsItIs() throws IOException {
        Random random = new Random(12);
        for (int i = 0; i < 50; i++) {
            Caller caller = caller(random);
            BucketName name = name(random);
            owners.deleteBucket("one", caller, name);
            assertThat(cubes.called.removeLast())
                    .isEqualTo(new Called("delete", List.of("one", caller, name)));
        }
        assertThat(cubes.called).isEmpty();
    }

    @Test
    void aListIsWholeWhateverItsLength() throws IOException {
        int page = OwnerCalls.PAGE_BUCKETS;
        for (int count : List.of(0, 1, page - 1, page, page + 1, 2 * page, 2 * page + 7)) {
            List<BucketInfo> all = buckets(count);
            List<BucketInfo> shuffled = new ArrayList<>(all);
            Collections.shuffle(shuffled, new Random(count));
            cubes.buckets = shuffled;
            cubes.called.clear();
            assertThat(owners.buckets("one")).as("%d buckets", count).isEqualTo(all);
            assertThat(cubes.called)
                    .as("%d buckets", count)
                    .hasSize(Math.max(1, Math.ceilDiv(count, page)))
                    .containsOnly(new Called("list", List.of("one")));
        }
    }

    /** An account of a role has the longest names, of about 2,000 characters. */
    @Test
    void aPageOfLongNamesFits() throws IOException {
        String account = "\u00e9".repeat(1500);
        cubes.buckets =
                buckets(OwnerCalls.PAGE_BUCKETS + 1).stream()
                        .map(
                                each ->
                                        new BucketInfo(
                                                each.id(),
                                                new BucketName(
                                                        each.name().value() + "x".repeat(50)),
                                                account,
                                                each.created(),
                                                each.versioning(),
                                                each.history()))
                        .toList();
        assertThat(owners.buckets("one")).isEqualTo(cubes.buckets);
    }

    // ---- failures

    /** An operation of the interface. */
    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    private List<Action> all() {
        return List.of(
                () -> {
                    BucketInfo unused = owners.createBucket("one", ALICE, PHOTOS, false, Map.of());
                },
                () -> owners.deleteBucket("one", ALICE, PHOTOS),
                () -> {
                    List<BucketInfo> unused = owners.buckets("one");
                });
    }

    private void fails(Class<? extends Exception> kind, String message) {
        for (Action each : all()) {
            assertThatThrownBy(each::run).isExactlyInstanceOf(kind).hasMessageContaining(message);
        }
    }

    private void isUnavailable(Reason reason, String message) {
        for (Action each : all()) {
            assertThatThrownBy(each::run)
                    .isInstanceOfSatisfying(
                            CubeUnavailableException.class,
                            e -> {
                                assertThat(e.reason()).isEqualTo(reason);
                                assertThat(e.cube()).contains("one");
                            })
                    .hasMessageContaining(message);
        }
    }

    @Test
    void failuresOfTheOwnerKeepTheirKind() {
        for (StoreException.Reason reason : StoreException.Reason.values()) {
            cubes.failure = Optional.of(new StoreException(reason, "refused"));
            for (Action each : all()) {
                assertThatThrownBy(each::run)
                        .isInstanceOfSatisfying(
                                StoreException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                        .hasMessage("refused");
            }
        }
        for (Reason reason : Reason.values()) {
            cubes.failure = Optional.of(new CubeUnavailableException(reason, "not now").in("one"));
            isUnavailable(reason, "not now");
        }
        cubes.failure = Optional.of(new IOException("the disk is gone"));
        fails(IOException.class, "the disk is gone");
    }

    /** Nothing was changed, so the caller can refuse in order. */
    @Test
    void noOwnerIsARefusalOfTheCube() {
        assertThatThrownBy(() -> owners.buckets("two"))
                .isInstanceOf(CubeUnavailableException.class)
                .hasMessageContaining("cube two");
        owner = Optional.empty();
        isUnavailable(Reason.NOT_OPEN, "cube one is not available: no other node serves it");
        assertThat(cubes.called).isEmpty();
        assertThat(owners.unknownOutcomes("one")).isZero();
    }

    @Test
    void aNodeThatHasNotSeenTheCallIsARefusalOfTheCube() {
        Owner there = owner.orElseThrow();
        owner = Optional.of(new Owner(there.address(), ELECTION - 1));
        isUnavailable(Reason.NOT_OPEN, "no such role");
        owner = Optional.of(there);
        running = Optional.empty();
        isUnavailable(Reason.NOT_OPEN, "no server");
        pool.retain(Set.of(ELECTION + 1));
        server.close();
        owner = Optional.of(new Owner(there.address(), ELECTION + 1));
        isUnavailable(Reason.NOT_OPEN, there.address());
        assertThat(cubes.called).isEmpty();
        assertThat(owners.unknownOutcomes("one")).isZero();
    }

    /** A comparison must follow, also for one that is done after its call was given up. */
    @Test
    void changesOfUnknownOutcomeAreCounted() throws IOException {
        cubes.failure = Optional.of(new IOException("the disk is gone"));
        fails(IOException.class, "the disk is gone");
        assertThat(owners.unknownOutcomes("one")).as("not the list").isEqualTo(2);
        cubes.failure =
                Optional.of(new CubeUnavailableException(Reason.READ_ONLY, "fenced").in("one"));
        isUnavailable(Reason.READ_ONLY, "fenced");
        cubes.failure =
                Optional.of(new CubeUnavailableException(Reason.CLOSED, "closed").in("one"));
        isUnavailable(Reason.CLOSED, "closed");
        assertThat(owners.unknownOutcomes("one")).isEqualTo(6);
        for (Reason reason : List.of(Reason.NOT_OPEN, Reason.BUSY, Reason.FULL)) {
            cubes.failure = Optional.of(new CubeUnavailableException(reason, "not now").in("one"));
            isUnavailable(reason, "not now");
        }
        cubes.failure =
                Optional.of(new StoreException(StoreException.Reason.NO_SUCH_BUCKET, "none"));
        fails(StoreException.class, "none");
        cubes.failure = Optional.empty();
        cubes.buckets = buckets(1);
        owners.deleteBucket("one", ALICE, PHOTOS);
        assertThat(owners.unknownOutcomes("one")).isEqualTo(6);
        assertThat(owners.unknownOutcomes("two")).isZero();
    }

    // ---- messages of other releases

    private byte[] answer(String operation, Map<String, Object> message) throws IOException {
        return calls.call(owner.orElseThrow(), operation, Json.write(message), LIMIT);
    }

    @Test
    void unknownVersionsOfCallsAreRefused() {
        for (Object version : List.of(0, 2, "1", Map.of())) {
            for (String operation :
                    List.of(OwnerCalls.CREATE, OwnerCalls.DELETE, OwnerCalls.LIST)) {
                Map<String, Object> message =
                        Map.of("version", version, "cube", "one", "after", "");
                assertThatThrownBy(() -> answer(operation, message))
                        .isExactlyInstanceOf(IOException.class)
                        .hasMessageContaining("has version " + version)
                        .hasMessageContaining("same release");
            }
        }
        assertThatThrownBy(() -> answer(OwnerCalls.LIST, Map.of("cube", "one", "after", "")))
                .hasMessageContaining("has version null");
        assertThat(cubes.called).isEmpty();
    }

    @Test
    void unknownVersionsOfResultsAreRefused() {
        byte[] other = Json.write(Map.of("version", 2, "buckets", List.of(), "more", false));
        for (Class<? extends Record> each :
                List.of(BucketMessages.Page.class, BucketMessages.Bucket.class)) {
            assertThatThrownBy(() -> BucketMessages.decode(other, each))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessageContaining("has version 2");
        }
    }

    @Test
    void unknownValuesAreRefused() {
        Map<String, Object> actor = Map.of("kind", "ROBOT", "name", "n", "address", "");
        Map<String, Object> caller =
                Map.of("principal", "p", "owner", "o", "accessKey", "", "actor", actor);
        Map<String, Object> message =
                Map.of("version", 1, "cube", "one", "name", "photos", "caller", caller);
        for (String operation : List.of(OwnerCalls.CREATE, OwnerCalls.DELETE)) {
            assertThatThrownBy(() -> answer(operation, message))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessageContaining("value of another release")
                    .hasMessageContaining("ROBOT");
        }
        assertThat(cubes.called).isEmpty();
    }

    /** A node of a later release may send more than this one knows. */
    @Test
    void moreFieldsOfTheSameVersionAreIgnored() throws IOException {
        cubes.buckets = buckets(1);
        byte[] answer =
                answer(
                        OwnerCalls.LIST,
                        Map.of("version", 1, "cube", "one", "after", "", "new", List.of(1)));
        assertThat(BucketMessages.decode(answer, BucketMessages.Page.class).buckets()).hasSize(1);
    }
}
