package io.volute.server.s3.access;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auth.sigv4.AuthResult;
import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.auth.sigv4.SignatureV2Use;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signatures of version 2: what holds, and every change that an attacker can make. */
final class SignatureV2Test extends S3TestCase {
    private static final long END = S3TestBed.NOW.getEpochSecond() + 60;
    private static final Header HOST = new Header("host", "localhost");

    private static String target;

    @BeforeAll
    static void put() {
        target = "/" + bed.bucket() + "/a%20key";
        bed.put(target, "content");
    }

    @BeforeEach
    void resetClock() {
        bed.setNow(S3TestBed.NOW);
    }

    private static String signature(String secret, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            byte[] bytes = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(bytes);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** The parameters of a presigned request, for this string to sign. */
    private static String query(String text, long end) {
        return "AWSAccessKeyId=ROOTKEY&Expires="
                + end
                + "&Signature="
                + URLEncoder.encode(signature("rootsecret", text), StandardCharsets.UTF_8);
    }

    private static String getQuery() {
        return query("GET\n\n\n" + END + "\n" + target, END);
    }

    private static TestResponse get(String raw, Header... more) {
        return send("GET", target, raw, more);
    }

    private static TestResponse send(String method, String path, String raw, Header... more) {
        List<Header> headers = new ArrayList<>(List.of(more));
        if (headers.stream().noneMatch(header -> header.name().equals("host"))) {
            headers.add(HOST);
        }
        return bed.request(method, path).send(headers, raw);
    }

    /** The examples of the Amazon S3 Developer Guide. */
    @Test
    void theExamplesOfTheGuideHold() {
        Credential owner =
                new Credential(
                        "AKIAIOSFODNN7EXAMPLE",
                        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                        "root",
                        "Root",
                        true);
        assertThat(
                        authenticated(
                                owner,
                                "2007-03-27T19:36:42Z",
                                "/photos/puppy.jpg",
                                "AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature="
                                        + "NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires=1175139620"))
                .isInstanceOf(AuthResult.Verified.class);
        assertThat(
                        authenticated(
                                owner,
                                "2007-03-27T19:36:42Z",
                                "/photos/puppy.jpg",
                                "",
                                new Header("date", "Tue, 27 Mar 2007 19:36:42 +0000"),
                                new Header(
                                        "authorization",
                                        "AWS AKIAIOSFODNN7EXAMPLE:bWq2s1WEIj+Ydj0vQ697zp+IXMU=")))
                .isInstanceOf(AuthResult.Verified.class);
        assertThat(
                        authenticated(
                                owner,
                                "2007-03-27T19:44:46Z",
                                "/",
                                "acl",
                                new Header("date", "Tue, 27 Mar 2007 19:44:46 +0000"),
                                new Header(
                                        "authorization",
                                        "AWS AKIAIOSFODNN7EXAMPLE:c2WLPFtWHVgbEmeEG93a4cG37dM=")))
                .isInstanceOf(AuthResult.Verified.class);
    }

    private static AuthResult authenticated(
            Credential owner, String now, String path, String raw, Header... more) {
        List<Header> headers = new ArrayList<>(List.of(more));
        headers.add(new Header("host", "johnsmith.s3.amazonaws.com"));
        Authenticator authenticator =
                new Authenticator(
                        key -> Optional.of(owner).filter(each -> each.accessKey().equals(key)),
                        new AuthSettings("us-east-1", () -> Instant.parse(now), true),
                        "s3",
                        SignatureV2Use.ALL,
                        List.of("s3.amazonaws.com"));
        return authenticator.authenticate(
                new HttpHead(
                        "GET", path, raw, new HeaderList(headers), true, "192.0.2.1", 0, "REQ1"),
                QueryParameters.parse(raw));
    }

    @Test
    void aPresignedGetIsAnswered() {
        assertThat(get(getQuery()).text()).isEqualTo("content");
    }

    @Test
    void aHostNameMayHaveTheBucket() {
        int key = target.indexOf('/', 1);
        String path = target.substring(key);
        Header host = new Header("host", target.substring(1, key) + ".s3.example.com");
        assertThat(send("GET", path, getQuery(), host).text()).isEqualTo("content");
        // A key that ends by a slash is another one.
        String other = query("GET\n\n\n" + END + "\n" + target + "/", END);
        assertThat(send("GET", path, other, host).code()).isEqualTo("SignatureDoesNotMatch");
        assertThat(get(other).code()).isEqualTo("SignatureDoesNotMatch");
    }

    @Test
    void aListingIsSignedWithoutWhatNarrowsIt() {
        String bucket = target.substring(0, target.indexOf('/', 1));
        for (String signed : List.of(bucket, bucket + "/")) {
            String raw = query("GET\n\n\n" + END + "\n" + signed, END);
            assertThat(send("GET", bucket, "prefix=a&encoding-type=url&" + raw).text())
                    .contains("<Key>a%20key</Key>");
            assertThat(send("GET", bucket, "policy&" + raw).code())
                    .isEqualTo("SignatureDoesNotMatch");
        }
        String slashKey = query("GET\n\n\n" + END + "\n" + bucket + "//", END);
        assertThat(send("GET", bucket + "/", slashKey).code()).isEqualTo("SignatureDoesNotMatch");
    }

    @Test
    void overridesAndVersionsAreSigned() {
        String text = "GET\n\n\n" + END + "\n" + target + "?response-content-type=text/x y";
        TestResponse answer = get("response-content-type=text%2Fx%20y&" + query(text, END));
        assertThat(answer.header("content-type")).isEqualTo("text/x y");
        assertThat(get("response-content-type=text%2Fhtml&" + query(text, END)).code())
                .isEqualTo("SignatureDoesNotMatch");
        assertThat(get("response-content-type=text%2Fhtml&" + getQuery()).code())
                .isEqualTo("SignatureDoesNotMatch");
        assertThat(get("versionId=null&" + getQuery()).code()).isEqualTo("SignatureDoesNotMatch");
    }

    /** A client signs the octets that it sends. */
    @Test
    void metadataMayBeUtf8() {
        String path = "/" + bed.bucket() + "/new";
        String raw = new String("\u00e9\u4e2d".getBytes(StandardCharsets.UTF_8), ISO_8859_1);
        String text = "PUT\n\n\n" + END + "\nx-amz-meta-a:\u00e9\u4e2d\n" + path;
        Header meta = new Header("x-amz-meta-a", raw);
        assertThat(send("PUT", path, query(text, END), meta).status()).isEqualTo(200);
        assertThat(bed.request("HEAD", path).send().header("x-amz-meta-a"))
                .startsWith("=?UTF-8?B?");
        Header other = new Header("x-amz-meta-a", raw.substring(0, 1) + "?");
        assertThat(send("PUT", path, query(text, END), other).code())
                .isEqualTo("SignatureDoesNotMatch");
        // In the query it is UTF-8 behind percent signs.
        String query = "x-amz-meta-a=%C3%A9%E4%B8%AD&" + query(text, END);
        assertThat(send("PUT", path, query).status()).isEqualTo(200);
    }

    @Test
    void aPresignedPutIsBoundToTypeDigestAndMetadata() {
        String path = "/" + bed.bucket() + "/new";
        String text = "PUT\n\ntext/plain\n" + END + "\nx-amz-meta-a:1\n" + path;
        Header type = new Header("content-type", "text/plain");
        Header meta = new Header("x-amz-meta-a", "1");
        assertThat(send("PUT", path, query(text, END), type, meta).status()).isEqualTo(200);
        // As boto3 moves headers into the query.
        assertThat(send("PUT", path, "x-amz-meta-a=1&" + query(text, END), type).status())
                .isEqualTo(200);
        assertThat(
                        send(
                                        "PUT",
                                        path,
                                        "content-type=text%2Fplain&x-amz-meta-a=1&"
                                                + query(text, END))
                                .status())
                .isEqualTo(200);
        assertThat(bed.request("HEAD", path).send().header("content-type")).isEqualTo("text/plain");
        for (Header[] spoilt :
                new Header[][] {
                    {type},
                    {meta},
                    {type, new Header("x-amz-meta-a", "2")},
                    {new Header("content-type", "text/html"), meta},
                    {type, meta, new Header("content-md5", "1B2M2Y8AsgTpgAmY7PhCfg==")},
                    {type, meta, new Header("x-amz-meta-b", "2")},
                    {type, meta, new Header("x-amz-tagging", "a=b")},
                    {type, meta, new Header("x-amz-copy-source", target)},
                    {type, meta, new Header("x-amz-acl", "public-read")},
                }) {
            assertThat(send("PUT", path, query(text, END), spoilt).code())
                    .as(List.of(spoilt).toString())
                    .isEqualTo("SignatureDoesNotMatch");
        }
        assertThat(
                        send(
                                        "PUT",
                                        path,
                                        "x-amz-meta-a=1&" + query(text, END),
                                        type,
                                        new Header("x-amz-meta-a", "1"))
                                .code())
                .isEqualTo("InvalidArgument");
    }

    @Test
    void everyChangedCharacterOfTheSignatureIsRefused() {
        String valid = getQuery();
        int begin = valid.indexOf("Signature=") + "Signature=".length();
        for (int i = begin; i < valid.length(); i++) {
            char changed = valid.charAt(i) == '4' ? '5' : '4';
            String spoilt = valid.substring(0, i) + changed + valid.substring(i + 1);
            assertThat(get(spoilt).status()).as(spoilt).isBetween(400, 403);
        }
        assertThat(get(valid.substring(0, begin)).code()).isEqualTo("AccessDenied");
    }

    @Test
    void anotherMethodKeyEndOrCallerIsRefused() {
        String valid = getQuery();
        for (String method : List.of("HEAD", "PUT", "DELETE")) {
            assertThat(send(method, target, valid).status()).as(method).isEqualTo(403);
        }
        assertThat(send("GET", "/" + bed.bucket() + "/other", valid).code())
                .isEqualTo("SignatureDoesNotMatch");
        assertThat(get(valid.replace("Expires=" + END, "Expires=" + (END + 1))).code())
                .isEqualTo("SignatureDoesNotMatch");
        assertThat(get(valid.replace("ROOTKEY", "ALICE")).code())
                .isEqualTo("SignatureDoesNotMatch");
        assertThat(get(valid.replace("ROOTKEY", "NOBODY")).code()).isEqualTo("InvalidAccessKeyId");
    }

    @Test
    void theEndHolds() {
        bed.setNow(Instant.ofEpochSecond(END));
        assertThat(get(getQuery()).status()).isEqualTo(200);
        bed.setNow(Instant.ofEpochSecond(END).plusMillis(1));
        assertThat(get(getQuery()).text()).contains("Request has expired");
        for (String end :
                List.of(
                        "",
                        "soon",
                        "1e9",
                        "99999999999999999999",
                        "-9223372036854775808",
                        "-1",
                        "0")) {
            String text = "GET\n\n\n" + end + "\n" + target;
            String raw = query(text, END).replace("Expires=" + END, "Expires=" + end);
            assertThat(get(raw).code()).as(end).isEqualTo("AccessDenied");
        }
    }

    /** Version 2 does not sign the whole query: what chooses an operation must be signed. */
    @Test
    void noOperationIsReachedByAnUnsignedParameter() {
        for (S3Call call : S3Call.values()) {
            if (call.subresource().matches("[a-zA-Z-]+")
                    && !call.subresource().equals("list-type")) {
                String text = call.method() + "\n\n\n" + END + "\n" + target;
                TestResponse answer =
                        send(call.method(), target, call.subresource() + "&" + query(text, END));
                assertThat(answer.code()).as(call.toString()).isEqualTo("SignatureDoesNotMatch");
            }
        }
        for (String unknown : List.of("renameObject", "x-id=GetObject", "append", "foo=bar")) {
            assertThat(get(unknown + "&" + getQuery()).text())
                    .contains("<ParametersNotSigned>" + unknown.replaceFirst("=.*", ""));
        }
    }

    /** A value is signed decoded: it must not hide what was signed beside it. */
    @Test
    void noValueHidesAnotherHeaderOrSubresource() {
        String path = "/" + bed.bucket() + "/hidden";
        String put = "PUT\n\n\n" + END + "\nx-amz-meta-a:1\nx-amz-tagging:a=b\n" + path;
        assertThat(
                        send("PUT", path, "x-amz-meta-a=1%0Ax-amz-tagging:a%3Db&" + query(put, END))
                                .text())
                .contains("<ParametersNotSigned>x-amz-meta-a");
        String signed = target + "?response-content-type=a&versionId=7";
        String get = "GET\n\n\n" + END + "\n" + signed;
        assertThat(get("response-content-type=a%26versionId%3D7&" + query(get, END)).text())
                .contains("<ParametersNotSigned>response-content-type");
        String harmless = "GET\n\n\n" + END + "\n" + target + "?response-content-type=a&b";
        assertThat(get("response-content-type=a%26b&" + query(harmless, END)).status())
                .isEqualTo(200);
    }

    /** An end far in the future is valid, as in S3; it must not overflow. */
    @Test
    void theLatestEndIsTaken() {
        String end = Long.toString(Long.MAX_VALUE);
        String text = "GET\n\n\n" + end + "\n" + target;
        assertThat(get(query(text, Long.MAX_VALUE)).status()).isEqualTo(200);
    }

    /** The path is signed as it was sent. */
    @Test
    void noOtherEncodingOfThePathReachesAnotherKey() {
        String acl = "GET\n\n\n" + END + "\n" + target + "?acl";
        assertThat(send("GET", target + "%3Facl", query(acl, END)).code())
                .isEqualTo("SignatureDoesNotMatch");
        assertThat(get("acl&versionId=null&" + query(acl, END)).code())
                .isEqualTo("SignatureDoesNotMatch");
        assertThat(send("GET", target.replace("%20", "%2520"), getQuery()).status()).isEqualTo(403);
        for (String twice : List.of("Expires=1", "AWSAccessKeyId=ALICE", "acl&acl")) {
            assertThat(get(getQuery() + "&" + twice).status()).as(twice).isBetween(400, 403);
        }
        assertThat(get(getQuery().replace("ROOTKEY", "")).code()).isEqualTo("AccessDenied");
    }

    @Test
    void theHeadersOfThisServerAreNotSigned() {
        assertThat(get(getQuery(), new Header("x-volute-actor", "me")).text())
                .contains("<HeadersNotSigned>x-volute-actor");
    }

    @Test
    void versionsAreNotMixed() {
        assertThat(
                        get(getQuery()
                                        + "&X-Amz-Algorithm=AWS4-HMAC-SHA256"
                                        + "&X-Amz-Signature="
                                        + "0".repeat(64))
                                .status())
                .isEqualTo(403);
        assertThat(get(getQuery(), new Header("authorization", "AWS ROOTKEY:x")).code())
                .isEqualTo("InvalidArgument");
        assertThat(get(getQuery() + "&Signature=x").code()).isEqualTo("InvalidArgument");
        assertThat(get(getQuery() + "&signature=x").code()).isEqualTo("InvalidArgument");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
                "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
            })
    void chunksHaveNoSignatureToBuildOn(String mode) {
        String path = "/" + bed.bucket() + "/chunks";
        String text = "PUT\n\n\n" + END + "\nx-amz-content-sha256:" + mode + "\n" + path;
        assertThat(
                        send(
                                        "PUT",
                                        path,
                                        query(text, END),
                                        new Header("x-amz-content-sha256", mode))
                                .code())
                .isEqualTo("InvalidRequest");
    }

    @Test
    void theSettingDecides() {
        String date = "Sat, 21 Nov 2026 10:00:00 GMT";
        Header signed =
                new Header(
                        "authorization",
                        "AWS ROOTKEY:"
                                + signature("rootsecret", "GET\n\n\n" + date + "\n" + target));
        for (SignatureV2Use use : SignatureV2Use.values()) {
            S3Protocol protocol =
                    S3TestBed.protocolOver(
                            bed.store(),
                            new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, false)
                                    .withSignatureV2(use));
            assertThat(
                            bed.request("GET", target)
                                    .over(protocol)
                                    .send(List.of(HOST), getQuery())
                                    .code())
                    .isEqualTo(use == SignatureV2Use.OFF ? "InvalidRequest" : "200");
            assertThat(
                            bed.request("GET", target)
                                    .over(protocol)
                                    .send(List.of(HOST, new Header("date", date), signed), "")
                                    .code())
                    .isEqualTo(use == SignatureV2Use.ALL ? "200" : "InvalidRequest");
        }
    }
}
