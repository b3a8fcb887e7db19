package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.call.S3Call;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No write accepts and drops an unknown setting of security: a header of encryption, locks,
 * ownership or sharing, or an element of a configuration. SecurityHeadersTest has the known
 * headers.
 */
final class DroppedSettingsTest extends S3TestCase {
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
                Arguments.of("POST", "?delete", "<Delete><Object><Key>k</Key>#</Object></Delete>"),
                Arguments.of(
                        "PUT",
                        "/k?tagging",
                        "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value>#</Tag></TagSet>"
                                + "</Tagging>"));
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

    /** S3 takes an empty id for a version that is not there (amazonka 160). */
    @ParameterizedTest
    @ValueSource(strings = {"<VersionId></VersionId>", "<VersionId/>"})
    void anEmptyVersionDeletesNoKey(String version) {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "content");
        String text = "<Delete><Object><Key>k</Key>" + version + "</Object></Delete>";
        TestResponse answer =
                bed.request("POST", "/" + bucket + "?delete")
                        .header("content-md5", md5(text))
                        .body(text)
                        .send();
        assertThat(answer.text()).contains("<Code>NoSuchVersion</Code>");
        assertThat(bed.get("/" + bucket + "/k").text()).isEqualTo("content");
    }

    private static String md5(String text) {
        return Base64.getEncoder()
                .encodeToString(TestSigner.md5(text.getBytes(StandardCharsets.UTF_8)));
    }
}
