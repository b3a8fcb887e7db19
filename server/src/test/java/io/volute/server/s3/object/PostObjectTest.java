package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auth.sigv4.SignatureV2Use;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.RequestBody;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Uploads by the forms of browsers: what a policy allows, and every way around it. */
final class PostObjectTest extends S3TestCase {
    private static final String BOUNDARY = "----boundary7";
    private static final String CREDENTIAL = "ROOTKEY/20261121/us-east-1/s3/aws4_request";

    private String bucket;

    @BeforeEach
    void make() {
        bed.setNow(S3TestBed.NOW);
        bucket = bed.bucket();
    }

    /** A form with a policy for keys that begin with {@code user/} and files of up to 100 bytes. */
    private Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("key", "user/${filename}");
        fields.put("Content-Type", "text/plain");
        fields.put("x-amz-meta-a", "ä");
        fields.put("x-amz-credential", CREDENTIAL);
        fields.put("x-amz-algorithm", "AWS4-HMAC-SHA256");
        fields.put("x-amz-date", "20261121T000000Z");
        return fields;
    }

    private String policy(String... more) {
        return "{\"expiration\":\"2026-11-21T11:00:00.000Z\",\"conditions\":[{\"bucket\":\""
                + bucket
                + "\"},[\"starts-with\",\"$key\",\"user/\"],"
                + "[\"eq\",\"$content-type\",\"text/plain\"],"
                + "[\"starts-with\",\"$x-amz-meta-a\",\"\"],[\"content-length-range\",2,100],"
                + "{\"x-amz-credential\":\""
                + CREDENTIAL
                + "\"},{\"x-amz-algorithm\":\"AWS4-HMAC-SHA256\"},"
                + "{\"x-amz-date\":\"20261121T000000Z\"}"
                + String.join("", more)
                + "]}";
    }

    private static byte[] mac(String algorithm, byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key, algorithm));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static Map<String, String> signed(Map<String, String> fields, String policy) {
        String encoded =
                Base64.getEncoder().encodeToString(policy.getBytes(StandardCharsets.UTF_8));
        byte[] key = "AWS4rootsecret".getBytes(StandardCharsets.UTF_8);
        for (String step : List.of("20261121", "us-east-1", "s3", "aws4_request")) {
            key = mac("HmacSHA256", key, step);
        }
        fields.put("policy", encoded);
        fields.put("x-amz-signature", HexFormat.of().formatHex(mac("HmacSHA256", key, encoded)));
        return fields;
    }

    private static String part(String name, String value) {
        return "--"
                + BOUNDARY
                + "\r\nContent-Disposition: form-data; name=\""
                + name
                + "\"\r\n\r\n"
                + value
                + "\r\n";
    }

    private static String form(Map<String, String> fields, String file) {
        StringBuilder form = new StringBuilder();
        fields.forEach((name, value) -> form.append(part(name, value)));
        return form.append("--")
                .append(BOUNDARY)
                .append(
                        "\r\nContent-Disposition: form-data; name=\"file\";"
                                + " filename=\"C:\\d\\f.txt\"")
                .append("\r\nContent-Type: text/html\r\n\r\n")
                .append(file)
                .append("\r\n--")
                .append(BOUNDARY)
                .append("--\r\n")
                .toString();
    }

    private TestResponse post(String form) {
        return post(form, 4096);
    }

    private TestResponse post(String form, int piece, Header... more) {
        List<Header> headers = new java.util.ArrayList<>(List.of(more));
        headers.add(new Header("host", "localhost"));
        headers.add(new Header("content-type", "multipart/form-data; boundary=" + BOUNDARY));
        return bed.request("POST", "/" + bucket).body(form).piece(piece).send(headers, "");
    }

    @Test
    void aFormUploadsAnObject() {
        TestResponse answer = post(form(signed(fields(), policy()), "content"));
        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.header("etag")).isEqualTo("\"9a0364b9e99bb480dd25e1f0284c8555\"");
        assertThat(answer.header("location"))
                .isEqualTo("http://localhost/" + bucket + "/user/f.txt");
        TestResponse read = bed.get("/" + bucket + "/user/f.txt");
        assertThat(read.text()).isEqualTo("content");
        assertThat(read.header("content-type")).isEqualTo("text/plain");
        assertThat(read.header("x-amz-meta-a")).isEqualTo("=?UTF-8?B?w4PCpA==?=");
    }

    /** A body that arrives byte by byte; something happens before one of them. */
    private record Late(TestBody body, int at, Runnable event) implements RequestBody {
        @Override
        public boolean next() {
            if (body.pulled() == at) {
                event.run();
            }
            return body.next();
        }

        @Override
        public ByteBuffer buffer() {
            return body.buffer();
        }
    }

    @Test
    void aFileGoesIntoNoLaterBucketOfTheName() {
        String form = form(signed(fields(), policy()), "content");
        byte[] bytes = form.getBytes(StandardCharsets.UTF_8);
        String before = form.substring(0, form.indexOf("content\r\n--"));
        int begin = before.getBytes(StandardCharsets.UTF_8).length;
        List<Header> headers =
                List.of(
                        new Header("host", "localhost"),
                        new Header("content-type", "multipart/form-data; boundary=" + BOUNDARY));
        Late late = new Late(new TestBody(bytes, 1), begin + 1, this::remake);
        TestResponse answer =
                bed.request("POST", "/" + bucket)
                        .contentLength(bytes.length)
                        .body(late)
                        .send(headers, "");
        assertThat(answer.code()).isEqualTo("NoSuchBucket");
        assertThat(bed.request("GET", "/" + bucket).sendAs(bed.bob()).text())
                .contains("</Name>")
                .doesNotContain("<Contents>");
    }

    /** Gives the name of the bucket to one of another user. */
    private void remake() {
        assertThat(bed.request("DELETE", "/" + bucket).send().status()).isEqualTo(204);
        assertThat(bed.request("PUT", "/" + bucket).sendAs(bed.bob()).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 50})
    void aFormArrivesInPiecesOfAnyLength(int piece) {
        String file = "\r\n--" + BOUNDARY.substring(0, 5) + "\r\r\n-\r\n--\r\n";
        assertThat(post(form(signed(fields(), policy()), file), piece).status()).isEqualTo(204);
        assertThat(bed.get("/" + bucket + "/user/f.txt").text()).isEqualTo(file);
    }

    /** A claim is neither dropped nor believed. */
    @ParameterizedTest
    @ValueSource(strings = {"x-volute-replica", "X-Volute-Source", "x-volute-signature"})
    void aFormMakesNoClaim(String name) {
        Map<String, String> fields = fields();
        fields.put(name, "any");
        String policy = policy(",[\"starts-with\",\"$" + name + "\",\"\"]");
        assertThat(post(form(signed(fields, policy), "content")).code())
                .isEqualTo("InvalidArgument");
        assertThat(bed.get("/" + bucket + "/user/f.txt").code()).isEqualTo("NoSuchKey");
    }

    @Test
    void version2MaySignAForm() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("kEy", "user/old");
        fields.put("aWSAccessKeyId", "ROOTKEY");
        String policy =
                Base64.getEncoder()
                        .encodeToString(
                                ("{\"expiration\":\"2026-11-21T11:00:00Z\",\"conditions\":["
                                                + "{\"bUcKeT\":\""
                                                + bucket
                                                + "\"},"
                                                + "[\"StArTs-WiTh\",\"$KeY\",\"user/\"]]}")
                                        .getBytes(StandardCharsets.UTF_8));
        fields.put("policy", policy);
        fields.put(
                "signature",
                Base64.getEncoder()
                        .encodeToString(
                                mac(
                                        "HmacSHA1",
                                        "rootsecret".getBytes(StandardCharsets.UTF_8),
                                        policy)));
        assertThat(post(form(fields, "content")).status()).isEqualTo(204);
        assertThat(bed.get("/" + bucket + "/user/old").text()).isEqualTo("content");
        S3Protocol off =
                S3TestBed.protocolOver(
                        bed.store(),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true)
                                .withSignatureV2(SignatureV2Use.OFF));
        assertThat(
                        bed.request("POST", "/" + bucket)
                                .over(off)
                                .body(form(fields, "content"))
                                .send(
                                        List.of(
                                                new Header("host", "localhost"),
                                                new Header(
                                                        "content-type",
                                                        "multipart/form-data; boundary="
                                                                + BOUNDARY)),
                                        "")
                                .code())
                .isEqualTo("InvalidRequest");
        fields.put("signature", "AAAA");
        assertThat(post(form(fields, "content")).code()).isEqualTo("SignatureDoesNotMatch");
    }

    private void refused(String code, Consumer<Map<String, String>> change) {
        refused(code, change, UnaryOperator.identity());
    }

    private void refused(
            String code, Consumer<Map<String, String>> change, UnaryOperator<String> form) {
        Map<String, String> fields = signed(fields(), policy());
        change.accept(fields);
        assertThat(post(form.apply(form(fields, "content"))).code()).isEqualTo(code);
        assertThat(bed.get("/" + bucket + "?versions").text()).doesNotContain("<Version>");
    }

    @Test
    void everyChangeOfASignedFormIsRefused() {
        refused("AccessDenied", fields -> fields.put("key", "other/${filename}"));
        refused("AccessDenied", fields -> fields.put("key", "User/a"));
        refused("AccessDenied", fields -> fields.put("Content-Type", "text/html"));
        refused("AccessDenied", fields -> fields.remove("Content-Type"));
        refused("AccessDenied", fields -> fields.put("x-amz-meta-b", "1"));
        refused("AccessDenied", fields -> fields.put("x-amz-tagging", "a=b"));
        refused("AccessDenied", fields -> fields.put("tagging", "<Tagging><TagSet/></Tagging>"));
        refused("AccessDenied", fields -> fields.put("acl", "private"));
        refused("AccessDenied", fields -> fields.put("success_action_status", "201"));
        refused("InvalidArgument", fields -> fields.put("x-amz-copy-source", "/a/b"));
        refused("AccessDenied", fields -> fields.put("x-amz-security-token", ""));
        refused("AccessDenied", fields -> fields.put("x-amz-object-lock-mode", "COMPLIANCE"));
        refused("InvalidToken", fields -> fields.put("x-amz-security-token", "x"));
        refused(
                "InvalidAccessKeyId",
                f -> f.put("x-amz-credential", CREDENTIAL.replace("ROOT", "NO")));
        refused(
                "SignatureDoesNotMatch",
                f -> f.put("x-amz-credential", CREDENTIAL.replace("ROOTKEY", "ALICE")));
        refused(
                "InvalidArgument",
                f -> f.put("x-amz-credential", CREDENTIAL.replace("us-east-1", "x")));
        refused("InvalidArgument", f -> f.put("x-amz-credential", CREDENTIAL.replace("s3", "sts")));
        refused("InvalidArgument", fields -> fields.put("x-amz-date", "20261120T000000Z"));
        refused("InvalidArgument", fields -> fields.put("x-amz-algorithm", "none"));
        refused("InvalidArgument", fields -> fields.remove("x-amz-signature"));
        refused("InvalidArgument", fields -> fields.remove("policy"));
        refused("InvalidArgument", fields -> fields.put("AWSAccessKeyId", "ROOTKEY"));
        refused("InvalidArgument", fields -> fields.remove("key"));
        refused("SignatureDoesNotMatch", f -> f.put("x-amz-signature", "0".repeat(64)));
        refused(
                "SignatureDoesNotMatch",
                fields ->
                        fields.put(
                                "policy",
                                Base64.getEncoder()
                                        .encodeToString(
                                                policy().replace("user/", "")
                                                        .getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void aFieldTwiceIsNoWayAroundThePolicy() {
        refused("InvalidArgument", fields -> {}, form -> part("KEY", "other/x") + form);
        // Behind the file nothing counts.
        Map<String, String> fields = signed(fields(), policy());
        String end = "--" + BOUNDARY + "--\r\n";
        String form = form(fields, "content").replace(end, part("key", "other/x") + end);
        assertThat(post(form).status()).isEqualTo(204);
        assertThat(bed.get("/" + bucket + "/user/f.txt").text()).isEqualTo("content");
        assertThat(bed.get("/" + bucket + "/other/x").code()).isEqualTo("NoSuchKey");
    }

    @Test
    void headersOfTheRequestAreNoFields() {
        TestResponse answer =
                post(
                        form(signed(fields(), policy()), "content"),
                        4096,
                        new Header("x-amz-meta-b", "2"),
                        new Header("x-amz-tagging", "a=b"),
                        new Header("x-volute-actor", "somebody"),
                        new Header("x-amz-copy-source", "/a/b"));
        assertThat(answer.status()).isEqualTo(204);
        TestResponse read = bed.get("/" + bucket + "/user/f.txt");
        assertThat(read.header("x-amz-meta-b")).isEmpty();
        assertThat(read.header("x-amz-tagging-count")).isEmpty();
    }

    @Test
    void aFormHasAnEnd() {
        Map<String, String> fields = signed(fields(), policy());
        bed.setNow(Instant.parse("2026-11-21T10:59:59.999Z"));
        assertThat(post(form(fields, "content")).status()).isEqualTo(204);
        bed.setNow(Instant.parse("2026-11-21T11:00:00Z"));
        assertThat(post(form(fields, "content")).text()).contains("Policy expired");
    }

    @ParameterizedTest
    @CsvSource({
        "1, EntityTooSmall",
        "2, 204",
        "100, 204",
        "101, EntityTooLarge",
        "9000, EntityTooLarge"
    })
    void theLengthOfTheFileIsKept(int length, String code) {
        TestResponse answer = post(form(signed(fields(), policy()), "x".repeat(length)), 64);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(bed.get("/" + bucket + "/user/f.txt").status())
                .isEqualTo(code.equals("204") ? 200 : 404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{\"conditions\":[]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\"}",
                "{\"EXPIRATION\":\"2026-11-21T11:00:00Z\",\"conditions\":[]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\",\"CONDITIONS\":[]}",
                "{\"expiration\":\"tomorrow\",\"conditions\":[]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\",\"conditions\":[{}]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\","
                        + "\"conditions\":[{\"a\":\"b\",\"c\":\"d\"}]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\",\"conditions\":[{\"a\":1}]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\","
                        + "\"conditions\":[[\"ends-with\",\"$a\",\"b\"]]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\",\"conditions\":[[\"eq\",\"a\",\"b\"]]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\","
                        + "\"conditions\":[[\"content-length-range\",0]]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\","
                        + "\"conditions\":[[\"content-length-range\",-1,0]]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\","
                        + "\"conditions\":[[\"content-length-range\",2,1]]}",
                "{\"expiration\":\"2026-11-21T11:00:00Z\",\"expiration\":\"2026-11-21T12:00:00Z\","
                        + "\"conditions\":[]}"
            })
    void anInvalidPolicyIsRefused(String policy) {
        TestResponse answer = post(form(signed(fields(), policy), "content"));
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    }

    @Test
    void theBucketNeedsACondition() {
        String without = policy().replace("{\"bucket\":\"" + bucket + "\"},", "");
        assertThat(post(form(signed(fields(), without), "content")).text())
                .contains("Extra input fields: bucket");
        String other = policy().replace(bucket, bed.bucket());
        assertThat(post(form(signed(fields(), other), "content")).code()).isEqualTo("AccessDenied");
    }

    @Test
    void theFormChoosesItsAnswer() {
        String more = ",[\"starts-with\",\"$success_action_status\",\"\"]";
        for (int status : new int[] {200, 201, 204}) {
            Map<String, String> fields = fields();
            fields.put("success_action_status", Integer.toString(status));
            TestResponse answer = post(form(signed(fields, policy(more)), "content"));
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.text().contains("<Key>user/f.txt</Key>")).isEqualTo(status == 201);
        }
        String redirect = ",[\"starts-with\",\"$success_action_redirect\",\"\"]";
        Map<String, String> fields = fields();
        fields.put("success_action_redirect", "https://app.example/done?a=b#c");
        TestResponse answer = post(form(signed(fields, policy(redirect)), "content"));
        assertThat(answer.status()).isEqualTo(303);
        assertThat(answer.header("location"))
                .isEqualTo(
                        "https://app.example/done?a=b&bucket="
                                + bucket
                                + "&key=user%2Ff.txt&etag=%229a0364b9e99bb480dd25e1f0284c8555%22");
        for (String none : List.of("javascript:alert(1)", "/done", "x y", "https:")) {
            fields = fields();
            fields.put("success_action_redirect", none);
            assertThat(post(form(signed(fields, policy(redirect)), "content")).status())
                    .as(none)
                    .isEqualTo(204);
        }
    }

    @Test
    void tagsAndChecksumsAreFields() {
        Map<String, String> fields = fields();
        fields.put(
                "tagging",
                "<Tagging><TagSet><Tag><Key>a b</Key><Value>c+d</Value></Tag></TagSet></Tagging>");
        fields.put("x-amz-checksum-sha256", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        String more =
                ",[\"starts-with\",\"$tagging\",\"\"],"
                        + "[\"starts-with\",\"$x-amz-checksum-sha256\",\"\"]";
        assertThat(post(form(signed(fields, policy(more)), "content")).code())
                .isEqualTo("BadDigest");
        fields.put("x-amz-checksum-sha256", "7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M=");
        assertThat(post(form(signed(fields, policy(more)), "content")).status()).isEqualTo(204);
        assertThat(bed.get("/" + bucket + "/user/f.txt?tagging").text())
                .contains("<Key>a b</Key><Value>c+d</Value>");
    }

    @Test
    void withoutASignatureThePolicyOfTheBucketDecides() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("key", "open/x");
        assertThat(post(form(fields, "content")).code()).isEqualTo("AccessDenied");
        String policy =
                "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":"
                        + "\"Allow\",\"Principal\":\"*\","
                        + "\"Action\":\"s3:PutObject\",\"Resource\":\"arn:aws:s3:::"
                        + bucket
                        + "/open/*\"}]}";
        assertThat(bed.request("PUT", "/" + bucket + "?policy").body(policy).send().status())
                .isEqualTo(204);
        assertThat(post(form(fields, "content")).status()).isEqualTo(204);
        fields.put("x-amz-copy-source", "/" + bucket + "/open/x");
        assertThat(post(form(fields, "content")).code()).isEqualTo("InvalidArgument");
        fields.remove("x-amz-copy-source");
        fields.put("key", "closed/x");
        assertThat(post(form(fields, "content")).code()).isEqualTo("AccessDenied");
        fields.put("key", "open/y");
        fields.put("acl", "public-read");
        assertThat(post(form(fields, "content")).code()).isEqualTo("AccessControlListNotSupported");
    }

    @Test
    void theRightsOfTheSignerDecide() {
        Map<String, String> fields = signed(fields(), policy());
        String other = bed.bucketOf(bed.alice());
        bucket = other;
        Map<String, String> byRoot = signed(fields(), policy());
        assertThat(post(form(byRoot, "content")).status()).isEqualTo(204);
        assertThat(post(form(fields, "content")).code()).isEqualTo("AccessDenied");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "multipart/form-data",
                "multipart/form-data; boundary=",
                "multipart/form-data; boundary=\"\"",
                "multipart/form-data; boundary=other",
            })
    void aFormWithoutItsBoundaryIsMalformed(String type) {
        TestResponse answer =
                bed.request("POST", "/" + bucket)
                        .body(form(signed(fields(), policy()), "content"))
                        .send(
                                List.of(new Header("host", "h"), new Header("content-type", type)),
                                "");
        assertThat(answer.code()).isEqualTo("MalformedPOSTRequest");
    }

    @Test
    void aFormThatIsCutOffMakesNothing() {
        String whole = form(signed(fields(), policy()), "content");
        for (int end = 0; end < whole.length() - BOUNDARY.length() - 4; end += 13) {
            TestResponse answer = post(whole.substring(0, end));
            assertThat(answer.status()).as(end + " bytes").isEqualTo(400);
        }
        assertThat(bed.get("/" + bucket + "/user/f.txt").code()).isEqualTo("NoSuchKey");
    }

    @Test
    void theFieldsAreBounded() {
        Map<String, String> fields = fields();
        fields.put("x-ignore-a", "x".repeat(20 * 1024));
        assertThat(post(form(signed(fields, policy()), "content")).code())
                .isEqualTo("MaxPostPreDataLengthExceeded");
        String form = form(signed(fields(), policy()), "content") + "x".repeat(30_000);
        assertThat(post(form).code()).isEqualTo("MalformedPOSTRequest");
    }

    @Test
    void signedHeadersDoNotMakeAForm() {
        assertThat(
                        bed.request("POST", "/" + bucket)
                                .header("content-type", "multipart/form-data; boundary=" + BOUNDARY)
                                .body(form(signed(fields(), policy()), "content"))
                                .send()
                                .code())
                .isEqualTo("NotImplemented");
    }

    @Test
    void aFormGivesItsObjectAnAclWhereThereAreAny() {
        bucket = bed.freshName();
        assertThat(
                        bed.request("PUT", "/" + bucket)
                                .header("x-amz-object-ownership", "ObjectWriter")
                                .send()
                                .status())
                .isEqualTo(200);
        Map<String, String> fields = fields();
        fields.put("acl", "public-read");
        String policy = policy(",[\"starts-with\",\"$acl\",\"public\"]");
        assertThat(post(form(signed(fields, policy), "content")).status()).isEqualTo(204);
        TestRequest read = bed.request("GET", "/" + bucket + "/user/f.txt");
        assertThat(read.sendAnonymous().text()).isEqualTo("content");
        // The policy of the form limits the ACL.
        fields.put("acl", "private");
        assertThat(post(form(fields, "content")).code()).isEqualTo("AccessDenied");
    }
}
