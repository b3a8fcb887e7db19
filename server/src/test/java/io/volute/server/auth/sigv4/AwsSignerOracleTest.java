package io.volute.server.auth.sigv4;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.body.IncomingBody;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.checksums.DefaultChecksumAlgorithm;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpFullRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/** Every form of signature of the AWS SDK must verify here. */
final class AwsSignerOracleTest {
    private static final Authenticator AUTHENTICATOR =
            new Authenticator(
                    S3TestBed.credentials(),
                    new AuthSettings(S3TestBed.REGION, () -> S3TestBed.NOW, true));
    private static final byte[] CONTENT = content();

    private static byte[] content() {
        byte[] content = new byte[300_000];
        new Random(3).nextBytes(content);
        return content;
    }

    private record Sent(HttpHead head, byte[] body) {}

    private static Sent sign(
            String url,
            SdkHttpMethod method,
            byte[] body,
            Consumer<SignRequest.Builder<AwsCredentialsIdentity>> options)
            throws IOException {
        SdkHttpFullRequest.Builder request =
                SdkHttpFullRequest.builder()
                        .uri(URI.create(url))
                        .method(method)
                        .putHeader("x-amz-meta-spaces", "  two   inner  spaces ");
        if (body.length > 0) {
            request.putHeader("Content-Length", Integer.toString(body.length));
        }
        SignedRequest signed =
                AwsV4HttpSigner.create()
                        .sign(
                                builder -> {
                                    builder.identity(
                                                    AwsCredentialsIdentity.create(
                                                            "ROOTKEY", "rootsecret"))
                                            .request(request.build())
                                            .payload(ContentStreamProvider.fromByteArray(body))
                                            .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                                            .putProperty(
                                                    AwsV4HttpSigner.REGION_NAME, S3TestBed.REGION)
                                            .putProperty(
                                                    AwsV4HttpSigner.SIGNING_CLOCK,
                                                    Clock.fixed(S3TestBed.NOW, ZoneOffset.UTC))
                                            .putProperty(
                                                    AwsV4FamilyHttpSigner.DOUBLE_URL_ENCODE, false)
                                            .putProperty(
                                                    AwsV4FamilyHttpSigner.NORMALIZE_PATH, false);
                                    options.accept(builder);
                                });
        byte[] wire = body;
        if (signed.payload().isPresent()) {
            try (InputStream stream = signed.payload().get().newStream()) {
                wire = stream.readAllBytes();
            }
        }
        return new Sent(head(signed.request(), wire.length), wire);
    }

    private static HttpHead head(SdkHttpRequest request, int length) {
        List<HeaderList.Header> headers = new ArrayList<>();
        request.headers()
                .forEach(
                        (name, values) ->
                                values.forEach(
                                        value -> headers.add(new HeaderList.Header(name, value))));
        return new HttpHead(
                request.method().name(),
                request.encodedPath(),
                request.encodedQueryParameters().orElse(""),
                new HeaderList(headers),
                request.protocol().equals("https"),
                "192.0.2.1",
                length,
                "REQ1");
    }

    private static Verified verified(Sent sent) {
        AuthResult result =
                AUTHENTICATOR.authenticate(
                        sent.head(), QueryParameters.parse(sent.head().rawQuery()));
        assertThat(result).isInstanceOf(Verified.class);
        return (Verified) result;
    }

    private static byte[] decoded(Sent sent, Verified verified) throws IOException {
        return new IncomingBody(sent.head(), new TestBody(sent.body(), 1000), verified)
                .gather(Promises.of(verified), 1 << 20);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/bucket/key",
                "/bucket/",
                "/",
                "/bucket/a%20b/%C3%A4%E2%82%AC%F0%9F%98%80",
                "/bucket//double//slash/",
                "/bucket/dot/../dots/./x",
                "/bucket/sp%2Fecial%2B%25%3F%23%26%3D%3A%40%24%2C%3B!'()*~",
                "/bucket?list-type=2&prefix=a%2Fb%20c&delimiter=%2F",
                "/bucket?uploads",
                "/bucket?versions&key-marker=%C3%A4&prefix="
            })
    void verifiesHeaderSignaturesOfAnyPathAndQuery(String target) throws IOException {
        Sent sent = sign("http://localhost:9000" + target, SdkHttpMethod.GET, new byte[0], b -> {});
        assertThat(verified(sent).kind()).isEqualTo(AuthResult.Kind.HEADER);
        assertThat(verified(sent).payload()).isEqualTo(PayloadMode.SIGNED_SINGLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bucket/key", "/bucket/a%20b%2Bc?versionId=null", "/b/x?partNumber=1"})
    void verifiesPresignedQueries(String target) throws IOException {
        Sent sent =
                sign(
                        "https://localhost:9000" + target,
                        SdkHttpMethod.GET,
                        new byte[0],
                        b ->
                                b.putProperty(AwsV4FamilyHttpSigner.PAYLOAD_SIGNING_ENABLED, false)
                                        .putProperty(
                                                AwsV4FamilyHttpSigner.AUTH_LOCATION,
                                                AwsV4FamilyHttpSigner.AuthLocation.QUERY_STRING)
                                        .putProperty(
                                                AwsV4FamilyHttpSigner.EXPIRATION_DURATION,
                                                Duration.ofMinutes(10)));
        assertThat(verified(sent).kind()).isEqualTo(AuthResult.Kind.QUERY);
    }

    @Test
    void verifiesSignedAndUnsignedPayloads() throws IOException {
        Sent hashed = sign("http://localhost/b/k", SdkHttpMethod.PUT, CONTENT, b -> {});
        assertThat(verified(hashed).payload()).isEqualTo(PayloadMode.SIGNED_SINGLE);
        assertThat(decoded(hashed, verified(hashed))).isEqualTo(CONTENT);
        Sent unsigned =
                sign(
                        "https://localhost/b/k",
                        SdkHttpMethod.PUT,
                        CONTENT,
                        b -> b.putProperty(AwsV4FamilyHttpSigner.PAYLOAD_SIGNING_ENABLED, false));
        assertThat(verified(unsigned).payload()).isEqualTo(PayloadMode.UNSIGNED_PAYLOAD);
    }

    @Test
    void decodesEveryChunkedForm() throws IOException {
        Sent signed =
                sign(
                        "http://localhost/b/k",
                        SdkHttpMethod.PUT,
                        CONTENT,
                        b -> b.putProperty(AwsV4FamilyHttpSigner.CHUNK_ENCODING_ENABLED, true));
        assertThat(verified(signed).payload()).isEqualTo(PayloadMode.STREAMING_SIGNED);
        assertThat(decoded(signed, verified(signed))).isEqualTo(CONTENT);

        Sent trailer =
                sign(
                        "http://localhost/b/k",
                        SdkHttpMethod.PUT,
                        CONTENT,
                        b ->
                                b.putProperty(AwsV4FamilyHttpSigner.CHUNK_ENCODING_ENABLED, true)
                                        .putProperty(
                                                AwsV4FamilyHttpSigner.CHECKSUM_ALGORITHM,
                                                DefaultChecksumAlgorithm.CRC32C));
        assertThat(verified(trailer).payload()).isEqualTo(PayloadMode.STREAMING_SIGNED_TRAILER);
        assertThat(decoded(trailer, verified(trailer))).isEqualTo(CONTENT);

        Sent unsigned =
                sign(
                        "https://localhost/b/k",
                        SdkHttpMethod.PUT,
                        CONTENT,
                        b ->
                                b.putProperty(AwsV4FamilyHttpSigner.CHUNK_ENCODING_ENABLED, true)
                                        .putProperty(
                                                AwsV4FamilyHttpSigner.PAYLOAD_SIGNING_ENABLED,
                                                false)
                                        .putProperty(
                                                AwsV4FamilyHttpSigner.CHECKSUM_ALGORITHM,
                                                DefaultChecksumAlgorithm.SHA256));
        assertThat(verified(unsigned).payload()).isEqualTo(PayloadMode.STREAMING_UNSIGNED_TRAILER);
        assertThat(decoded(unsigned, verified(unsigned))).isEqualTo(CONTENT);
        assertThat(new String(unsigned.body(), StandardCharsets.ISO_8859_1))
                .contains("x-amz-checksum-sha256:");
    }
}
