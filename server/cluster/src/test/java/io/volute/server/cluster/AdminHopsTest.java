package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.admin.AdminTestBed;
import io.volute.server.cluster.hop.Forwarder;
import io.volute.server.cluster.hop.Forwarder.Counts;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.Forwarder.Owners;
import io.volute.server.cluster.hop.HopGate;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopListener;
import io.volute.server.cluster.hop.HopPool;
import io.volute.server.cluster.hop.HopSeal;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Readiness;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.RawConnection;
import io.volute.server.http.RawConnection.Response;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.S3Handler;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signed requests of the admin API, from the node of a client to the owner of a placed cube. */
class AdminHopsTest {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final long STORE = 5;
    private static final long CUBE = 6;
    private static final String POLICY = "/_volute/v1/policy";
    private static final BucketName PHOTOS = new BucketName("photos");
    private static final String CHANGE =
            "{ \"policy\" : \"every-write\",\r\n \"bucket\":\"photos\" }";

    @TempDir private Path directory;
    private final Random random = new Random(1);
    private final HopPool pool = new HopPool(System::nanoTime, Optional.empty());
    private final List<AutoCloseable> open = new ArrayList<>(List.of(pool));
    private final RequestPlaces places =
            new RequestPlaces(
                    List.of(),
                    new TestPlaces(
                            Map.of("photos", "hot"), Map.of(), Map.of(), Optional.of("hot")));

    /** The roles of the nodes by their elections, which the tests fill. */
    private final Map<Long, Handlers> ofStore = new ConcurrentHashMap<>();

    private final Map<Long, Handlers> ofCube = new ConcurrentHashMap<>();
    private AdminTestBed bed;
    private RawConnection client;

    @BeforeEach
    void start() throws IOException {
        bed = new AdminTestBed(directory);
        open.addFirst(bed);
        bed.store().createBucket(new Caller("alice", "ALICE", "backup"), PHOTOS);
        Owner store = new Owner(node(ofStore), STORE);
        Owner cube = new Owner(node(ofCube), CUBE);
        Forwarder forwarder =
                new Forwarder(
                        Entrance.S3,
                        seal(),
                        pool,
                        (head, body, wasRefused) ->
                                fixed(
                                        wasRefused || places.cubeOf(head, body).isEmpty()
                                                ? store
                                                : cube),
                        Duration.ofSeconds(20),
                        System::nanoTime,
                        new Counts());
        HttpServer entry =
                HttpServer.start(
                        HttpSettings.plain(ANY),
                        new Service(
                                requests(false, false).ofClients(HopGate.REFUSED, forwarder),
                                Readiness.ALWAYS,
                                RequestWatch.NONE),
                        () -> AdminTestBed.NOW,
                        random);
        open.add(entry);
        client = new RawConnection(entry.address());
        open.add(client);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private static Owners fixed(Owner owner) {
        return new Owners() {
            @Override
            public Optional<Owner> await(long nanos) {
                return Optional.of(owner);
            }

            @Override
            public void awaitChange(long election, long nanos) {
                throw new AssertionError("there is another owner");
            }
        };
    }

    private HopSeal seal() {
        return new HopSeal(SECRET, () -> AdminTestBed.NOW, new Random(random.nextLong()));
    }

    /** Starts the listener for other nodes of a node, and returns its address. */
    private String node(Map<Long, Handlers> roles) throws IOException {
        HttpServer server = HopListener.start(seal(), roles, () -> AdminTestBed.NOW, random);
        open.add(server);
        return "127.0.0.1:" + server.address().getPort();
    }

    /** The requests of a node that has the cube and the store, or does not. */
    private Dispatcher requests(boolean hasCube, boolean hasStore) {
        OwnerLease lease =
                new OwnerLease(
                        new OwnerLease.Source() {
                            @Override
                            public boolean isHeld() {
                                return true;
                            }

                            @Override
                            public boolean await() {
                                return true;
                            }
                        },
                        () -> true,
                        new OwnerLease.Counts());
        return new Dispatcher(
                places,
                new Dispatcher.Owned() {
                    @Override
                    public Optional<Serving> cube(String name) {
                        return serving(hasCube, CUBE);
                    }

                    @Override
                    public Optional<Serving> store() {
                        return serving(hasStore, STORE);
                    }

                    private Optional<Serving> serving(boolean isHere, long election) {
                        return isHere
                                ? Optional.of(new Serving(election, lease, new CubeGate()))
                                : Optional.empty();
                    }

                    @Override
                    public boolean isElsewhere(String cube) {
                        return false;
                    }

                    @Override
                    public void deleted(BucketName bucket, String cube) {
                        throw new AssertionError("deleted elsewhere");
                    }

                    @Override
                    public void mayBeDeleted(String cube) {
                        throw new AssertionError("deleted elsewhere");
                    }
                },
                () -> true,
                () -> {});
    }

    /** A role whose server has the admin API in front of it. */
    private Handlers role(boolean hasCube, boolean hasStore) {
        S3Handler handler = requests(hasCube, hasStore).ofNodes(bed.front(), HopGate.REFUSED);
        return new Handlers(handler, handler, HopGate.REFUSED, RequestWatch.NONE);
    }

    private void send(String method, String query, String body, String more) throws IOException {
        StringBuilder head = new StringBuilder();
        head.append(method).append(' ').append(POLICY).append(query.isEmpty() ? "" : "?" + query);
        head.append(" HTTP/1.1\r\nHost: h\r\n").append(more);
        AdminTestBed.ROOT
                .headers(
                        method,
                        "h",
                        POLICY,
                        query,
                        body.getBytes(StandardCharsets.UTF_8),
                        AdminTestBed.NOW)
                .forEach(
                        (name, value) ->
                                head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Content-Length: ").append(body.length()).append("\r\n\r\n");
        RawConnection unused = client.send(head.toString());
    }

    private String policy() {
        return bed.store().bucket(PHOTOS).orElseThrow().history().text();
    }

    /** The owner reads the body, too: the signature covers each byte of it. */
    @Test
    void aSignedBodyReachesTheOwnerOfTheCubeUnchanged() throws IOException {
        ofCube.put(CUBE, role(true, false));
        send("PUT", "", CHANGE, "");
        client.send(CHANGE.substring(0, 9));
        client.send(CHANGE.substring(9));
        Response response = client.read();
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(policy()).isEqualTo("every-write");
        send("GET", "bucket=photos", "", "");
        assertThat(client.read().text()).contains("every-write");
    }

    @Test
    void aClientThatWaitsBeforeItsBodyIsAskedForItOnce() throws IOException {
        ofCube.put(CUBE, role(true, false));
        send("PUT", "", CHANGE, "Expect: 100-continue\r\n");
        assertThat(client.read().status()).isEqualTo(100);
        client.send(CHANGE);
        assertThat(client.read().status()).isEqualTo(200);
        assertThat(policy()).isEqualTo("every-write");
    }

    /** It has read the body to find the place, and has done nothing with it. */
    @Test
    void aRefusedBodyIsSentToTheNextOwner() throws IOException {
        ofCube.put(CUBE, role(false, false));
        ofStore.put(STORE, role(true, false));
        send("PUT", "", CHANGE, "");
        client.send(CHANGE);
        Response response = client.read();
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(policy()).isEqualTo("every-write");
    }

    @Test
    void aBodyWithoutABucketGoesToTheOwnerOfTheStore() throws IOException {
        ofStore.put(STORE, role(false, true));
        ofCube.put(CUBE, role(true, false));
        send("PUT", "", "{}", "");
        client.send("{}");
        Response response = client.read();
        assertThat(response.status()).isEqualTo(400);
        assertThat(response.text()).contains("bucket is missing");
    }
}
