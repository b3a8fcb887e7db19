package io.volute.system.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The AWS CLI gets a session from a token of a provider by itself, and reads with it. */
class WebIdentityIT {
    private static final String ROLE = "arn:aws:iam::000000000000:role/jobs";

    private HttpServer issuer;
    private KeyPair pair;

    @BeforeEach
    void start() throws IOException, GeneralSecurityException {
        KeyPairGenerator maker = KeyPairGenerator.getInstance("RSA");
        maker.initialize(2048);
        pair = maker.generateKeyPair();
        issuer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answer(
                "/.well-known/openid-configuration",
                "{\"issuer\":\"" + name() + "\",\"jwks_uri\":\"" + name() + "/keys\"}");
        RSAPublicKey key = (RSAPublicKey) pair.getPublic();
        answer(
                "/keys",
                "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"k1\",\"n\":\""
                        + number(key.getModulus())
                        + "\",\"e\":\""
                        + number(key.getPublicExponent())
                        + "\"}]}");
        issuer.start();
    }

    @AfterEach
    void stop() {
        issuer.stop(0);
    }

    private String name() {
        return "http://" + host();
    }

    private String host() {
        return "127.0.0.1:" + issuer.getAddress().getPort();
    }

    private void answer(String path, String document) {
        byte[] bytes = document.getBytes(StandardCharsets.UTF_8);
        issuer.createContext(
                path,
                exchange -> {
                    try (exchange) {
                        exchange.sendResponseHeaders(200, bytes.length);
                        exchange.getResponseBody().write(bytes);
                    }
                });
    }

    private static String number(BigInteger value) {
        byte[] all = value.toByteArray();
        int begin = all[0] == 0 ? 1 : 0;
        return encoded(Arrays.copyOfRange(all, begin, all.length));
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private String token(String subject) throws GeneralSecurityException {
        long now = Instant.now().getEpochSecond();
        String claims =
                "{\"iss\":\"%s\",\"aud\":[\"volute\"],\"sub\":\"%s\",\"iat\":%d,\"exp\":%d}"
                        .formatted(name(), subject, now, now + 900);
        String signed =
                encoded("{\"alg\":\"RS256\",\"kid\":\"k1\"}".getBytes(StandardCharsets.UTF_8))
                        + "."
                        + encoded(claims.getBytes(StandardCharsets.UTF_8));
        Signature maker = Signature.getInstance("SHA256withRSA");
        maker.initSign(pair.getPrivate());
        maker.update(signed.getBytes(StandardCharsets.US_ASCII));
        return signed + "." + encoded(maker.sign());
    }

    private static ExternalClient aws(Path directory, ServerProcess server) throws IOException {
        return ExternalClient.orSkip(directory, List.of("aws"), "--version")
                .with("AWS_ENDPOINT_URL", server.endpoint().toString());
    }

    /** Returns a client whose only credential is a file with a token. */
    private ExternalClient job(Path directory, ServerProcess server, String subject)
            throws IOException, GeneralSecurityException {
        Path file = Files.writeString(directory.resolve("token"), token(subject));
        return aws(directory, server)
                .with("AWS_ACCESS_KEY_ID", "")
                .with("AWS_SECRET_ACCESS_KEY", "")
                .with("AWS_ROLE_ARN", ROLE)
                .with("AWS_ROLE_SESSION_NAME", subject.replace(':', '-'))
                // The CLI keeps sessions there, by role and name.
                .with("HOME", directory.toString())
                .with("AWS_WEB_IDENTITY_TOKEN_FILE", file.toString());
    }

    private void prepare(Path directory, ExternalClient root) throws IOException {
        Files.writeString(directory.resolve("object"), "content");
        Files.writeString(
                directory.resolve("trust.json"),
                """
                {"Version": "2012-10-17", "Statement": [{
                  "Effect": "Allow",
                  "Principal": {"Federated": "arn:aws:iam::000000000000:oidc-provider/%1$s"},
                  "Action": "sts:AssumeRoleWithWebIdentity",
                  "Condition": {"StringEquals": {"%1$s:aud": "volute", "%1$s:sub": "job:17"}}
                }]}
                """
                        .formatted(host()));
        root.run("s3", "mb", "s3://shared").orFail();
        root.run("s3", "cp", "object", "s3://shared/object").orFail();
        String[] role = {"--role-name", "jobs", "--assume-role-policy-document"};
        root.run("iam", "create-role", role[0], role[1], role[2], "file://trust.json").orFail();
        String policy = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess";
        root.run("iam", "attach-role-policy", role[0], role[1], "--policy-arn", policy).orFail();
        assertThat(root.run("iam", "list-open-id-connect-providers").orFail())
                .contains("oidc-provider/" + host());
    }

    @Test
    void aJobReadsWithItsTokenAlone() throws IOException, GeneralSecurityException {
        try (TemporaryStore work = TemporaryStore.create("web-identity");
                ServerProcess server =
                        ServerProcess.start(
                                work,
                                Map.of(
                                        "VOLUTE_IDENTITY_OIDC_ISSUER",
                                        name(),
                                        "VOLUTE_IDENTITY_OIDC_AUDIENCES",
                                        "volute",
                                        "VOLUTE_IDENTITY_OIDC_HTTP_ON_LOOPBACK",
                                        "true"))) {
            ExternalClient root = aws(work.path(), server);
            prepare(work.path(), root);
            ExternalClient job = job(work.path(), server, "job:17");
            assertThat(job.run("s3", "cp", "s3://shared/object", "-").orFail()).contains("content");
            ExternalClient.Result written = job.run("s3", "cp", "object", "s3://shared/other");
            assertThat(written.code()).isNotZero();
            assertThat(written.output()).contains("AccessDenied");
            assertThat(job.run("sts", "get-caller-identity").orFail())
                    .contains("assumed-role/jobs/job-17");
            ExternalClient.Result other =
                    job(work.path(), server, "job:18").run("s3", "ls", "s3://shared");
            assertThat(other.code()).isNotZero();
            assertThat(other.output()).contains("AccessDenied");
        }
    }
}
