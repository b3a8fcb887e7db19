package io.volute.server.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.HeadsFile;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.server.config.CheckpointExport;
import io.volute.server.config.ConfigException;
import io.volute.server.config.ConfigSource;
import io.volute.server.deposit.BucketDepository;
import io.volute.server.deposit.EndpointDepository;
import io.volute.server.s3.S3TestBed;
import io.volute.server.startup.Server;
import io.volute.storage.Cube;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints go to a bucket of another server, and wait while it does not take them. */
@Tag("slow")
class CheckpointDeliveryTest {
    private static final String REGION = "us-east-1";
    private static final RequestSigner ROOT = new RequestSigner("admin", "correct-horse", REGION);

    private final Clock clock = Clock.systemUTC();

    @TempDir Path work;
    private StoreDirectory directory;
    private Cube cube;
    private VersionedStore store;
    private Provenance provenance;
    private Path credentials;

    @BeforeEach
    void open() throws IOException {
        SecureRandom random = new SecureRandom();
        ProvenanceSettings settings =
                new ProvenanceSettings(
                        MasterKey.create(random, text -> {}),
                        Set.of(SignatureAlgorithm.ED25519),
                        new SpiralShape(SpiralShape.Construction.ONE_LINK, 3),
                        random);
        directory = StoreDirectory.open(work.resolve("data"), new OsFileSystem(), clock);
        cube = S3TestBed.cube(directory.cube("default"), clock);
        store = ObjectStores.open(StoreOptions.defaults(cube, clock, random).with(settings));
        provenance = store.provenance().orElseThrow();
        credentials = work.resolve("credentials");
        credentials("admin\ncorrect-horse\n");
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        cube.close();
        directory.close();
    }

    private void credentials(String text) throws IOException {
        Files.writeString(credentials, text);
        Files.setPosixFilePermissions(credentials, PosixFilePermissions.fromString("rw-------"));
    }

    private Server target(int port) throws ConfigException, IOException {
        return Server.start(
                ConfigSource.read(
                        Optional.empty(),
                        Map.of("VOLUTE_LOG_SEGMENT_SIZE", "1 MiB"),
                        Map.of(
                                "data.directory",
                                work.resolve("target").toString(),
                                "server.listen",
                                "127.0.0.1:" + port)),
                Map.of("VOLUTE_ACCESS_KEY", "admin", "VOLUTE_SECRET_KEY", "correct-horse"));
    }

    private static HttpResponse<byte[]> ask(int port, String method, String path)
            throws IOException, InterruptedException {
        return ask(port, method, path, "", new byte[0]);
    }

    private static HttpResponse<byte[]> ask(
            int port, String method, String path, String query, byte[] body)
            throws IOException, InterruptedException {
        String host = "127.0.0.1:" + port;
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://" + host + path + "?" + query))
                        .method(method, BodyPublishers.ofByteArray(body));
        ROOT.headers(method, host, path, query, body, Instant.now()).forEach(request::header);
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request.build(), BodyHandlers.ofByteArray());
        }
    }

    private static Optional<byte[]> copy(int port, String name) throws Exception {
        HttpResponse<byte[]> answer = ask(port, "GET", "/kept/a/b/" + name);
        assertThat(answer.statusCode()).isIn(200, 404);
        return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
    }

    private CheckpointDelivery delivery(int port) throws IOException {
        CheckpointExport export =
                CheckpointExport.of(
                        "http://127.0.0.1:" + port + "/kept/a/b",
                        Optional.of(credentials),
                        REGION,
                        Optional.empty());
        return new CheckpointDelivery(
                new CheckpointDelivery.OfCube("default", Optional.of(provenance)),
                new EndpointDepository((CheckpointExport.Endpoint) export, clock),
                directory);
    }

    private void checkpoint() throws IOException {
        long number = provenance.checkpoint(() -> true).body().number();
        assertThat(provenance.lastCheckpoint().orElseThrow().body().number()).isEqualTo(number);
    }

    @Test
    void whatIsPutIsWhatAnAuditorNeeds() throws Exception {
        try (Server target = target(0)) {
            int port = target.address().getPort();
            assertThat(ask(port, "PUT", "/kept").statusCode()).isEqualTo(200);
            checkpoint();
            checkpoint();
            CheckpointDelivery delivery = delivery(port);
            delivery.look();
            assertThat(delivery.figures().missing()).isZero();
            Checkpoint last = Checkpoint.decode(Bytes.of(copy(port, "checkpoint-1").orElseThrow()));
            assertThat(provenance.checkpoints(0, 9))
                    .containsExactly(
                            Checkpoint.decode(Bytes.of(copy(port, "checkpoint-0").orElseThrow())),
                            last);
            byte[] heads = copy(port, "heads-1").orElseThrow();
            assertThat(HeadsFile.read(new ByteArrayInputStream(heads), (id, head) -> {}))
                    .isEqualTo(last.map());
            KeyList keys =
                    KeyList.read(
                            Bytes.of(copy(port, "keys").orElseThrow()), provenance.keys().root());
            assertThat(keys.size()).isEqualTo(1);
            checkpoint();
            delivery.look();
            assertThat(copy(port, "heads-2")).isPresent();
            assertThat(copy(port, "heads-1")).isPresent();
            delivery.stop();
        }
    }

    @Test
    void copiesAreTakenWhereNewObjectsAreLocked() throws Exception {
        try (Server target = target(0)) {
            int port = target.address().getPort();
            assertThat(ask(port, "PUT", "/kept").statusCode()).isEqualTo(200);
            configure(
                    port,
                    "versioning=",
                    "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>");
            configure(
                    port,
                    "object-lock=",
                    "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule>"
                            + "<DefaultRetention><Mode>COMPLIANCE</Mode><Days>1</Days>"
                            + "</DefaultRetention></Rule></ObjectLockConfiguration>");
            checkpoint();
            delivery(port).look();
            HttpResponse<byte[]> copy = ask(port, "GET", "/kept/a/b/checkpoint-0");
            assertThat(copy.headers().firstValue("x-amz-object-lock-mode")).contains("COMPLIANCE");
        }
    }

    private static void configure(int port, String query, String document) throws Exception {
        byte[] body = document.getBytes(StandardCharsets.US_ASCII);
        assertThat(ask(port, "PUT", "/kept", query, body).statusCode()).isEqualTo(200);
    }

    @Test
    void goesOnWhereItCouldNot() throws Exception {
        int port;
        checkpoint();
        try (Server target = target(0)) {
            port = target.address().getPort();
            CheckpointDelivery noBucket = delivery(port);
            assertThatThrownBy(noBucket::look).hasMessageContaining("404 NoSuchBucket");
            assertThat(ask(port, "PUT", "/kept").statusCode()).isEqualTo(200);
            noBucket.look();
            assertThat(noBucket.figures().missing()).isZero();
        }
        CheckpointDelivery down = delivery(port);
        checkpoint();
        checkpoint();
        assertThatThrownBy(down::look)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("PUT http://127.0.0.1:" + port + "/kept/a/b/keys failed");
        assertThat(down.figures().missing()).isEqualTo(2);
        assertThat(down.figures().failures()).isEqualTo(1);
        // A commit waits for none of it, and a restart forgets none.
        store.createBucket(new Caller("root", "", "test"), new BucketName("own"));
        CheckpointDelivery again = delivery(port);
        try (Server target = target(port)) {
            assertThat(target.address().getPort()).isEqualTo(port);
            credentials("admin wrong");
            assertThatThrownBy(again::look)
                    .hasMessageContaining("403 SignatureDoesNotMatch")
                    .hasMessageContaining("provenance.checkpoint-export-credentials");
            assertThat(copy(port, "checkpoint-1")).isEmpty();
            credentials("admin correct-horse");
            again.look();
            assertThat(again.figures().missing()).isZero();
            assertThat(copy(port, "checkpoint-1")).isPresent();
            assertThat(copy(port, "checkpoint-2")).isPresent();
            assertThat(copy(port, "heads-2")).isPresent();
        }
        assertThat(work.resolve("data/checkpoint-export.new")).doesNotExist();
    }

    @Test
    void replacesNoCheckpointThatIsThere() throws Exception {
        try (Server target = target(0)) {
            int port = target.address().getPort();
            assertThat(ask(port, "PUT", "/kept").statusCode()).isEqualTo(200);
            assertThat(ask(port, "PUT", "/kept/a/b/checkpoint-0").statusCode()).isEqualTo(200);
            checkpoint();
            checkpoint();
            CheckpointDelivery delivery = delivery(port);
            delivery.look();
            assertThat(copy(port, "checkpoint-0").orElseThrow()).isEmpty();
            assertThat(copy(port, "checkpoint-1")).isPresent();
            // The state after a restore of an older store: checkpoints that it lacks were
            // delivered.
            directory.remember(
                    "checkpoint-export",
                    Map.of(
                            "target",
                            "http://127.0.0.1:" + port + "/kept/a/b/",
                            "next",
                            "9",
                            "heads",
                            "8"));
            CheckpointDelivery putBack = delivery(port);
            putBack.look();
            assertThat(putBack.figures().missing()).isZero();
            assertThat(copy(port, "checkpoint-0").orElseThrow()).isEmpty();
            assertThat(provenance.refusal().orElseThrow()).contains("has checkpoints up to 8");
        }
    }

    @Test
    void aBucketOfTheSameServerGetsThemAsTheRoot() throws IOException {
        CheckpointExport.Bucket own = new CheckpointExport.Bucket("own-copies", "p/");
        CheckpointDelivery delivery =
                new CheckpointDelivery(
                        new CheckpointDelivery.OfCube("default", Optional.of(provenance)),
                        new BucketDepository(store, own, "root"),
                        directory);
        delivery.look();
        assertThat(delivery.figures().missing()).isZero();
        checkpoint();
        assertThatThrownBy(delivery::look)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no bucket own-copies");
        Caller root = new Caller("root", "", "test");
        store.createBucket(root, new BucketName("own-copies"));
        delivery.look();
        checkpoint();
        delivery.look();
        assertThat(head("p/checkpoint-0")).isTrue();
        assertThat(head("p/checkpoint-1")).isTrue();
        assertThat(head("p/keys")).isTrue();
        assertThat(head("p/heads-0")).isTrue();
        assertThat(head("p/heads-1")).isTrue();
        assertThat(delivery.figures().missing()).isZero();
    }

    private boolean head(String key) throws IOException {
        return store.head(
                        new Caller("root", "", "test"),
                        new BucketName("own-copies"),
                        new ObjectKey(key),
                        new VersionSelector.Latest())
                .isPresent();
    }

    @Test
    void refusesCredentialsThatOthersMayReadOrThatAreNone() throws IOException {
        Files.setPosixFilePermissions(credentials, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> delivery(1)).hasMessageContaining("chmod 600");
        credentials("only-one\n");
        assertThatThrownBy(() -> delivery(1)).hasMessageContaining("white space between them");
    }
}
