package io.volute.server.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.request.HeaderList.Header;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** More than 200 spoilt signatures, each refused, by header and by query; and the clock's edges. */
final class RefusedSignaturesTest extends S3TestCase {
    private static final Set<String> REFUSALS =
            Set.of(
                    "AccessDenied",
                    "AuthorizationHeaderMalformed",
                    "AuthorizationQueryParametersError",
                    "InvalidAccessKeyId",
                    "InvalidArgument",
                    "InvalidRequest",
                    "InvalidToken",
                    "InvalidURI",
                    "RequestTimeTooSkewed",
                    "SignatureDoesNotMatch");

    private static String target;

    @BeforeAll
    static void open() {
        target = "/" + bed.bucket() + "/key";
        bed.put(target, "secret content");
    }

    @BeforeEach
    void resetClock() {
        bed.setNow(S3TestBed.NOW);
    }

    private static void refused(TestResponse response, String what) {
        assertThat(response.code()).as(what).isIn(REFUSALS);
        assertThat(response.text()).as(what).doesNotContain("secret").doesNotContain("java.");
    }

    /** The header of a valid request, with the authorization field changed. */
    private static TestResponse withAuthorization(java.util.function.UnaryOperator<String> change) {
        TestRequest request = bed.request("GET", target);
        List<Header> headers = new ArrayList<>();
        for (Header header : request.signedHeaders(bed.root())) {
            headers.add(
                    header.name().equals("authorization")
                            ? new Header("authorization", change.apply(header.value()))
                            : header);
        }
        return request.send(headers, "");
    }

    @Test
    void acceptsTheRequestThatTheOthersSpoil() {
        assertThat(withAuthorization(same -> same).status()).isEqualTo(200);
        assertThat(bed.request("GET", target).sendPresigned(60).status()).isEqualTo(200);
    }

    @Test
    void saysWhichHeadersAreNotSigned() {
        TestResponse refused =
                bed.request("GET", target)
                        .unsigned("x-amz-tagging", "a=b")
                        .unsigned("x-amz-copy-source", "/b/k")
                        .unsigned("x-volute-actor", "me")
                        .send();
        assertThat(refused.code()).isEqualTo("AccessDenied");
        assertThat(refused.text())
                .contains(
                        "<HeadersNotSigned>x-amz-copy-source, x-amz-tagging, x-volute-actor"
                                + "</HeadersNotSigned>");
    }

    @Test
    void refusesEveryChangedDigitOfTheSignature() {
        for (int i = 0; i < 64; i++) {
            int at = i;
            refused(withAuthorization(text -> flip(text, text.length() - 64 + at)), "digit " + i);
            refused(
                    presigned(
                            full ->
                                    full.merge(
                                            "X-Amz-Signature", "", (old, none) -> flip(old, at))),
                    "query digit " + i);
        }
    }

    private static String flip(String text, int index) {
        char old = text.charAt(index);
        char changed = old == '0' ? '1' : (char) (old == 'a' ? 'b' : old - 1);
        if (changed == '`' || changed == '/') {
            changed = 'c';
        }
        return text.substring(0, index) + changed + text.substring(index + 1);
    }

    private static TestResponse presigned(java.util.function.Consumer<Map<String, String>> spoil) {
        Map<String, String> full = presignedQuery();
        spoil.accept(full);
        return sendQuery(full);
    }

    private static Map<String, String> presignedQuery() {
        TestSigner root = bed.root();
        Map<String, String> full = new LinkedHashMap<>();
        full.put("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
        full.put("X-Amz-Credential", root.credential().replace("/", "%2F"));
        full.put("X-Amz-Date", root.date());
        full.put("X-Amz-Expires", "600");
        full.put("X-Amz-SignedHeaders", "host");
        full.put(
                "X-Amz-Signature",
                root.signature(
                        "GET", target, full, Map.of("host", "localhost"), "UNSIGNED-PAYLOAD"));
        return full;
    }

    private static TestResponse sendQuery(Map<String, String> full) {
        return bed.request("GET", target)
                .send(
                        List.of(new Header("host", "localhost")),
                        String.join(
                                "&",
                                full.entrySet().stream()
                                        .map(e -> e.getKey() + "=" + e.getValue())
                                        .toList()));
    }

    @Test
    void refusesChangedScopesEvenWhenSignedForThem() {
        List<TestSigner> signers = new ArrayList<>();
        for (String region : List.of("eu-west-1", "", "US-EAST-1", "us-east-1 ", "*", "us-east")) {
            signers.add(new TestSigner("ROOTKEY", "rootsecret", S3TestBed.DATE, region));
        }
        signers.add(new TestSigner("NOBODY", "rootsecret", S3TestBed.DATE, S3TestBed.REGION));
        signers.add(new TestSigner("ALICE", "rootsecret", S3TestBed.DATE, S3TestBed.REGION));
        signers.add(new TestSigner("rootkey", "rootsecret", S3TestBed.DATE, S3TestBed.REGION));
        signers.add(new TestSigner("ROOTKEY", "", S3TestBed.DATE, S3TestBed.REGION));
        for (TestSigner signer : signers) {
            refused(bed.request("GET", target).sendAs(signer), signer.toString());
            refused(
                    bed.request("GET", target).sendPresigned(signer, 60, Map.of()),
                    signer.toString());
        }
        for (String scope :
                List.of(
                        "20261120/us-east-1/s3/aws4_request",
                        "20261121/us-east-1/sqs/aws4_request",
                        "20261121/us-east-1/S3/aws4_request",
                        "20261121/us-east-1/s3/aws5_request",
                        "20261121/us-east-1/s3/",
                        "20261121/us-east-1/s3",
                        "/us-east-1/s3/aws4_request",
                        "20261121/us-east-1/s3/aws4_request/more")) {
            refused(
                    withAuthorization(
                            text -> text.replace("20261121/us-east-1/s3/aws4_request", scope)),
                    scope);
            refused(
                    presigned(
                            full ->
                                    full.put(
                                            "X-Amz-Credential",
                                            ("ROOTKEY/" + scope).replace("/", "%2F"))),
                    scope);
        }
    }

    @Test
    void refusesOtherAlgorithmsAndShapes() {
        for (String algorithm :
                List.of(
                        "AWS4-HMAC-SHA1",
                        "aws4-hmac-sha256",
                        "AWS4-HMAC-SHA256-PAYLOAD",
                        "AWS4-ECDSA-P256-SHA256",
                        "AWS",
                        "Basic",
                        "none",
                        "Bearer")) {
            refused(
                    withAuthorization(text -> text.replace("AWS4-HMAC-SHA256", algorithm)),
                    algorithm);
            refused(presigned(full -> full.put("X-Amz-Algorithm", algorithm)), algorithm);
        }
        for (String authorization :
                List.of(
                        "",
                        "AWS4-HMAC-SHA256",
                        "AWS4-HMAC-SHA256 ",
                        "AWS ROOTKEY:c2lnbmF0dXJl",
                        "AWS4-HMAC-SHA256 Credential=ROOTKEY",
                        "AWS4-HMAC-SHA256 Credential=,SignedHeaders=,Signature=",
                        "AWS4-HMAC-SHA256 garbage")) {
            refused(withAuthorization(text -> authorization), authorization);
        }
        refused(withAuthorization(text -> text + ", Signature=" + "0".repeat(64)), "two");
        refused(withAuthorization(text -> text + ", Extra=1"), "extra field");
        refused(withAuthorization(text -> text.substring(0, text.length() - 1)), "short");
        refused(withAuthorization(text -> text + "0"), "long");
        refused(
                withAuthorization(
                        text ->
                                text.substring(0, text.length() - 64)
                                        + text.substring(text.length() - 64)
                                                .toUpperCase(java.util.Locale.ROOT)),
                "upper case");
    }

    @Test
    void refusesChangedLists() {
        String listed = "SignedHeaders=host;x-amz-content-sha256;x-amz-date";
        for (String names :
                List.of(
                        "host",
                        "x-amz-content-sha256;x-amz-date",
                        "x-amz-date;host;x-amz-content-sha256",
                        "host;host;x-amz-content-sha256;x-amz-date",
                        "Host;x-amz-content-sha256;x-amz-date",
                        "host;x-amz-content-sha256;x-amz-date;x-amz-missing",
                        "host;;x-amz-date",
                        "",
                        ";")) {
            refused(
                    withAuthorization(text -> text.replace(listed, "SignedHeaders=" + names)),
                    names);
        }
        for (String names : List.of("x-amz-date", "Host", "host%3Bhost", "host%3Brange", "")) {
            refused(presigned(full -> full.put("X-Amz-SignedHeaders", names)), names);
        }
    }

    @Test
    void refusesMissingAndRepeatedQueryParameters() {
        for (String name : List.copyOf(presignedQuery().keySet())) {
            refused(presigned(full -> full.remove(name)), "without " + name);
            Map<String, String> full = presignedQuery();
            String value = full.get(name);
            full.put(name, value + "&" + name + "=" + value);
            refused(sendQuery(full), "twice " + name);
            full.put(name, value + "&" + name.toLowerCase(java.util.Locale.ROOT) + "=" + value);
            refused(sendQuery(full), "twice in another case " + name);
        }
    }

    @Test
    void refusesExpiriesOutsideTheLimits() {
        for (String expires :
                List.of("0", "-1", "604801", "99999999999999999999", "1.5", "abc", "1e3", "+")) {
            refused(presigned(full -> full.put("X-Amz-Expires", expires)), expires);
        }
        assertThat(bed.request("GET", target).sendPresigned(604_800).status()).isEqualTo(200);
        assertThat(bed.request("GET", target).sendPresigned(1).status()).isEqualTo(200);
        assertThat(bed.request("GET", target).sendPresigned(604_801).code())
                .isEqualTo("AuthorizationQueryParametersError");
        assertThat(bed.request("GET", target).sendPresigned(-1).text())
                .contains("<Code>AuthorizationQueryParametersError</Code>")
                .contains("X-Amz-Expires must be non-negative");
        assertThat(bed.request("GET", target).sendPresigned(0).text())
                .contains("<Code>AccessDenied</Code>")
                .contains("Request has expired", "<X-Amz-Expires>");
    }

    @Test
    void refusesTwoKindsOfCredentials() {
        TestRequest both = bed.request("GET", target);
        refused(
                both.send(
                        both.signedHeaders(bed.root()),
                        String.join(
                                "&",
                                presignedQuery().entrySet().stream()
                                        .map(e -> e.getKey() + "=" + e.getValue())
                                        .toList())),
                "header and query");
        TestRequest twice = bed.request("GET", target);
        List<Header> headers = new ArrayList<>(twice.signedHeaders(bed.root()));
        headers.add(headers.getLast());
        refused(twice.send(headers, ""), "two headers");
        for (String old : List.of("AWSAccessKeyId=ROOTKEY&Signature=x&Expires=99999999999")) {
            refused(bed.request("GET", target).send(List.of(new Header("host", "h")), old), old);
        }
    }

    @Test
    void refusesChangedRequests() {
        record Change(String method, String path, String query) {}
        for (Change change :
                List.of(
                        new Change("PUT", target, ""),
                        new Change("HEAD", target, ""),
                        new Change("GET", target + "x", ""),
                        new Change("GET", target + "/", ""),
                        new Change("GET", "/" + target, ""),
                        new Change("GET", target, "versionId=null"),
                        new Change("GET", target, "acl"),
                        new Change("GET", target, "response-content-type=text/html"))) {
            TestRequest original = bed.request("GET", target);
            List<Header> headers = original.signedHeaders(bed.root());
            TestResponse response =
                    bed.request(change.method(), change.path()).send(headers, change.query());
            assertThat(response.status()).as(change.toString()).isEqualTo(403);
        }
    }

    @Test
    void holdsTheSkewToTheSecond() {
        for (long seconds : new long[] {-900, 0, 900}) {
            bed.setNow(S3TestBed.NOW.plusSeconds(seconds));
            assertThat(bed.get(target).status()).as("skew %d", seconds).isEqualTo(200);
        }
        for (long seconds : new long[] {-901, 901, 86_400, -86_400}) {
            bed.setNow(S3TestBed.NOW.plusSeconds(seconds));
            assertThat(bed.get(target).code()).isEqualTo("RequestTimeTooSkewed");
        }
    }

    @Test
    void holdsTheExpiryToTheSecond() {
        bed.setNow(S3TestBed.NOW.plusSeconds(60));
        assertThat(bed.request("GET", target).sendPresigned(60).status()).isEqualTo(200);
        bed.setNow(S3TestBed.NOW.plusSeconds(61));
        TestResponse expired = bed.request("GET", target).sendPresigned(60);
        assertThat(expired.code()).isEqualTo("AccessDenied");
        assertThat(expired.text()).contains("Request has expired");
        bed.setNow(S3TestBed.NOW.minus(Duration.ofMinutes(15)));
        assertThat(bed.request("GET", target).sendPresigned(60).status()).isEqualTo(200);
        bed.setNow(S3TestBed.NOW.minus(Duration.ofMinutes(15)).minusSeconds(1));
        assertThat(bed.request("GET", target).sendPresigned(60).code()).isEqualTo("AccessDenied");
    }

    @Test
    void refusesSessionTokensAndMissingHeaders() {
        assertThat(bed.request("GET", target).header("x-amz-security-token", "x").send().code())
                .isEqualTo("InvalidToken");
        TestRequest request = bed.request("GET", target);
        List<Header> headers = new ArrayList<>(request.signedHeaders(bed.root()));
        headers.removeIf(header -> header.name().equals("x-amz-date"));
        refused(request.send(headers, ""), "no date");
        List<Header> noHash = new ArrayList<>(request.signedHeaders(bed.root()));
        noHash.removeIf(header -> header.name().equals("x-amz-content-sha256"));
        refused(request.send(noHash, ""), "no payload hash");
        for (String hash : List.of("", "unsigned-payload", "x".repeat(64), "STREAMING-OTHER")) {
            refused(bed.request("GET", target).header("x-amz-content-sha256", hash).send(), hash);
        }
    }
}
