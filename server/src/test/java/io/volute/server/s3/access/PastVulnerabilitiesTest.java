package io.volute.server.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.request.HeaderList.Header;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The holes that other S3 servers had, one test each, named after the advisory. */
final class PastVulnerabilitiesTest extends S3TestCase {
    /** Headers that change what a request does. */
    private static final List<String> SENSITIVE =
            List.of(
                    "x-amz-copy-source",
                    "x-amz-copy-source-range",
                    "x-amz-copy-source-if-match",
                    "x-amz-metadata-directive",
                    "x-amz-tagging-directive",
                    "x-amz-tagging",
                    "x-amz-acl",
                    "x-amz-grant-read",
                    "x-amz-grant-full-control",
                    "x-amz-meta-colour",
                    "x-amz-storage-class",
                    "x-amz-website-redirect-location",
                    "x-amz-server-side-encryption",
                    "x-amz-server-side-encryption-customer-key",
                    "x-amz-server-side-encryption-aws-kms-key-id",
                    "x-amz-object-lock-mode",
                    "x-amz-object-lock-retain-until-date",
                    "x-amz-object-lock-legal-hold",
                    "x-amz-bypass-governance-retention",
                    "x-amz-bucket-object-lock-enabled",
                    "x-amz-object-ownership",
                    "x-amz-expected-bucket-owner",
                    "x-amz-source-expected-bucket-owner",
                    "x-amz-mfa",
                    "x-amz-security-token",
                    "x-amz-checksum-crc32",
                    "x-amz-checksum-type",
                    "x-amz-mp-object-size",
                    "x-amz-if-match-size",
                    "x-amz-rename-source",
                    "x-amz-write-offset-bytes",
                    "x-amz-unknown-future-header",
                    "x-volute-actor");

    @Test
    void cve_2026_54330_unsignedCopySourceReadsNothing() {
        String victim = bed.bucket();
        bed.put("/" + victim + "/private", "victim's content");
        String mine = bed.bucket();
        TestResponse presigned =
                bed.request("PUT", "/" + mine + "/copy")
                        .unsigned("x-amz-copy-source", "/" + victim + "/private")
                        .sendPresigned(60);
        assertThat(presigned.code()).isEqualTo("AccessDenied");
        TestResponse header =
                bed.request("PUT", "/" + mine + "/copy")
                        .unsigned("x-amz-copy-source", "/" + victim + "/private")
                        .send();
        assertThat(header.code()).isEqualTo("AccessDenied");
        assertThat(bed.get("/" + mine + "/copy").code()).isEqualTo("NoSuchKey");
    }

    @Test
    void ghsa_xm99_m3gq_83g8_noUnsignedHeaderIsObeyedByAnyOperation() {
        String bucket = bed.bucket();
        for (S3Call call : S3Call.values()) {
            String query =
                    switch (call.subresource()) {
                        case "" -> "";
                        case "list-type" -> "?list-type=2";
                        case "*" -> "?cors";
                        case "uploadId" -> "?uploadId=u&partNumber=1";
                        default -> "?" + call.subresource();
                    };
            String target =
                    switch (call.level()) {
                        case SERVICE -> "/";
                        case BUCKET -> "/" + bucket + query;
                        case OBJECT -> "/" + bucket + "/made" + query;
                    };
            for (String name : SENSITIVE) {
                String tokenRefusal = call.method().equals("HEAD") ? "400" : "InvalidToken";
                String refusal = call.method().equals("HEAD") ? "403" : "AccessDenied";
                assertThat(bed.request(call.method(), target).unsigned(name, "value").send().code())
                        .as("%s, header, %s", call, name)
                        .isIn(refusal, tokenRefusal);
                assertThat(
                                bed.request(call.method(), target)
                                        .unsigned(name, "value")
                                        .sendPresigned(60)
                                        .code())
                        .as("%s, query, %s", call, name)
                        .isIn(refusal, tokenRefusal);
            }
        }
        assertThat(bed.get("/" + bucket + "/made").code()).isEqualTo("NoSuchKey");
        assertThat(bed.request("HEAD", "/" + bucket).send().status()).isEqualTo(200);
    }

    @Test
    void cve_2026_40344_streamingUnsignedTrailerNeedsAValidSignature() {
        String bucket = bed.bucket();
        TestSigner wrong = new TestSigner("ROOTKEY", "wrong", S3TestBed.DATE, S3TestBed.REGION);
        for (String query : List.of("", "?uploadId=x&partNumber=1")) {
            TestRequest request =
                    bed.request("PUT", "/" + bucket + "/k" + query)
                            .header("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
                            .header("x-amz-decoded-content-length", "5")
                            .header("x-amz-trailer", "x-amz-checksum-crc32")
                            .body("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n");
            assertThat(request.sendAs(wrong).code()).isEqualTo("SignatureDoesNotMatch");
        }
        assertThat(bed.get("/" + bucket + "/k").code()).isEqualTo("NoSuchKey");
    }

    @Test
    void cve_2026_41145_credentialsInTheQueryAreNotTakenWithoutTheirSignature() {
        String bucket = bed.bucket();
        List<Header> headers =
                List.of(
                        new Header("host", "localhost"),
                        new Header("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
                        new Header("x-amz-decoded-content-length", "5"));
        TestResponse response =
                bed.request("PUT", "/" + bucket + "/k")
                        .body("5\r\nhello\r\n0\r\n\r\n")
                        .send(
                                headers,
                                "X-Amz-Credential=" + bed.root().credential().replace("/", "%2F"));
        assertThat(response.code()).isEqualTo("AuthorizationQueryParametersError");
        assertThat(bed.get("/" + bucket + "/k").code()).isEqualTo("NoSuchKey");
    }

    @Test
    void cve_2024_36107_conditionsAreEvaluatedAfterAuthorisation() {
        String bucket = bed.bucket();
        TestResponse put = bed.put("/" + bucket + "/k", "content");
        for (String etag : List.of(put.header("etag"), "\"other\"")) {
            for (String condition : List.of("if-match", "if-none-match")) {
                TestResponse foreign =
                        bed.request("GET", "/" + bucket + "/k")
                                .header(condition, etag)
                                .sendAs(bed.bob());
                assertThat(foreign.code()).isEqualTo("AccessDenied");
                assertThat(foreign.hasHeader("etag")).isFalse();
                assertThat(
                                bed.request("GET", "/" + bucket + "/k")
                                        .header(condition, etag)
                                        .sendAnonymous()
                                        .code())
                        .isEqualTo("AccessDenied");
            }
        }
        // Present, absent, any version: a stranger sees no difference.
        String present = bed.request("GET", "/" + bucket + "/k").sendAs(bed.bob()).text();
        String absent = bed.request("GET", "/" + bucket + "/no").sendAs(bed.bob()).text();
        assertThat(absent.replace("/no", "/k")).isEqualTo(present);
    }

    @Test
    void cve_2026_34204_internalHeadersFromClientsMeanNothing() {
        String bucket = bed.bucket();
        TestResponse put =
                bed.request("PUT", "/" + bucket + "/k")
                        .header("x-volute-principal", "bob")
                        .header("x-volute-internal-etag", "forged")
                        .body("content")
                        .send();
        assertThat(put.status()).isEqualTo(200);
        TestResponse got = bed.get("/" + bucket + "/k");
        assertThat(got.header("etag")).isEqualTo(put.header("etag")).doesNotContain("forged");
        assertThat(got.response().headers().stream().map(Header::name))
                .noneMatch(name -> name.startsWith("x-volute-"));
    }

    @Test
    void seaweedfs_9120_thePrincipalIsTheSignersWhateverHeadersSay() {
        String bucket = bed.bucketOf(bed.alice());
        assertThat(
                        bed.request("GET", "/" + bucket + "?list-type=2")
                                .header("x-volute-principal", "alice")
                                .header("x-amz-meta-principal", "alice")
                                .sendAs(bed.bob())
                                .code())
                .isEqualTo("AccessDenied");
    }

    @Test
    void seaweedfs_9555_theSourceOfACopyIsAuthorisedOnItsOwn() {
        String victim = bed.bucketOf(bed.alice());
        bed.request("PUT", "/" + victim + "/private").body("content").sendAs(bed.alice());
        String mine = bed.bucketOf(bed.bob());
        TestResponse copy =
                bed.request("PUT", "/" + mine + "/copy")
                        .header("x-amz-copy-source", "/" + victim + "/private")
                        .sendAs(bed.bob());
        assertThat(copy.code()).isEqualTo("AccessDenied");
        String upload =
                bed.request("POST", "/" + mine + "/copy?uploads").sendAs(bed.bob()).uploadId();
        TestResponse part =
                bed.request("PUT", "/" + mine + "/copy?partNumber=1&uploadId=" + upload)
                        .header("x-amz-copy-source", "/" + victim + "/private")
                        .sendAs(bed.bob());
        assertThat(part.code()).isEqualTo("AccessDenied");
    }

    @Test
    void cve_2026_54917_keysHaveNoPathMeaning() {
        String victim = bed.bucketOf(bed.alice());
        bed.request("PUT", "/" + victim + "/private").body("content").sendAs(bed.alice());
        String mine = bed.bucketOf(bed.bob());
        for (String key :
                List.of(
                        "../" + victim + "/private",
                        "%2e%2e/" + victim + "/private",
                        "..%2F" + victim + "%2Fprivate",
                        "%2E%2E%2F%2E%2E%2Fetc%2Fpasswd",
                        "a/../../" + victim + "/private",
                        "..%5C..%5Cx",
                        "/" + victim + "/private")) {
            TestResponse read = bed.request("GET", "/" + mine + "/" + key).sendAs(bed.bob());
            assertThat(read.code()).as(key).isIn("NoSuchKey", "SignatureDoesNotMatch");
        }
        String odd = "/" + mine + "/a/%2e%2e/b%2F%2Fc";
        String canonical = "/" + mine + "/a/../b//c";
        assertThat(bed.request("PUT", canonical).body("x").sendAs(bed.bob()).status())
                .isEqualTo(200);
        // The same key, however it is written: what is signed is what is stored.
        assertThat(bed.request("GET", odd).sendAs(bed.bob()).text()).isEqualTo("x");
    }

    @Test
    void cve_2026_42882_escapesAreDecodedOnce() {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/a%252Fb", "escaped");
        assertThat(bed.get("/" + bucket + "/a/b").code()).isEqualTo("NoSuchKey");
        assertThat(bed.get("/" + bucket + "/a%252Fb").text()).isEqualTo("escaped");
        TestResponse list = bed.get("/" + bucket + "?list-type=2");
        assertThat(list.text()).contains("<Key>a%2Fb</Key>");
        for (String broken : List.of("%", "%2", "%zz", "%ff", "%c0%af", "%ed%a0%80", "a%")) {
            assertThat(bed.request("GET", "/" + bucket + "/" + broken).send().code())
                    .as(broken)
                    .isEqualTo("InvalidURI");
        }
    }

    @Test
    void cve_2018_1000538_documentsAreNotGatheredWithoutLimit() {
        String bucket = bed.bucket();
        byte[] huge = new byte[(2 << 20) + 1];
        java.util.Arrays.fill(huge, (byte) ' ');
        TestResponse tagging = bed.request("PUT", "/" + bucket + "/k?tagging").body(huge).send();
        assertThat(tagging.code()).isEqualTo("MaxMessageLengthExceeded");
        TestResponse chunked =
                bed.request("PUT", "/" + bucket + "?versioning")
                        .body(huge)
                        .contentLength(-1)
                        .send();
        assertThat(chunked.code()).isEqualTo("MaxMessageLengthExceeded");
    }

    @Test
    void cve_2020_12059_malformedTaggingIsAnErrorOfOneRequest() {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "content");
        for (String document :
                List.of(
                        "",
                        "<Tagging>",
                        "<Tagging/>",
                        "<Tagging><TagSet><Tag/></TagSet></Tagging>",
                        "<Tagging><TagSet><Tag><Key>a</Key></Tag></TagSet></Tagging>",
                        "<Other/>",
                        "{}",
                        "\u0000")) {
            assertThat(bed.request("PUT", "/" + bucket + "/k?tagging").body(document).send().code())
                    .as(document)
                    .isEqualTo("MalformedXML");
        }
    }

    @Test
    void cve_2022_3854_oddTargetsDoNotEndTheProcess() {
        for (String target : List.of("", "/", "//", "///", "/%00", "/?", "/%20", "/a", "/-a/b")) {
            TestResponse response = bed.request("GET", target).send();
            assertThat(response.status()).as(target).isNotEqualTo(500);
        }
    }

    @Test
    void tracker_72669_oddCopySourcesAreRefused() {
        String bucket = bed.bucket();
        for (String source :
                List.of(
                        "",
                        "/",
                        "//",
                        "bucket",
                        "/bucket",
                        "/bucket/",
                        "%",
                        "/%ff/x",
                        "?",
                        "x?versionId=")) {
            TestResponse copy =
                    bed.request("PUT", "/" + bucket + "/k")
                            .header("x-amz-copy-source", source)
                            .send();
            assertThat(copy.status()).as(source).isIn(400, 404);
        }
    }

    @Test
    void ghsa_v2ch_c8v8_fgr7_brokenChunkHeadersDoNotEndTheProcess() {
        String bucket = bed.bucket();
        for (String body : List.of("", ";", ";chunk-signature=", "-1;", "\r\n", "0", "0;x\r\n")) {
            TestResponse put =
                    bed.request("PUT", "/" + bucket + "/k")
                            .header("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
                            .header("x-amz-decoded-content-length", "5")
                            .body(body)
                            .send();
            assertThat(put.status()).as(body).isIn(400, 403);
        }
        assertThat(bed.get("/" + bucket + "/k").code()).isEqualTo("NoSuchKey");
    }

    @Test
    void cve_2020_10753_and_2021_3524_noLineBreakReachesAResponseHeader() {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "content");
        for (String evil : List.of("%0d%0aSet-Cookie:x", "%0aX:y", "%0dX:y", "a%00b", "%7f")) {
            String decodedOnce = evil.toUpperCase(java.util.Locale.ROOT);
            for (String parameter :
                    List.of("response-content-type", "response-content-disposition")) {
                TestResponse got =
                        bed.request(
                                        "GET",
                                        "/"
                                                + bucket
                                                + "/k?"
                                                + parameter
                                                + "="
                                                + canonical(decodedOnce))
                                .send();
                assertThat(got.code()).as(evil).isEqualTo("InvalidArgument");
            }
            TestResponse put =
                    bed.request("PUT", "/" + bucket + "/m?x-amz-meta-a=" + canonical(decodedOnce))
                            .sendPresigned(60);
            assertThat(put.code()).isEqualTo("InvalidArgument");
        }
    }

    /** Returns the form that a signer uses: colons and equals signs escaped, hex in upper case. */
    private static String canonical(String escaped) {
        return escaped.replace(":", "%3A").replace("SET-COOKIE", "Set-Cookie");
    }

    @Test
    void responseOverridesNeedASignature() {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "content");
        assertThat(
                        bed.request("GET", "/" + bucket + "/k?response-content-type=text%2Fhtml")
                                .sendAnonymous()
                                .code())
                .isEqualTo("AccessDenied");
        assertThat(
                        bed.request("GET", "/" + bucket + "/k")
                                .sendPresigned(
                                        bed.root(),
                                        60,
                                        Map.of("response-content-type", "text%2Fhtml"))
                                .code())
                .isEqualTo("SignatureDoesNotMatch");
        assertThat(
                        bed.request("GET", "/" + bucket + "/k?response-content-type=text%2Fhtml")
                                .sendPresigned(60)
                                .header("content-type"))
                .isEqualTo("text/html");
    }

    @Test
    void cve_2016_7031_anonymousCallersListNothing() {
        String bucket = bed.bucket();
        for (String target : List.of("/", "/" + bucket, "/" + bucket + "?versions")) {
            assertThat(bed.request("GET", target).sendAnonymous().code()).isEqualTo("AccessDenied");
        }
    }

    @Test
    void cve_2021_21362_formUploadsTakeNoOtherWayIn() {
        String bucket = bed.bucket();
        String part = "--x\r\nContent-Disposition: form-data; name=";
        TestResponse form =
                bed.request("POST", "/" + bucket)
                        .unsigned("content-type", "multipart/form-data; boundary=x")
                        .body(
                                part
                                        + "\"key\"\r\n\r\nk\r\n"
                                        + part
                                        + "\"file\"; filename=\"f\"\r\n\r\ntext\r\n--x--\r\n")
                        .sendAnonymous();
        assertThat(form.code()).isEqualTo("AccessDenied");
        assertThat(bed.get("/" + bucket + "/k").code()).isEqualTo("NoSuchKey");
    }

    @Test
    void cve_2020_11012_anAccessKeyAloneOpensNothing() {
        String bucket = bed.bucket();
        for (String secret : List.of("", "ROOTKEY", "rootsecre", "rootsecrett")) {
            TestSigner wrong = new TestSigner("ROOTKEY", secret, S3TestBed.DATE, S3TestBed.REGION);
            assertThat(bed.request("GET", "/" + bucket).sendAs(wrong).code())
                    .isEqualTo("SignatureDoesNotMatch");
        }
    }

    @Test
    void cve_2018_16889_errorsAndMessagesShowNoSecret() {
        String bucket = bed.bucket();
        TestRequest request =
                bed.request("GET", "/" + bucket)
                        .header("x-amz-server-side-encryption-customer-key", "c2VjcmV0");
        assertThat(request.send().text()).doesNotContain("c2VjcmV0").doesNotContain("rootsecret");
    }

    @Test
    void anySingleByteChangeOfASignedRequestIsRefused() {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/key", "content");
        Random random = new Random(20261121);
        String target = "/" + bucket + "/key";
        for (int i = 0; i < 2000; i++) {
            TestRequest request = bed.request("GET", target);
            List<Header> headers = new ArrayList<>(request.signedHeaders(bed.root()));
            int at = random.nextInt(headers.size());
            Header victim = headers.get(at);
            byte[] value = victim.value().getBytes(StandardCharsets.ISO_8859_1);
            int index = random.nextInt(value.length);
            byte old = value[index];
            value[index] = (byte) (33 + random.nextInt(94));
            if (value[index] == old || old == ' ') {
                continue;
            }
            headers.set(
                    at, new Header(victim.name(), new String(value, StandardCharsets.ISO_8859_1)));
            assertThat(request.send(headers, "").status())
                    .as("%s: %s", victim.name(), headers.get(at).value())
                    .isIn(400, 403);
        }
    }
}
