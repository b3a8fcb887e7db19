package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.call.S3Call;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No write accepts and drops a setting of security: a header of encryption, locks, ownership or
 * sharing that it does not take, or an unknown element of a configuration.
 */
final class DroppedSettingsTest extends S3TestCase {
    private static final Set<S3Call> OBJECTS =
            Set.of(
                    S3Call.PUT_OBJECT,
                    S3Call.COPY_OBJECT,
                    S3Call.CREATE_MULTIPART_UPLOAD,
                    S3Call.COMPLETE_MULTIPART_UPLOAD);

    /** Headers, and the writes that have them in S3's reference. */
    private static final Map<String, Set<S3Call>> HEADERS =
            Map.of(
                    "x-amz-server-side-encryption", OBJECTS,
                    "x-amz-server-side-encryption-aws-kms-key-id", OBJECTS,
                    "x-amz-server-side-encryption-customer-algorithm",
                            with(S3Call.UPLOAD_PART, S3Call.UPLOAD_PART_COPY),
                    "x-amz-object-lock-mode", OBJECTS,
                    "x-amz-object-lock-legal-hold", OBJECTS,
                    "x-amz-acl",
                            with(
                                    S3Call.CREATE_BUCKET,
                                    S3Call.PUT_BUCKET_ACL,
                                    S3Call.PUT_OBJECT_ACL),
                    "x-amz-grant-full-control",
                            with(
                                    S3Call.CREATE_BUCKET,
                                    S3Call.PUT_BUCKET_ACL,
                                    S3Call.PUT_OBJECT_ACL),
                    "x-amz-object-ownership", Set.of(S3Call.CREATE_BUCKET),
                    "x-amz-bucket-object-lock-enabled", Set.of(S3Call.CREATE_BUCKET));

    private static Set<S3Call> with(S3Call... more) {
        Set<S3Call> all = EnumSet.copyOf(OBJECTS);
        all.addAll(Set.of(more));
        return all;
    }

    private static boolean isWrite(S3Call call) {
        return !call.method().equals("GET")
                && !call.method().equals("HEAD")
                && call != S3Call.DELETE_UNSET_CONFIGURATION;
    }

    private String target(S3Call call, String bucket) {
        String query =
                switch (call.subresource()) {
                    case "" -> "";
                    case "*" -> "?analytics&id=1";
                    case "uploadId" ->
                            call.method().equals("PUT")
                                    ? "?uploadId=u&partNumber=1"
                                    : "?uploadId=u";
                    default -> "?" + call.subresource();
                };
        return switch (call.level()) {
            case SERVICE -> "/";
            case BUCKET -> "/" + bucket + query;
            case OBJECT -> "/" + bucket + "/k" + query;
        };
    }

    private TestRequest request(S3Call call, String bucket) {
        TestRequest request = bed.request(call.method(), target(call, bucket));
        return call.isCopy()
                ? request.header("x-amz-copy-source", "/" + bucket + "/other")
                : request;
    }

    @Test
    void noWriteDropsAHeaderOfSecurity() {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "content");
        int refused = 0;
        for (S3Call call : S3Call.values()) {
            if (!isWrite(call)) {
                continue;
            }
            for (Map.Entry<String, Set<S3Call>> header : HEADERS.entrySet()) {
                TestResponse answer =
                        request(call, bucket).header(header.getKey(), "any value").send();
                String text = answer.text();
                if (header.getValue().contains(call)) {
                    assertThat(text)
                            .as("%s, %s", call, header.getKey())
                            .doesNotContain("does not take the header");
                } else {
                    assertThat(text)
                            .as("%s, %s", call, header.getKey())
                            .contains("does not take the header " + header.getKey());
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(100);
        assertThat(bed.get("/" + bucket + "/k").text()).isEqualTo("content");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-amz-server-side-encryption-brand-new",
                "x-amz-object-lock-brand-new",
                "x-amz-acl-brand-new",
                "x-amz-object-ownership-brand-new",
                "x-amz-bucket-object-lock-brand-new",
                "x-amz-if-none-match-brand-new"
            })
    void noWriteDropsAnUnknownHeaderOfSecurity(String header) {
        String bucket = bed.bucket();
        for (S3Call call : S3Call.values()) {
            if (isWrite(call)) {
                TestResponse answer = request(call, bucket).header(header, "on").send();
                assertThat(answer.code()).as("%s", call).isEqualTo("NotImplemented");
                assertThat(answer.text()).contains("<Header>" + header + "</Header>");
            }
        }
    }

    /** Documents with the place of an unknown element marked by #. */
    static Stream<Arguments> documents() {
        return Stream.of(
                Arguments.of(
                        "PUT",
                        "?cors",
                        "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>"
                                + "<AllowedMethod>GET</AllowedMethod>#</CORSRule>"
                                + "</CORSConfiguration>"),
                Arguments.of(
                        "PUT",
                        "?lifecycle",
                        "<LifecycleConfiguration><Rule><Status>Enabled</Status><Filter/>"
                                + "<Expiration><Days>9</Days>#</Expiration></Rule>"
                                + "</LifecycleConfiguration>"),
                Arguments.of("POST", "?delete", "<Delete><Object><Key>k</Key>#</Object></Delete>"));
    }

    /** SecuritySettingsTest has the documents of security themselves. */
    @ParameterizedTest
    @MethodSource("documents")
    void noConfigurationDropsAnUnknownElement(String method, String query, String document) {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "content");
        for (String planted : new String[] {"<BrandNew>on</BrandNew>", ""}) {
            String text = document.replace("#", planted);
            TestResponse answer =
                    bed.request(method, "/" + bucket + query)
                            .header("content-md5", md5(text))
                            .body(text)
                            .send();
            if (planted.isEmpty()) {
                assertThat(answer.status()).as(query + answer.text()).isEqualTo(200);
            } else {
                assertThat(answer.code()).as(query).isIn("MalformedXML", "NotImplemented");
                assertThat(bed.get("/" + bucket + "/k").text()).isEqualTo("content");
            }
        }
    }

    private static String md5(String text) {
        return Base64.getEncoder()
                .encodeToString(TestSigner.md5(text.getBytes(StandardCharsets.UTF_8)));
    }
}
