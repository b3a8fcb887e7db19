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
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** A cluster whose processes connect to each other by TLS with certificates, and a stranger. */
class ClusterTlsIT {
    private static final String BUCKET = "secured";

    private static Map<String, String> betweenNodes(TestAuthority authority, String name)
            throws IOException {
        Identity node = authority.sign(name, "volute");
        return Map.of(
                "VOLUTE_CLUSTER_TLS_CERTIFICATE", node.certificate().toString(),
                "VOLUTE_CLUSTER_TLS_KEY", node.key().toString(),
                "VOLUTE_CLUSTER_TLS_CA", authority.certificate().toString());
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
            Map<String, String> between = betweenNodes(authority, "node");
            try (BookieCluster bookies =
                            BookieCluster.start(Files.createDirectories(servers.data()));
                    ClusterNodes nodes =
                            ClusterNodes.start(
                                    directory, bookies.zooKeeper(), 2, every -> between);
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
                assertThat(nodes.logs()).doesNotContain("listening without TLS");
            }
        }
    }

    private static void refusesACertificateOfAnother(ClusterNodes nodes, Path certificates)
            throws IOException {
        TestAuthority others = new TestAuthority(certificates.resolve("others"), "others");
        nodes.copyKeys(7);
        ServerProcess.Options stranger = nodes.options(7, ClusterNodes.SECRET);
        Map<String, String> environment = new HashMap<>(stranger.environment());
        Identity identity = others.sign("stranger", "volute");
        environment.put("VOLUTE_CLUSTER_TLS_CERTIFICATE", identity.certificate().toString());
        environment.put("VOLUTE_CLUSTER_TLS_KEY", identity.key().toString());
        assertThatThrownBy(() -> ServerProcess.start(stranger.withEnvironment(environment)))
                .hasMessageContaining("other nodes would not accept cluster.tls.certificate")
                .hasMessageContaining("be of an authority in cluster.tls.ca");
    }
}
