package io.volute.system.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.config.CheckpointExport;
import io.volute.server.deposit.Depository;
import io.volute.server.deposit.EndpointDepository;
import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.client.Boto3IT;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumMode;

/** Over TLS the clients sign the head only and put a checksum into an unsigned trailer. */
class TlsIT {
    private static final String PASSWORD = "changeit";
    private static TemporaryStore directory;
    private static ServerProcess server;
    private static KeyStore keys;
    private static Path certificate;

    @BeforeAll
    static void start() throws Exception {
        directory = TemporaryStore.create("tls");
        Path store = directory.path().resolve("keys.p12");
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
                                "CN=volute system test",
                                "-validity",
                                "2",
                                "-ext",
                                "san=ip:127.0.0.1,dns:localhost,dns:*.localhost",
                                "-ext",
                                "bc=ca:true",
                                "-ext",
                                "ku=digitalSignature,keyCertSign",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                PASSWORD)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.path().resolve("keytool.txt").toFile())
                        .start();
        assertThat(keytool.waitFor()).isZero();
        keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        certificate = pem("certificate", "CERTIFICATE", keys.getCertificate("server").getEncoded());
        Path key =
                pem(
                        "key",
                        "PRIVATE KEY",
                        keys.getKey("server", PASSWORD.toCharArray()).getEncoded());
        server =
                ServerProcess.start(
                        ServerProcess.Options.of(directory.data())
                                .withEnvironment(
                                        Map.of(
                                                "VOLUTE_TLS_CERTIFICATE",
                                                certificate.toString(),
                                                "VOLUTE_TLS_KEY",
                                                key.toString(),
                                                "VOLUTE_S3_VIRTUAL_HOST_DOMAINS",
                                                "localhost")));
    }

    private static Path pem(String name, String what, byte[] content) throws IOException {
        String text =
                "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                        .formatted(
                                what,
                                Base64.getMimeEncoder(64, new byte[] {'\n'})
                                        .encodeToString(content),
                                what);
        return Files.writeString(directory.path().resolve(name + ".pem"), text);
    }

    @AfterAll
    static void stop() {
        try (TemporaryStore gone = directory;
                ServerProcess stopped = server) {
            assertThat(stopped.stop()).as(gone.path() + stopped.log()).isZero();
        }
    }

    private Depository depository(Optional<Path> authorities) throws IOException {
        Path credentials = directory.path().resolve("credentials");
        Files.writeString(
                credentials, ServerProcess.ACCESS_KEY + " " + ServerProcess.SECRET_KEY + "\n");
        Files.setPosixFilePermissions(credentials, PosixFilePermissions.fromString("rw-------"));
        CheckpointExport.Endpoint target =
                (CheckpointExport.Endpoint)
                        CheckpointExport.of(
                                server.endpoint() + "/checkpoints/of/one",
                                Optional.of(credentials),
                                "us-east-1",
                                authorities);
        return new EndpointDepository(target, Clock.systemUTC());
    }

    /** Delivers checkpoints in the same way as a server. */
    @Test
    void checkpointsAreDeliveredToWhomTheCertificateNames() throws Exception {
        Path file = Files.writeString(directory.path().resolve("copy"), "checkpoint");
        try (S3Client s3 = client();
                Depository known = depository(Optional.of(certificate));
                Depository unknown = depository(Optional.empty())) {
            s3.createBucket(create -> create.bucket("checkpoints"));
            assertThat(known.put("checkpoint-0", file, Depository.Existing.STAYS)).isTrue();
            Files.writeString(file, "another");
            assertThat(known.put("checkpoint-0", file, Depository.Existing.STAYS)).isFalse();
            assertThat(known.put("keys", file, Depository.Existing.IS_REPLACED)).isTrue();
            assertThatThrownBy(() -> unknown.put("keys", file, Depository.Existing.IS_REPLACED))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("/checkpoints/of/one/keys failed: ")
                    .hasMessageContaining("certification path");
            assertThat(
                            s3.getObjectAsBytes(
                                            get ->
                                                    get.bucket("checkpoints")
                                                            .key("of/one/checkpoint-0"))
                                    .asUtf8String())
                    .isEqualTo("checkpoint");
        }
    }

    @Test
    void commandsTrustTheCertificatesOfAFile() throws Exception {
        for (String variable : List.of("VOLUTE_CA_BUNDLE", "AWS_CA_BUNDLE")) {
            VoluteCommand.Said trusted =
                    command(Map.of(variable, certificate.toString()), "space", "--endpoint");
            assertThat(trusted.code()).as(trusted.text()).isZero();
            assertThat(trusted.text()).startsWith("cube default");
        }
        VoluteCommand.Said unknown = command(Map.of(), "space", "--endpoint");
        assertThat(unknown.code()).isOne();
        assertThat(unknown.text())
                .contains("its certificate is not trusted: set VOLUTE_CA_BUNDLE to a PEM file");
        VoluteCommand.Said wrong =
                command(
                        Map.of("VOLUTE_CA_BUNDLE", directory.path().resolve("key.pem").toString()),
                        "space",
                        "--endpoint");
        assertThat(wrong.code()).isOne();
        assertThat(wrong.text())
                .contains("VOLUTE_CA_BUNDLE", "cannot be used: write certificates in PEM");
    }

    private static VoluteCommand.Said command(Map<String, String> authorities, String... arguments)
            throws Exception {
        Map<String, String> environment = new HashMap<>(authorities);
        environment.put("VOLUTE_ACCESS_KEY", ServerProcess.ACCESS_KEY);
        environment.put("VOLUTE_SECRET_KEY", ServerProcess.SECRET_KEY);
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(server.endpoint().toString());
        return VoluteCommand.runAloneWith(environment, all.toArray(String[]::new));
    }

    private static S3Client client() throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        return S3Client.builder()
                .endpointOverride(server.endpoint())
                .region(Region.US_EAST_1)
                .credentialsProvider(Clients.credentials())
                .forcePathStyle(true)
                .httpClientBuilder(
                        ApacheHttpClient.builder()
                                .tlsTrustManagersProvider(trust::getTrustManagers))
                .build();
    }

    @Test
    void theSdkSendsChecksumsInUnsignedTrailers() throws Exception {
        try (S3Client s3 = client()) {
            s3.createBucket(create -> create.bucket("trailers"));
            for (ChecksumAlgorithm algorithm :
                    new ChecksumAlgorithm[] {
                        ChecksumAlgorithm.CRC32,
                        ChecksumAlgorithm.CRC32_C,
                        ChecksumAlgorithm.SHA1,
                        ChecksumAlgorithm.SHA256
                    }) {
                for (int length : new int[] {0, 1, 70_000, 3 << 20}) {
                    byte[] body = Bytes.random(length, length);
                    s3.putObject(
                            put -> put.bucket("trailers").key("key").checksumAlgorithm(algorithm),
                            RequestBody.fromBytes(body));
                    assertThat(
                                    s3.getObjectAsBytes(
                                                    get ->
                                                            get.bucket("trailers")
                                                                    .key("key")
                                                                    .checksumMode(
                                                                            ChecksumMode.ENABLED))
                                            .asByteArray())
                            .as("%s of %s bytes", algorithm, length)
                            .isEqualTo(body);
                }
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> boto3() throws IOException {
        ExternalClient python =
                Boto3IT.client(directory.path())
                        .with("AWS_CA_BUNDLE", certificate.toString())
                        .with("SSL_CERT_FILE", certificate.toString());
        return Boto3IT.operations(server.endpoint(), python, directory.path());
    }
}
