package io.volute.server.cluster.hop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.cluster.hop.HopSeal.Opened;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.http.HttpServer.Readiness;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.Services;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HopSealTest {
    private static final byte[] SECRET = bytes("0123456789abcdef");

    private static final long ELECTION = 7;

    private Instant now = Instant.parse("2026-01-02T03:04:05Z");
    private final HopSeal seal = new HopSeal(SECRET, () -> now, new Random(1));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static HttpHead head(String method, String path, String query, Header... more) {
        List<Header> headers = new ArrayList<>(List.of(new Header("host", "h")));
        headers.addAll(List.of(more));
        return new HttpHead(
                method,
                path,
                query,
                new HeaderList(headers),
                true,
                "2001:db8::7",
                0,
                "REQ1",
                Optional.of("1.3"));
    }

    /** The head as the owner gets it: from the address of a node, without TLS. */
    private static HttpHead arrived(HttpHead sent, String... seals) {
        List<Header> headers = new ArrayList<>(sent.headers().headers());
        for (String each : seals) {
            headers.add(new Header(HopSeal.HEADER, each));
        }
        return new HttpHead(
                sent.method(),
                sent.rawPath(),
                sent.rawQuery(),
                new HeaderList(headers),
                false,
                "10.0.0.2",
                0,
                "OTHER");
    }

    private static HopGate gate(HopSeal seal, long election, S3Handler store) {
        Handlers handlers = new Handlers(store, store, store, RequestWatch.NONE);
        return new HopGate(
                seal,
                Readiness.ALWAYS,
                RequestWatch.NONE,
                wanted -> Optional.of(handlers).filter(role -> wanted == election));
    }

    private static S3Response answer(HopGate gate, HttpHead arrived) {
        Services.Arrival arrival = gate.arrival(arrived);
        return arrival.service().handler().handle(arrival.head(), null);
    }

    @Test
    void theOwnerSeesTheClientOfTheOtherNode() {
        HttpHead sent = head("PUT", "/b/k%2F1", "partNumber=1&uploadId=x");
        Opened opened =
                seal.open(arrived(sent, seal.seal(Entrance.ADMIN, sent, ELECTION))).orElseThrow();
        assertThat(opened.entrance()).isEqualTo(Entrance.ADMIN);
        assertThat(opened.head().remoteAddress()).isEqualTo("2001:db8::7");
        assertThat(opened.head().requestId()).isEqualTo("REQ1");
        assertThat(opened.head().secure()).isTrue();
        assertThat(opened.head().tlsVersion()).contains("1.3");
        assertThat(opened.head().headers()).isEqualTo(sent.headers());
    }

    /** The first owner forwards the request to another one. */
    @Test
    void theNextOwnerSeesTheSameClient() {
        HttpHead sent = head("PUT", "/b/k", "x=1");
        HttpHead first =
                seal.open(arrived(sent, seal.seal(Entrance.S3, sent, ELECTION)))
                        .orElseThrow()
                        .head();
        String value = seal.seal(Entrance.S3, first, ELECTION + 1);
        Opened opened = seal.open(arrived(first, value)).orElseThrow();
        assertThat(opened.election()).isEqualTo(ELECTION + 1);
        assertThat(opened.isFirst()).isTrue();
        assertThat(opened.head()).isEqualTo(first);
        assertThat(first.remoteAddress()).isEqualTo("2001:db8::7");
        assertThat(first.requestId()).isEqualTo("REQ1");
        assertThat(first.secure()).isTrue();
        assertThat(first.tlsVersion()).contains("1.3");
    }

    @Test
    void aSealIsForOneRequest() {
        HttpHead sent = head("GET", "/b/k", "");
        String value = seal.seal(Entrance.S3, sent, ELECTION);
        assertThat(seal.open(arrived(sent, value))).isPresent();
        assertThat(seal.open(arrived(head("PUT", "/b/k", ""), value))).isEmpty();
        assertThat(seal.open(arrived(head("GET", "/b/j", ""), value))).isEmpty();
        assertThat(seal.open(arrived(head("GET", "/b/k", "acl"), value))).isEmpty();
        for (HttpHead other :
                List.of(
                        head("GET", "/b/k", "", new Header("authorization", "another")),
                        sent.with(new HeaderList(List.of(new Header("host", "other")))),
                        sent.with(new HeaderList(List.of())))) {
            assertThat(seal.open(arrived(other, value))).isEmpty();
        }
        assertThat(seal.open(arrived(sent))).isEmpty();
        assertThat(seal.open(arrived(sent, value, value))).isEmpty();
    }

    @Test
    void aChangedSealDoesNotOpen() {
        HttpHead sent = head("GET", "/b/k", "");
        String value = seal.seal(Entrance.S3, sent, ELECTION);
        for (String[] change :
                new String[][] {
                    {"2001:db8::7", "10.1.1.1"},
                    {" S3 ", " ADMIN "},
                    {" 1.3 ", " - "},
                    {"REQ1", "REQ2"},
                    {"v2 ", "v1 "}
                }) {
            assertThat(seal.open(arrived(sent, value.replace(change[0], change[1])))).isEmpty();
        }
        assertThat(
                        new HopSeal(
                                bytes("another-secret-of-another-cluster"),
                                () -> now,
                                new Random(1)))
                .satisfies(other -> assertThat(other.open(arrived(sent, value))).isEmpty());
    }

    @Test
    void anOldSealDoesNotOpen() {
        HttpHead sent = head("GET", "/b/k", "");
        String value = seal.seal(Entrance.S3, sent, ELECTION);
        now = now.plusSeconds(899);
        assertThat(seal.open(arrived(sent, value))).isPresent();
        now = now.plusSeconds(2);
        assertThat(seal.open(arrived(sent, value))).isEmpty();
    }

    /** Somebody has captured a request, and sends it again to this owner or to the next one. */
    @Test
    void aCapturedRequestIsHandledOnceAndByOneOwner() {
        List<String> handled = new ArrayList<>();
        S3Handler store =
                (head, body) -> {
                    handled.add(head.method());
                    return new S3Response(200, List.of(), new Content.None(-1));
                };
        HopGate gate = gate(seal, ELECTION, store);
        HopGate next = gate(new HopSeal(SECRET, () -> now, new Random(2)), 8, store);
        HttpHead sent = head("DELETE", "/b/k", "");
        HttpHead captured = arrived(sent, seal.seal(Entrance.S3, sent, ELECTION));
        assertThat(answer(gate, captured).status()).isEqualTo(200);
        for (HopGate each : List.of(gate, next)) {
            S3Response again = answer(each, captured);
            assertThat(again.status()).isEqualTo(503);
            assertThat(again.headers()).contains(new Header(HopSeal.HEADER, "refused"));
        }
        assertThat(handled).containsExactly("DELETE");
    }

    @Test
    void theGateTakesNoSealFromAClient() {
        HopGate gate = gate(seal, ELECTION, (head, body) -> null);
        HttpHead forged = head("GET", "/b/k", "", new Header("X-Volute-Hop", "S3"));
        assertThat(gate.arrival(forged).head().headers().first(HopSeal.HEADER)).isEmpty();
        assertThat(answer(gate, forged).status()).isEqualTo(403);
    }

    @Test
    void oneAddressCannotTakeAllConnectionsOfTheListener() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Caps clients = Caps.defaults();
        Caps nodes =
                HopGate.listener(
                                HttpSettings.plain(any),
                                new ClusterConfig(
                                        "n1",
                                        any,
                                        Path.of("secret"),
                                        Optional.empty(),
                                        Duration.ZERO,
                                        Duration.ZERO,
                                        Duration.ZERO,
                                        ClusterConfig.Distribution.TOGETHER))
                        .caps();
        assertThat(nodes.connectionsPerAddress())
                .isGreaterThan(clients.requestsInFlight())
                .isLessThan(clients.connections() / 2);
        assertThat(nodes.requestsPerAddress()).isEqualTo(clients.requestsInFlight());
    }

    @Test
    void aSecretNeedsAPrivateFileAndSixteenCharacters(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("secret");
        Files.writeString(file, "0123456789abcdef\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> HopSeal.secret(file)).hasMessageContaining(file.toString());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(HopSeal.secret(file)).isEqualTo(SECRET);
        Files.writeString(file, "short\n");
        assertThatThrownBy(() -> HopSeal.secret(file)).hasMessageContaining("at least 16");
    }
}
