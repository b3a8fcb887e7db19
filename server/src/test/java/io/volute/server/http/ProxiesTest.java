package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auth.policy.AddressRange;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.Proxies.Means;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the client address of requests that come through a proxy, or claim to. */
class ProxiesTest {
    private static final String V2 = "0d0a0d0a000d0a515549540a";
    private static final String V2_CLIENT =
            V2 + "21" + "11" + "000c" + "c6336442" + "7f000001" + "d431" + "0050";

    private static Proxies proxies(Means means, String... trusted) {
        return new Proxies(Stream.of(trusted).map(AddressRange::of).toList(), means);
    }

    private static ServerUnderTest server(Caps caps, Proxies proxies) throws IOException {
        return new ServerUnderTest(
                ServerUnderTest::count,
                new HttpSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        caps,
                        ServerUnderTest.patient(),
                        proxies));
    }

    private static String get(String... headers) {
        return "GET / HTTP/1.1\r\nHost: a\r\n" + String.join("", headers) + "\r\n";
    }

    private static String forwarded(String value) {
        return "X-Forwarded-For: " + value + "\r\n";
    }

    /** The address that requests in one connection have, one after the other. */
    private static List<String> addresses(Proxies proxies, String... sent) throws IOException {
        try (ServerUnderTest server = server(Caps.defaults(), proxies);
                RawConnection client = server.connect()) {
            for (String each : sent) {
                assertThat(client.send(each).read().status()).isEqualTo(200);
            }
            return server.heads().stream().map(head -> head.remoteAddress()).toList();
        }
    }

    @Test
    void nobodyIsBelievedUnlessListed() throws IOException {
        for (Proxies proxies :
                List.of(
                        Proxies.NONE,
                        proxies(Means.X_FORWARDED_FOR, "192.0.2.0/24", "::1"),
                        proxies(Means.PROXY_PROTOCOL, "192.0.2.0/24"),
                        proxies(Means.PROXY_PROTOCOL, "127.0.0.2"))) {
            assertThat(addresses(proxies, get(forwarded("198.51.100.66"))))
                    .containsExactly("127.0.0.1");
        }
    }

    @Test
    void eachRequestOfAProxySaysWhoseItIs() throws IOException {
        assertThat(
                        addresses(
                                proxies(Means.X_FORWARDED_FOR, "127.0.0.0/8"),
                                get(forwarded("198.51.100.66")),
                                get(),
                                get(forwarded("198.51.100.1"), forwarded("2001:db8::7"))))
                .containsExactly("198.51.100.66", "127.0.0.1", "2001:db8:0:0:0:0:0:7");
    }

    /** The part of the header that the client wrote stands to the left of the proxy's part. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "198.51.100.66|198.51.100.66",
                "127.0.0.1, 198.51.100.66|198.51.100.66",
                "10.0.0.5, 198.51.100.66, 10.0.0.1|198.51.100.66",
                "192.0.2.7, 198.51.100.66, 10.0.0.1, 127.0.0.9|198.51.100.66",
                "10.0.0.2, 10.0.0.1|10.0.0.2",
                "198.51.100.66:4711|198.51.100.66",
                "[2001:db8::7]:4711|2001:db8:0:0:0:0:0:7",
                "[2001:db8::7]|2001:db8:0:0:0:0:0:7",
                "::ffff:198.51.100.66|198.51.100.66",
                "192.0.2.7, unknown|127.0.0.1",
                "192.0.2.7, unknown, 10.0.0.1|10.0.0.1",
                "192.0.2.7,|127.0.0.1",
                "192.0.2.7, 198.51.100.066|127.0.0.1",
                "192.0.2.7 198.51.100.66|127.0.0.1",
                "host.example|127.0.0.1",
            })
    void theRightmostAddressThatIsNoProxysIsTheClients(String header, String client)
            throws IOException {
        assertThat(
                        addresses(
                                proxies(Means.X_FORWARDED_FOR, "127.0.0.0/8", "10.0.0.0/8"),
                                get(forwarded(header))))
                .containsExactly(client);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PROXY TCP4 198.51.100.66 192.0.2.1 4711 80|198.51.100.66",
                "PROXY TCP6 2001:db8::7 2001:db8::1 4711 80|2001:db8:0:0:0:0:0:7",
                "PROXY UNKNOWN|127.0.0.1",
                "PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535|127.0.0.1",
            })
    void aConnectionOfAProxyBeginsWithItsClient(String header, String client) throws IOException {
        // The header of requests is the client's own, and means nothing here.
        assertThat(
                        addresses(
                                proxies(Means.PROXY_PROTOCOL, "127.0.0.1"),
                                header + "\r\n" + get(forwarded("192.0.2.7")),
                                get()))
                .containsExactly(client, client);
    }

    private static byte[] v2(String hex, String behind) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(HexFormat.of().parseHex(hex));
        bytes.writeBytes(behind.getBytes(StandardCharsets.ISO_8859_1));
        return bytes.toByteArray();
    }

    private static String addressOf(byte[] sent) throws IOException {
        try (ServerUnderTest server =
                        server(Caps.defaults(), proxies(Means.PROXY_PROTOCOL, "127.0.0.1"));
                RawConnection client = server.connect()) {
            for (byte each : sent) {
                client.send(new byte[] {each});
            }
            assertThat(client.read().status()).isEqualTo(200);
            return server.heads().getFirst().remoteAddress();
        }
    }

    @Test
    void theBinaryHeaderIsReadToo() throws IOException {
        assertThat(addressOf(v2(V2_CLIENT, get()))).isEqualTo("198.51.100.66");
        String local = V2 + "20" + "00" + "0000";
        assertThat(addressOf(v2(local, get()))).isEqualTo("127.0.0.1");
        String v6 =
                V2
                        + "21"
                        + "21"
                        + "0024"
                        + "20010db8000000000000000000000007"
                        + "20010db8000000000000000000000001"
                        + "d431"
                        + "0050";
        assertThat(addressOf(v2(v6, get()))).isEqualTo("2001:db8:0:0:0:0:0:7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "PROXY TCP4 198.51.100.66 192.0.2.1 4711\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "PROXY TCP4 300.51.100.66 192.0.2.1 4711 80\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "PROXY TCP4 host 192.0.2.1 4711 80\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            })
    void aProxyWithoutASoundHeaderIsNotAnswered(String sent) throws IOException {
        try (ServerUnderTest server =
                        server(Caps.defaults(), proxies(Means.PROXY_PROTOCOL, "127.0.0.1"));
                RawConnection client = server.connect()) {
            client.send(sent);
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(server.heads()).isEmpty();
        }
    }

    @Test
    void aHeaderOfSomebodyElseIsNoRequest() throws IOException {
        for (Proxies proxies :
                List.of(
                        Proxies.NONE,
                        proxies(Means.PROXY_PROTOCOL, "192.0.2.1"),
                        proxies(Means.X_FORWARDED_FOR, "127.0.0.1"))) {
            try (ServerUnderTest server = server(Caps.defaults(), proxies);
                    RawConnection client = server.connect()) {
                client.send("PROXY TCP4 198.51.100.66 192.0.2.1 4711 80\r\n" + get());
                assertThat(client.read().status()).isEqualTo(400);
                assertThat(server.heads()).isEmpty();
            }
        }
    }

    /** Limits of one address are those of the clients, not of the proxy. */
    @Test
    void clientsBehindAProxyHaveTheirOwnLimits() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(2);
        Caps caps = new Caps(10, 1, 10, 1, 1 << 20);
        HttpSettings settings =
                new HttpSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        caps,
                        ServerUnderTest.patient(),
                        proxies(Means.X_FORWARDED_FOR, "127.0.0.1"));
        try (ServerUnderTest server =
                        new ServerUnderTest(ServerUnderTest.late(running, go), settings);
                RawConnection first = server.connect();
                RawConnection second = server.connect();
                RawConnection third = server.connect()) {
            first.send(get(forwarded("198.51.100.1")));
            second.send(get(forwarded("198.51.100.2")));
            BodyTest.await(running);
            RawConnection.Response refused = third.send(get(forwarded("198.51.100.2"))).read();
            assertThat(refused.status()).isEqualTo(503);
            go.countDown();
            assertThat(first.read().status()).isEqualTo(200);
            assertThat(second.read().status()).isEqualTo(200);
            assertThat(second.send(get(forwarded("198.51.100.2"))).read().status()).isEqualTo(200);
        }
    }

    @Test
    void connectionsOfAClientThroughAProxyHaveTheirCap() throws IOException {
        Caps caps = new Caps(10, 1, 10, 10, 1 << 20);
        String one = "PROXY TCP4 198.51.100.1 192.0.2.1 4711 80\r\n";
        String other = "PROXY TCP4 198.51.100.2 192.0.2.1 4711 80\r\n";
        try (ServerUnderTest server = server(caps, proxies(Means.PROXY_PROTOCOL, "127.0.0.1"));
                RawConnection first = server.connect();
                RawConnection second = server.connect();
                RawConnection third = server.connect()) {
            assertThat(first.send(one + get()).read().status()).isEqualTo(200);
            assertThat(second.send(other + get()).read().status()).isEqualTo(200);
            third.send(one + get());
            assertThat(third.isClosedByServer()).isTrue();
        }
    }
}
