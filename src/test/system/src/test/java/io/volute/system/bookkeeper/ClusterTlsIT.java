package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.system.Bytes;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.testkit.tls.TestAuthority;
import io.volute.testkit.tls.TestAuthority.Identity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** A cluster whose processes connect to each other by TLS with certificates, and a stranger. */
class ClusterTlsIT {
    private static final String BUCKET = "secured";

    /** BookKeeper finds the role of a client in the unit of the subject. */
    private static final String SUBJECT = "CN=volute,OU=0:volute";

    private static Map<String, String> secured(TestAuthority authority, Identity node) {
        String file = authority.certificate().toString();
        return Map.of(
                "VOLUTE_CLUSTER_TLS_CERTIFICATE",
                node.certificate().toString(),
                "VOLUTE_CLUSTER_TLS_KEY",
                node.key().toString(),
                "VOLUTE_CLUSTER_TLS_CA",
                file,
                "VOLUTE_LOG_BOOKKEEPER_TLS_CA",
                file,
                "VOLUTE_LOG_BOOKKEEPER_TLS_CERTIFICATE",
                node.both().toString(),
                "VOLUTE_LOG_BOOKKEEPER_ZOOKEEPER_ACL",
                "creator");
    }

    private static void put(S3Client s3, String key, byte[] content) {
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(content));
    }

    private static byte[] get(S3Client s3, String key) {
        return s3.getObjectAsBytes(request -> request.bucket(BUCKET).key(key)).asByteArray();
    }

    private static String plainText(String address) throws IOException {
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write("GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void nodesForwardAndTakeOverByTls() throws Exception {
        try (TemporaryStore servers = TemporaryStore.create("bookies");
                TemporaryStore directory = TemporaryStore.create("nodes")) {
            Path certificates = Files.createDirectories(servers.path().resolve("tls"));
            TestAuthority authority = new TestAuthority(certificates, "cluster");
            Identity server = authority.sign("server", SUBJECT);
            Map<String, String> settings = secured(authority, authority.sign("node", SUBJECT));
            try (BookieCluster bookies =
                            BookieCluster.start(
                                    Files.createDirectories(servers.data()),
                                    new BookieCluster.Tls(authority.certificate(), server.both()));
                    ClusterNodes nodes =
                            ClusterNodes.start(
                                    directory, bookies.zooKeeper(), 2, every -> settings);
                    S3Client second = nodes.client(1)) {
                byte[] small = Bytes.random(1, 4096);
                byte[] large = Bytes.random(2, 9_000_000);
                new Store(nodes.node(1).endpoint(), second).create(BUCKET);
                put(second, "small", small);
                put(second, "large", large);
                assertThat(get(second, "large")).isEqualTo(large);
                String hops = nodes.hopAddress(nodes.owner());
                assertThat(plainText(hops)).doesNotContain("HTTP/1.1");
                nodes.node(0).kill();
                assertThat(get(second, "small")).isEqualTo(small);
                nodes.restart(0);
                try (S3Client first = nodes.client(0)) {
                    assertThat(get(first, "large")).isEqualTo(large);
                }
                refusesACertificateOfAnother(nodes, certificates);
                strangersChangeNothingInZooKeeper(bookies.zooKeeper(), authority);
                refusesServersOfAnotherAuthority(nodes, certificates);
                assertThat(nodes.logs()).doesNotContain("listening without TLS");
            }
        }
    }

    @Test
    void bookiesOfAnotherAuthorityAreNotUsed() throws Exception {
        try (TemporaryStore servers = TemporaryStore.create("bookies");
                TemporaryStore directory = TemporaryStore.create("alone")) {
            Path certificates = Files.createDirectories(servers.path().resolve("tls"));
            TestAuthority authority = new TestAuthority(certificates, "cluster");
            TestAuthority others = new TestAuthority(certificates.resolve("others"), "others");
            Path own = authority.sign("server", SUBJECT).both();
            Path bookie = others.sign("bookie", SUBJECT).both();
            try (BookieCluster bookies =
                    BookieCluster.start(
                            Files.createDirectories(servers.data()),
                            new BookieCluster.Tls(authority.certificate(), own, bookie))) {
                ServerProcess.Options options =
                        ServerProcess.Options.of(directory.data())
                                .withEnvironment(
                                        Map.of(
                                                "VOLUTE_LOG_STORE",
                                                "bookkeeper",
                                                "VOLUTE_LOG_BOOKKEEPER_ZOOKEEPER",
                                                bookies.zooKeeper(),
                                                "VOLUTE_LOG_BOOKKEEPER_TLS_CA",
                                                authority.certificate().toString(),
                                                "VOLUTE_LOG_BOOKKEEPER_TLS_CERTIFICATE",
                                                own.toString()));
                try (ServerProcess server = ServerProcess.launch(options)) {
                    assertThat(server.awaitExit(Duration.ofSeconds(60))).isNotZero();
                    assertThat(server.log())
                            .contains("cannot start", "log.bookkeeper.tls.ca has the authority");
                }
            }
        }
    }

    private static void refusesACertificateOfAnother(ClusterNodes nodes, Path certificates)
            throws IOException {
        TestAuthority others = new TestAuthority(certificates.resolve("others"), "others");
        nodes.copyKeys(7);
        ServerProcess.Options stranger = nodes.options(7, ClusterNodes.SECRET);
        Map<String, String> environment = new HashMap<>(stranger.environment());
        Identity identity = others.sign("stranger", SUBJECT);
        environment.put("VOLUTE_CLUSTER_TLS_CERTIFICATE", identity.certificate().toString());
        environment.put("VOLUTE_CLUSTER_TLS_KEY", identity.key().toString());
        assertThatThrownBy(() -> ServerProcess.start(stranger.withEnvironment(environment)))
                .hasMessageContaining("other nodes would not accept cluster.tls.certificate")
                .hasMessageContaining("be of an authority in cluster.tls.ca");
    }

    private static ZooKeeper connect(String servers, TestAuthority authority, String subject)
            throws Exception {
        Identity identity = authority.sign("zk-" + subject.hashCode(), subject);
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty("zookeeper.client.secure", "true");
        config.setProperty(
                "zookeeper.clientCnxnSocket", "org.apache.zookeeper.ClientCnxnSocketNetty");
        config.setProperty("zookeeper.ssl.keyStore.location", identity.both().toString());
        config.setProperty("zookeeper.ssl.keyStore.type", "PEM");
        config.setProperty("zookeeper.ssl.trustStore.location", authority.certificate().toString());
        config.setProperty("zookeeper.ssl.trustStore.type", "PEM");
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client =
                new ZooKeeper(
                        servers,
                        10_000,
                        event -> {
                            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                                connected.countDown();
                            }
                        },
                        config);
        assertThat(connected.await(30, TimeUnit.SECONDS)).isTrue();
        return client;
    }

    /** Collects the nodes below a path. */
    private static List<String> tree(ZooKeeper client, String path) throws Exception {
        List<String> all = new ArrayList<>(List.of(path));
        for (String child : client.getChildren(path, false)) {
            all.addAll(tree(client, path + "/" + child));
        }
        return all;
    }

    /** Attacks each node of the store by a client with a certificate of the same authority. */
    private static void strangersChangeNothingInZooKeeper(String servers, TestAuthority authority)
            throws Exception {
        try (ZooKeeper own = connect(servers, authority, SUBJECT);
                ZooKeeper stranger = connect(servers, authority, "CN=stranger")) {
            List<String> nodes = new ArrayList<>(tree(own, "/volute/cubes"));
            nodes.addAll(tree(own, "/volute/cluster"));
            nodes.add("/volute/ledgers/LAYOUT");
            assertThat(nodes)
                    .contains(
                            "/volute/cubes/default/log",
                            "/volute/cubes/default/log/0",
                            "/volute/cluster/keys",
                            "/volute/cluster/owner");
            for (String path : nodes) {
                assertThatThrownBy(() -> stranger.setData(path, new byte[0], -1))
                        .as(path)
                        .isInstanceOf(KeeperException.NoAuthException.class);
                assertThatThrownBy(() -> stranger.getData(path, false, null))
                        .as(path)
                        .isInstanceOf(KeeperException.NoAuthException.class);
                if (!path.equals("/volute/cubes") && !path.equals("/volute/cluster")) {
                    assertThatThrownBy(() -> stranger.delete(path, -1))
                            .as(path)
                            .isInstanceOf(KeeperException.class);
                }
            }
        }
    }

    private static ServerProcess.Options with(
            ServerProcess.Options options, Map<String, String> changes) {
        Map<String, String> environment = new HashMap<>(options.environment());
        environment.putAll(changes);
        return options.withEnvironment(environment);
    }

    private static void refusesServersOfAnotherAuthority(ClusterNodes nodes, Path certificates)
            throws IOException {
        TestAuthority others = new TestAuthority(certificates.resolve("more"), "more");
        ServerProcess.Options options = nodes.options(7, ClusterNodes.SECRET);
        String file = others.certificate().toString();
        assertThatThrownBy(
                        () ->
                                ServerProcess.start(
                                        with(
                                                options,
                                                Map.of("VOLUTE_LOG_BOOKKEEPER_TLS_CA", file))))
                .hasMessageContaining("no TLS connection to ZooKeeper at 127.0.0.1:")
                .hasMessageContaining("log.bookkeeper.tls.ca");
        String identity = others.sign("other", SUBJECT).both().toString();
        assertThatThrownBy(
                        () ->
                                ServerProcess.start(
                                        with(
                                                options,
                                                Map.of(
                                                        "VOLUTE_LOG_BOOKKEEPER_TLS_CERTIFICATE",
                                                        identity))))
                .hasMessageContaining("no TLS connection to ZooKeeper at 127.0.0.1:")
                .hasMessageContaining("log.bookkeeper.tls.certificate");
        assertThatThrownBy(
                        () ->
                                ServerProcess.start(
                                        with(
                                                options,
                                                Map.of(
                                                        "VOLUTE_LOG_BOOKKEEPER_TLS_CERTIFICATE",
                                                        file))))
                .hasMessageContaining("log.bookkeeper.tls.certificate " + file)
                .hasMessageContaining("write the private key");
    }
}
