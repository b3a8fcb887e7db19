package io.volute.benchmarks.micro;

import io.volute.server.auth.sigv4.AuthResult;
import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Time to verify the header signature of a GET as the SDKs send it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 4, time = 2)
@Fork(1)
public class SignatureCheck {
    private static final String EMPTY_HASH =
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    private static final String STAMP = "20260102T030405Z";
    private static final String SCOPE = "20260102/us-east-1/s3/aws4_request";
    private static final String SIGNED = "host;x-amz-content-sha256;x-amz-date";
    private static final String PATH = "/bucket/some/folder/object-0000000001";

    private Authenticator authenticator;
    private HttpHead head;
    private QueryParameters query;

    /** Signs the request. */
    @Setup
    public void sign() throws GeneralSecurityException {
        Credential credential = new Credential("AKID", "secret-key", "user", "user", false);
        authenticator =
                new Authenticator(
                        accessKey ->
                                accessKey.equals("AKID")
                                        ? Optional.of(credential)
                                        : Optional.empty(),
                        new AuthSettings(
                                "us-east-1",
                                InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z")),
                                false));
        String canonical =
                "GET\n" + PATH + "\n\nhost:localhost:9000\nx-amz-content-sha256:" + EMPTY_HASH;
        canonical += "\nx-amz-date:" + STAMP + "\n\n" + SIGNED + "\n" + EMPTY_HASH;
        byte[] hash =
                MessageDigest.getInstance("SHA-256")
                        .digest(canonical.getBytes(StandardCharsets.US_ASCII));
        String toSign = "AWS4-HMAC-SHA256\n" + STAMP + "\n" + SCOPE + "\n";
        toSign += HexFormat.of().formatHex(hash);
        byte[] key = "AWS4secret-key".getBytes(StandardCharsets.US_ASCII);
        for (String step : List.of("20260102", "us-east-1", "s3", "aws4_request", toSign)) {
            key = hmac(key, step);
        }
        String authorization = "AWS4-HMAC-SHA256 Credential=AKID/" + SCOPE + ", SignedHeaders=";
        authorization += SIGNED + ", Signature=" + HexFormat.of().formatHex(key);
        head =
                new HttpHead(
                        "GET",
                        PATH,
                        "",
                        new HeaderList(
                                List.of(
                                        new Header("host", "localhost:9000"),
                                        new Header("user-agent", "bench"),
                                        new Header("x-amz-date", STAMP),
                                        new Header("x-amz-content-sha256", EMPTY_HASH),
                                        new Header("authorization", authorization))),
                        false,
                        "127.0.0.1",
                        0,
                        "0");
        query = QueryParameters.parse("");
        if (!(verify() instanceof AuthResult.Verified)) {
            throw new IllegalStateException("the signature made here must hold");
        }
    }

    /** Verifies it. */
    @Benchmark
    public AuthResult verify() {
        return authenticator.authenticate(head, query);
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
    }
}
