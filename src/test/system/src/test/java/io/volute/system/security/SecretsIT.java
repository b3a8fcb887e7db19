package io.volute.system.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.services.s3.S3Client;

/** Secrets are searched for in all that a server has answered, printed and written. */
class SecretsIT {
    /** A customer's encryption key, as CVE-2018-16889 (Ceph) wrote them to a log. */
    private static final String CUSTOMER_KEY = "Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5LWNhbg==";

    private static final String WRONG_SIGNATURE = "0".repeat(64);
    private static final Pattern SIGNATURE = Pattern.compile("Signature=([0-9a-f]{64})");

    @Test
    void theGivenSecretAndExpectedSignaturesAreNowhere() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("secrets");
                ServerProcess server = ServerProcess.start(directory)) {
            URI endpoint = server.endpoint();
            List<String> secrets = new ArrayList<>();
            secrets.add(ServerProcess.SECRET_KEY);
            secrets.add(CUSTOMER_KEY);
            List<String> said = new ArrayList<>();
            for (RawRequest request : requests()) {
                said.add(said(endpoint, request.signed(endpoint)));
                String message = text(request.signed(endpoint));
                Matcher signature = SIGNATURE.matcher(message);
                assertThat(signature.find()).isTrue();
                secrets.add(signature.group(1));
                byte[] spoilt = bytes(message.replace(signature.group(1), WRONG_SIGNATURE));
                said.add(said(endpoint, spoilt));
            }
            assertThat(said).anyMatch(answer -> answer.contains("SignatureDoesNotMatch"));
            assertThat(server.stop()).isZero();
            said.add(server.log());
            assertNowhere(directory.data(), said, secrets);
        }
    }

    @Test
    void theSecretThatWasMadeIsShownUntilItsFirstUseAndNotKeptInClear() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("made")) {
            ServerProcess.Options options =
                    ServerProcess.Options.of(directory.data())
                            .withEnvironment(
                                    Map.of("VOLUTE_ACCESS_KEY", "", "VOLUTE_SECRET_KEY", ""));
            Matcher shown;
            try (ServerProcess server = ServerProcess.start(options)) {
                shown = Pattern.compile("secret key +(\\S{40})").matcher(server.log());
                assertThat(shown.find()).as(server.log()).isTrue();
                assertThat(server.stop()).isZero();
            }
            try (ServerProcess server = ServerProcess.start(options)) {
                assertThat(server.log()).contains(shown.group(1));
                Matcher accessKey = Pattern.compile("access key +(\\S+)").matcher(server.log());
                assertThat(accessKey.find()).as(server.log()).isTrue();
                AwsCredentials made =
                        AwsBasicCredentials.create(accessKey.group(1), shown.group(1));
                try (S3Client s3 = Clients.as(server.endpoint(), made)) {
                    assertThat(s3.listBuckets().buckets()).isEmpty();
                }
                assertThat(server.stop()).isZero();
            }
            try (ServerProcess server = ServerProcess.start(options)) {
                assertThat(server.stop()).isZero();
                assertNowhere(directory.data(), List.of(server.log()), List.of(shown.group(1)));
            }
        }
    }

    @Test
    void aSecretInAFileIsFound() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("planted")) {
            Path file = Files.createDirectories(directory.data()).resolve("file");
            Files.write(file, new byte[100_000]);
            assertThat(holders(directory.data(), "planted")).isEmpty();
            Files.write(file, bytes("\0\u00FFplanted\0"));
            assertThat(holders(directory.data(), "planted")).containsExactly(file);
        }
    }

    private static List<RawRequest> requests() {
        return List.of(
                RawRequest.of("PUT", "/bucket"),
                RawRequest.of("PUT", "/bucket/key").body("content"),
                RawRequest.of("PUT", "/bucket/key")
                        .header("x-amz-server-side-encryption-customer-key", CUSTOMER_KEY)
                        .body("content"),
                RawRequest.of("GET", "/bucket/key").header("x-amz-security-token", "token"),
                RawRequest.of("GET", "/bucket/missing"),
                RawRequest.of("GET", "/bucket/%zz"),
                RawRequest.of("PUT", "/bucket").query("versioning", "").body("<Nonsense"),
                RawRequest.of("GET", "/_volute/v1/space"),
                RawRequest.of("POST", "/_volute/v1/clean").body("{}"),
                RawRequest.of("GET", "/bucket/key").header("X: y", "broken"));
    }

    private static String said(URI endpoint, byte[] message) throws IOException {
        try (RawConnection connection = RawConnection.open(endpoint)) {
            connection.send(message);
            String method = text(message).substring(0, 4).strip();
            Answer answer = connection.read(method).orElseThrow(EOFException::new);
            return String.join("\n", answer.headers()) + "\n" + answer.body();
        }
    }

    private static void assertNowhere(Path data, List<String> said, List<String> secrets)
            throws IOException {
        for (String secret : secrets) {
            assertThat(said).noneMatch(text -> text.contains(secret));
            assertThat(holders(data, secret)).isEmpty();
        }
    }

    /** The files that contain it. */
    private static List<Path> holders(Path data, String secret) throws IOException {
        List<Path> holders = new ArrayList<>();
        try (Stream<Path> all = Files.walk(data)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                if (text(Files.readAllBytes(file)).contains(secret)) {
                    holders.add(file);
                }
            }
        }
        return holders;
    }

    /** One character a byte. */
    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
