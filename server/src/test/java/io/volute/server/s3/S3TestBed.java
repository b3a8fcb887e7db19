package io.volute.server.s3;

import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.credentials.FixedCredentials;
import io.volute.server.encryption.MemoryPlace;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.notification.EventRouter;
import io.volute.server.s3.notification.EventSettings;
import io.volute.server.s3.notification.EventStreams;
import io.volute.server.s3.replication.ReplicationRouter;
import io.volute.storage.CleaningSettings;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Cubes;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** The protocol over a real store, with a clock that tests set. */
public final class S3TestBed implements AutoCloseable {
    public static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    public static final String DATE = "20261121T100000Z";
    public static final String REGION = "us-east-1";

    private static final Map<String, Credential> CREDENTIALS =
            Map.of(
                    "ROOTKEY", new Credential("ROOTKEY", "rootsecret", "root", "Root", true),
                    "ALICE", new Credential("ALICE", "alicesecret", "alice", "Alice", false),
                    "BOB", new Credential("BOB", "bobsecret", "bob", "Bob", false));

    private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
    private final AtomicInteger names = new AtomicInteger();
    private final EventStreams streams = new EventStreams(REGION);
    private final Cube cube;
    private final VersionedStore store;
    private final S3Protocol protocol;

    /** Opens a store on a simulated disk, which forces nothing. */
    public S3TestBed() {
        this(S3TestBed::cubeInMemory);
    }

    /** Opens a store in a directory of the real disk. */
    public S3TestBed(Path directory) {
        this(clock -> cube(directory, clock));
    }

    /** Opens the cube of the store. */
    private interface CubeSource {
        Cube open(InstantSource clock) throws IOException;
    }

    private S3TestBed(CubeSource source) {
        InstantSource clock = now::get;
        StoreOptions.Limits limits = new StoreOptions.Limits(3000, 1000, 5L << 30, 5L << 40, 256);
        try {
            this.cube = source.open(clock);
            this.store =
                    ObjectStores.open(
                            new StoreOptions(
                                            cube,
                                            clock,
                                            new Random(2),
                                            limits,
                                            StoreOptions.HistorySettings.DEFAULTS)
                                    .with(
                                            new ReplicationRouter(
                                                    new EventRouter(REGION, 1000, streams))));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        this.protocol = protocolOver(IdentifiedBuckets.over(store), clock, REGION, streams);
    }

    /** Flips a bit of each stored copy of some bytes below a cube; returns their number. */
    public static int damage(Path cube, byte[] sample) throws IOException {
        int found = 0;
        try (Stream<Path> files = Files.list(cube.resolve("segments"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".head")).toList()) {
                byte[] bytes = Files.readAllBytes(file);
                for (int at = 0; at <= bytes.length - sample.length; at++) {
                    if (Arrays.equals(bytes, at, at + sample.length, sample, 0, sample.length)) {
                        try (FileChannel opened =
                                FileChannel.open(file, StandardOpenOption.WRITE)) {
                            byte flipped = (byte) (bytes[at] ^ 4);
                            found += opened.write(ByteBuffer.wrap(new byte[] {flipped}), at);
                        }
                    }
                }
            }
        }
        return found;
    }

    /** A cube of small segments. */
    public static Cube cube(Path directory, InstantSource clock) throws IOException {
        return cube(directory, clock, CleaningSettings.onlyWhenAsked());
    }

    public static Cube cube(Path directory, InstantSource clock, CleaningSettings cleaning)
            throws IOException {
        return Cubes.open(options(directory, new OsFileSystem(), clock, cleaning)).cube();
    }

    /** Returns a cube like {@link #cube} without files; it ends with its closing. */
    public static Cube cubeInMemory(InstantSource clock) throws IOException {
        CubeOptions options =
                options(
                        Path.of("/cube"),
                        new SimFileSystem(),
                        clock,
                        CleaningSettings.onlyWhenAsked());
        return Cubes.open(options, new MemoryIndexFactory()).cube();
    }

    private static CubeOptions options(
            Path directory, FileSystem files, InstantSource clock, CleaningSettings cleaning) {
        return new CubeOptions(
                directory,
                files,
                clock,
                new Random(1),
                ObjectStores.families(),
                new LogSettings(
                        1 << 20,
                        16 << 10,
                        16 << 10,
                        16 << 20,
                        4 << 20,
                        4 << 20,
                        OnDamage.REFUSE,
                        cleaning));
    }

    public static S3Protocol protocolOver(
            VersionedStore store, InstantSource clock, String region) {
        return protocolOver(store, clock, region, new EventStreams(region));
    }

    private static S3Protocol protocolOver(
            VersionedStore store, InstantSource clock, String region, EventStreams streams) {
        return protocolOver(
                store,
                new S3Settings(region, List.of("s3.example.com"), clock, true)
                        .withEncryption(
                                new Encryption(Optional.of(MemoryPlace.dataKeys()), Set.of(), true))
                        .withEvents(
                                new EventSettings(
                                        Map.of("hook", "webhook", "trail", "file"),
                                        Set.of("far"),
                                        streams)));
    }

    public static S3Protocol protocolOver(VersionedStore store, S3Settings settings) {
        return new S3Protocol(store, credentials(), settings);
    }

    public static CredentialStore credentials() {
        return new FixedCredentials(CREDENTIALS.values());
    }

    public S3Protocol protocol() {
        return protocol;
    }

    /** The clients that listen to events. */
    public EventStreams streams() {
        return streams;
    }

    public VersionedStore store() {
        return store;
    }

    public void setNow(Instant instant) {
        now.set(instant);
    }

    /**
     * Goes on by two seconds, to one that nothing was done in. Returns the instant between: behind
     * all that was done, in front of all that will be.
     */
    public Instant pause() {
        Instant between = now.get().plusSeconds(1).truncatedTo(ChronoUnit.SECONDS);
        now.set(between.plusSeconds(1));
        return between;
    }

    public TestSigner root() {
        return new TestSigner("ROOTKEY", "rootsecret", DATE, REGION);
    }

    public TestSigner alice() {
        return new TestSigner("ALICE", "alicesecret", DATE, REGION);
    }

    public TestSigner bob() {
        return new TestSigner("BOB", "bobsecret", DATE, REGION);
    }

    public TestRequest request(String method, String target) {
        return new TestRequest(this, method, target);
    }

    /** A new bucket of root's. */
    public String bucket() {
        return bucketOf(root());
    }

    /** Returns an unused bucket name. */
    public String freshName() {
        return "bucket-" + names.incrementAndGet();
    }

    public String bucketOf(TestSigner owner) {
        String name = freshName();
        TestResponse made = request("PUT", "/" + name).sendAs(owner);
        if (made.status() != 200) {
            throw new AssertionError(made.text());
        }
        return name;
    }

    /** A new bucket with Object Lock. */
    public String lockingBucket() {
        String name = freshName();
        TestResponse made =
                request("PUT", "/" + name)
                        .header("x-amz-bucket-object-lock-enabled", "true")
                        .send();
        if (made.status() != 200) {
            throw new AssertionError(made.text());
        }
        return name;
    }

    /** A new bucket with versioning. */
    public String versionedBucket() {
        String name = bucket();
        setVersioning(name, "Enabled");
        return name;
    }

    public void setVersioning(String bucket, String status) {
        TestResponse set =
                request("PUT", "/" + bucket + "?versioning")
                        .body(
                                "<VersioningConfiguration><Status>"
                                        + status
                                        + "</Status></VersioningConfiguration>")
                        .send();
        if (set.status() != 200) {
            throw new AssertionError(set.text());
        }
    }

    public TestResponse put(String target, String content) {
        TestResponse put = request("PUT", target).body(content).send();
        if (put.status() != 200) {
            throw new AssertionError(put.text());
        }
        return put;
    }

    public TestResponse get(String target) {
        return request("GET", target).send();
    }

    @Override
    public void close() {
        try {
            store.close();
            cube.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
