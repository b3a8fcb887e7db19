package io.volute.server.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.request.HeaderList.Header;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rights of pages of other origins: preflights, and the headers of answers. */
final class CorsTest extends S3TestCase {
    private static final String RULES =
            "<CORSConfiguration>"
                    + "<CORSRule><ID>one</ID><AllowedOrigin>https://app.example</AllowedOrigin>"
                    + "<AllowedMethod>GET</AllowedMethod><AllowedMethod>PUT</AllowedMethod>"
                    + "<AllowedHeader>x-amz-*</AllowedHeader>"
                    + "<AllowedHeader>Content-Type</AllowedHeader>"
                    + "<ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>600</MaxAgeSeconds>"
                    + "</CORSRule>"
                    + "<CORSRule><AllowedOrigin>https://*.wild.example</AllowedOrigin>"
                    + "<AllowedMethod>DELETE</AllowedMethod></CORSRule>"
                    + "<CORSRule><AllowedOrigin>*</AllowedOrigin>"
                    + "<AllowedMethod>HEAD</AllowedMethod></CORSRule></CORSConfiguration>";

    private static String bucket;

    @BeforeAll
    static void set() {
        bucket = "/" + bed.bucket();
        bed.put(bucket + "/k", "content");
        assertThat(bed.request("PUT", bucket + "?cors").body(RULES).send().status()).isEqualTo(200);
    }

    private static TestResponse preflight(String path, String origin, String method, String asked) {
        List<Header> headers = new ArrayList<>(List.of(new Header("host", "localhost")));
        if (!origin.isEmpty()) {
            headers.add(new Header("origin", origin));
        }
        if (!method.isEmpty()) {
            headers.add(new Header("access-control-request-method", method));
        }
        if (!asked.isEmpty()) {
            headers.add(new Header("access-control-request-headers", asked));
        }
        return bed.request("OPTIONS", path).send(headers, "");
    }

    @Test
    void aPreflightIsAnsweredWithoutASignature() {
        TestResponse answer =
                preflight(
                        bucket + "/k",
                        "https://app.example",
                        "PUT",
                        "X-Amz-Date, content-type,x-amz-meta-a");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("access-control-allow-origin")).isEqualTo("https://app.example");
        assertThat(answer.header("access-control-allow-credentials")).isEqualTo("true");
        assertThat(answer.header("access-control-allow-methods")).isEqualTo("GET, PUT");
        assertThat(answer.header("access-control-allow-headers"))
                .isEqualTo("x-amz-date, content-type, x-amz-meta-a");
        assertThat(answer.header("access-control-expose-headers")).isEqualTo("ETag");
        assertThat(answer.header("access-control-max-age")).isEqualTo("600");
        assertThat(answer.header("vary")).contains("Origin");
    }

    @ParameterizedTest
    @CsvSource({
        "https://app.example, GET, '', 200",
        "https://app.example, POST, '', 403",
        "https://app.example, DELETE, '', 403",
        "https://app.example.evil.example, GET, '', 403",
        "http://app.example, GET, '', 403",
        "https://APP.example, GET, '', 403",
        "https://app.example, GET, authorization, 403",
        "https://app.example, GET, x-amz-, 200",
        "https://app.example, GET, 'x-amz-date, authorization', 403",
        "https://a.wild.example, DELETE, '', 200",
        "https://wild.example, DELETE, '', 403",
        "https://.wild.example, DELETE, '', 200",
        "https://a.wild.example.evil.example, DELETE, '', 403",
        "null, HEAD, '', 200",
        "'', GET, '', 400",
        "https://app.example, '', '', 400",
        "https://app.example, PATCH, '', 400",
        "https://app.example, get, '', 400",
    })
    void theFirstRuleThatMatchesDecides(String origin, String method, String asked, int status) {
        assertThat(preflight(bucket + "/k", origin, method, asked).status()).isEqualTo(status);
        assertThat(preflight(bucket, origin, method, asked).status()).isEqualTo(status);
    }

    /** Amazon's S3 does so by ceph/s3-tests. Browsers send the header in preflights alone. */
    @Test
    void theMethodThatIsAskedForCountsOutsideOfAPreflightToo() {
        for (String asked : new String[] {"GET", "POST", ""}) {
            TestRequest request =
                    bed.request("DELETE", bucket + "/none")
                            .unsigned("origin", "https://app.example");
            if (!asked.isEmpty()) {
                request.unsigned("access-control-request-method", asked);
            }
            assertThat(request.send().header("access-control-allow-origin"))
                    .isEqualTo(asked.equals("GET") ? "https://app.example" : "");
        }
    }

    @Test
    void aBucketWithoutRulesAndNoBucketAnswerAlike() {
        String plain = "/" + bed.bucket();
        String none = "/nosuchbucket";
        TestResponse one = preflight(plain, "https://app.example", "GET", "");
        TestResponse other = preflight(none, "https://app.example", "GET", "");
        assertThat(one.status()).isEqualTo(403);
        assertThat(other.text().replace(none, plain)).isEqualTo(one.text());
        assertThat(preflight("/", "https://app.example", "GET", "").status()).isEqualTo(403);
    }

    @Test
    void answersAndRefusalsHaveTheHeaders() {
        TestResponse read =
                bed.request("GET", bucket + "/k").unsigned("origin", "https://app.example").send();
        assertThat(read.text()).isEqualTo("content");
        assertThat(read.header("access-control-allow-origin")).isEqualTo("https://app.example");
        TestResponse missing =
                bed.request("GET", bucket + "/no").unsigned("origin", "https://app.example").send();
        assertThat(missing.code()).isEqualTo("NoSuchKey");
        assertThat(missing.header("access-control-allow-origin")).isEqualTo("https://app.example");
        TestResponse refused =
                bed.request("GET", bucket + "/k")
                        .header("origin", "https://app.example")
                        .sendAnonymous();
        assertThat(refused.code()).isEqualTo("AccessDenied");
        assertThat(refused.header("access-control-allow-origin")).isEqualTo("https://app.example");
        TestResponse all =
                bed.request("HEAD", bucket + "/k").unsigned("origin", "https://x.example").send();
        assertThat(all.header("access-control-allow-origin")).isEqualTo("*");
        assertThat(all.header("access-control-allow-credentials")).isEmpty();
    }

    @Test
    void otherRequestsHaveNone() {
        assertThat(bed.get(bucket + "/k").header("access-control-allow-origin")).isEmpty();
        TestResponse other =
                bed.request("GET", bucket + "/k").unsigned("origin", "https://x.example").send();
        assertThat(other.header("access-control-allow-origin")).isEmpty();
        TestResponse evil =
                bed.request("DELETE", bucket + "/none")
                        .unsigned("origin", "https://app.example")
                        .send();
        assertThat(evil.header("access-control-allow-origin")).isEmpty();
    }
}
