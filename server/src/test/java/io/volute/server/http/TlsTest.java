package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.adminapi.tls.Authorities;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.http.HttpSettings.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS with PEM files, made here by the JDK's keytool. */
class TlsTest {
    private static final char[] PASSWORD = "password".toCharArray();

    @TempDir private Path directory;
    private KeyStore keys;
    private TlsFiles files;

    @BeforeEach
    void makeKey() throws Exception {
        makeKey("-0d");
    }

    /**
     * @param start begin of the validity of 30 days, relative to now
     */
    private void makeKey(String start) throws Exception {
        Path store = directory.resolve("keys.p12");
        Files.deleteIfExists(store);
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "server",
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-dname",
                                "CN=localhost",
                                "-ext",
                                "san=ip:127.0.0.1",
                                "-startdate",
                                start,
                                "-validity",
                                "30",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                new String(PASSWORD))
                        .redirectErrorStream(true)
                        .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(output).isZero();
        keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        files =
                new TlsFiles(
                        pem("cert.pem", "CERTIFICATE", keys.getCertificate("server").getEncoded()),
                        pem(
                                "key.pem",
                                "PRIVATE KEY",
                                keys.getKey("server", PASSWORD).getEncoded()));
    }

    private Path pem(String name, String kind, byte[] der) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return Files.writeString(
                directory.resolve(name),
                "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    private ServerUnderTest server(TlsFiles tls) throws IOException {
        return server(tls, Timeouts.defaults());
    }

    private static ServerUnderTest server(TlsFiles tls, Timeouts timeouts) throws IOException {
        return new ServerUnderTest(
                ServerUnderTest::count,
                new HttpSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.of(tls),
                        Caps.defaults(),
                        timeouts));
    }

    private SSLSocket connect(ServerUnderTest server, String protocol) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        InetSocketAddress address = server.server().address();
        SSLSocket socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket(address.getAddress(), address.getPort());
        socket.setEnabledProtocols(new String[] {protocol});
        return socket;
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    @Tag("slow")
    void serves(String protocol) throws Exception {
        try (ServerUnderTest server = server(files);
                RawConnection client =
                        new RawConnection(connect(server, protocol), server.server().address())) {
            for (int i = 0; i < 3; i++) {
                client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n");
                client.send(new byte[300_000]);
                assertThat(client.read().text()).isEqualTo("PUT 300000");
            }
            client.send(
                    "PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
                            + "Expect: 100-continue\r\n\r\n");
            assertThat(client.readHead().status()).isEqualTo(100);
            client.send("ab");
            assertThat(client.read().text()).isEqualTo("PUT 2");
            client.send("nonsense\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(400);
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(server.heads()).allMatch(h -> h.secure());
        }
    }

    private RawConnection client(ServerUnderTest server) throws Exception {
        return new RawConnection(connect(server, "TLSv1.3"), server.server().address());
    }

    private static void exchange(RawConnection client) throws Exception {
        client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab");
        assertThat(client.read().text()).isEqualTo("PUT 2");
    }

    @Test
    @Tag("slow")
    void newFilesAreForNewConnections() throws Exception {
        try (ServerUnderTest server = server(files);
                RawConnection before = client(server)) {
            exchange(before);
            assertThat(server.server().reloadTls()).isFalse();
            makeKey();
            assertThat(server.server().reloadTls()).isTrue();
            assertThat(server.server().reloadTls()).isFalse();
            exchange(before);
            // It trusts the new certificate alone.
            try (RawConnection after = client(server)) {
                exchange(after);
            }
        }
    }

    @Test
    @Tag("slow")
    void aPairThatIsBrokenIsNotTaken() throws Exception {
        try (ServerUnderTest server = server(files)) {
            KeyStore old = keys;
            Path certificate = directory.resolve("old.pem");
            Files.copy(files.certificate(), certificate);
            makeKey();
            KeyStore renewed = keys;
            Path fresh = directory.resolve("fresh.pem");
            Files.move(files.certificate(), fresh);
            keys = old;
            // Gone, then that of another key, then no certificate.
            assertThat(server.server().reloadTls()).isFalse();
            Files.copy(certificate, files.certificate());
            assertThat(server.server().reloadTls()).isFalse();
            Files.writeString(files.certificate(), "nonsense");
            assertThat(server.server().reloadTls()).isFalse();
            try (RawConnection client = client(server)) {
                exchange(client);
            }
            Files.delete(files.certificate());
            Files.move(fresh, files.certificate());
            assertThat(server.server().reloadTls()).isTrue();
            keys = renewed;
            try (RawConnection client = client(server)) {
                exchange(client);
            }
        }
    }

    @Test
    @Tag("slow")
    void refusesCiphersWithoutAuthentication() throws Exception {
        try (ServerUnderTest server = server(files);
                SSLSocket socket = connect(server, "TLSv1.2")) {
            socket.setEnabledCipherSuites(new String[] {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"});
            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
        }
    }

    @Test
    void closesWithoutAHandshake() throws Exception {
        Timeouts patient = ServerUnderTest.patient();
        Timeouts timeouts =
                new Timeouts(
                        Duration.ofMillis(10),
                        patient.header(),
                        patient.idle(),
                        patient.bodyIdle(),
                        patient.writeIdle(),
                        patient.bodyRate());
        try (ServerUnderTest server = server(files, timeouts);
                RawConnection client = new RawConnection(new Socket(), server.server().address())) {
            client.input().readAllBytes();
            assertThat(server.heads()).isEmpty();
        }
    }

    @Test
    @Tag("slow")
    void closesOnPlainHttp() throws Exception {
        try (ServerUnderTest server = server(files);
                RawConnection client = new RawConnection(new Socket(), server.server().address())) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            // An alert may come first.
            client.input().readAllBytes();
            assertThat(server.heads()).isEmpty();
        }
    }

    /** Java does not look at the dates of a certificate that is trusted itself. */
    @Test
    @Tag("slow")
    void anExpiredCertificateIsRefusedAndNamed() throws Exception {
        Instant now = Instant.ofEpochMilli(new Date().getTime());
        assertThat(files.dates(now).problem()).isEmpty();
        assertThat(files.dates(now.plus(Duration.ofDays(20))).problem()).contains("expires on");
        assertThat(files.dates(now.plus(Duration.ofDays(20))).isInvalid()).isFalse();
        assertThat(files.dates(now.plus(Duration.ofDays(31))).isInvalid()).isTrue();
        assertThat(files.dates(now.minus(Duration.ofDays(2))).isInvalid()).isTrue();
        makeKey("-60d");
        assertThat(files.dates(now).problem()).contains("tls.certificate", "has expired on");
        SSLContext trusting = Authorities.trusted("test", Optional.of(files.certificate()));
        try (ServerUnderTest server = server(files);
                SSLSocket socket =
                        (SSLSocket)
                                trusting.getSocketFactory()
                                        .createSocket(
                                                "127.0.0.1", server.server().address().getPort())) {
            assertThatThrownBy(socket::startHandshake)
                    .isInstanceOf(SSLException.class)
                    .matches(Authorities::areOutdated);
        }
    }

    @Test
    @Tag("slow")
    void saysWhatIsWrongWithTheFiles() throws IOException {
        assertThatThrownBy(() -> server(new TlsFiles(directory.resolve("none.pem"), files.key())))
                .hasMessageContaining("none.pem")
                .hasMessageContaining("tls.certificate");
        Path other = Files.writeString(directory.resolve("other.pem"), "not a key");
        assertThatThrownBy(() -> server(new TlsFiles(files.certificate(), other)))
                .hasMessageContaining("other.pem")
                .hasMessageContaining("PKCS#8");
    }
}
