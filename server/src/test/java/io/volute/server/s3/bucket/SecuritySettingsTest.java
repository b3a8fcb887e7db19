package io.volute.server.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Settings of security: what is not understood is refused, at each level of each document. */
final class SecuritySettingsTest extends S3TestCase {
    private static final String UNKNOWN = "<NotKnown>on</NotKnown>";

    private String bucket;

    @BeforeEach
    void make() {
        bucket = "/" + bed.bucket();
    }

    private TestResponse put(String query, String document) {
        return bed.request("PUT", bucket + "?" + query).body(document).send();
    }

    /** Documents with the place of an unknown element marked by @. */
    static Stream<Arguments> documents() {
        return Stream.of(
                Arguments.of(
                        "encryption",
                        "<ServerSideEncryptionConfiguration><Rule>"
                                + "<ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256"
                                + "</SSEAlgorithm>@</ApplyServerSideEncryptionByDefault>@"
                                + "<BlockedEncryptionTypes><EncryptionType>SSE-C"
                                + "</EncryptionType>@</BlockedEncryptionTypes>"
                                + "</Rule>@</ServerSideEncryptionConfiguration>"),
                Arguments.of(
                        "publicAccessBlock",
                        "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls>@"
                                + "</PublicAccessBlockConfiguration>"),
                Arguments.of(
                        "ownershipControls",
                        "<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced"
                                + "</ObjectOwnership>@</Rule>@</OwnershipControls>"),
                Arguments.of(
                        "versioning",
                        "<VersioningConfiguration><Status>Enabled</Status>@"
                                + "</VersioningConfiguration>"),
                Arguments.of(
                        "object-lock",
                        "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>@"
                                + "<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days>@"
                                + "</DefaultRetention>@</Rule></ObjectLockConfiguration>"),
                Arguments.of(
                        "logging",
                        "<BucketLoggingStatus><LoggingEnabled><TargetBucket>b</TargetBucket>@"
                                + "<TargetPrefix>p</TargetPrefix></LoggingEnabled>@"
                                + "</BucketLoggingStatus>"),
                Arguments.of(
                        "acl",
                        "<AccessControlPolicy><Owner><ID>x</ID>@</Owner>@<AccessControlList>"
                                + "<Grant><Grantee><ID>x</ID>@</Grantee>"
                                + "<Permission>READ</Permission>@</Grant>@</AccessControlList>"
                                + "</AccessControlPolicy>"));
    }

    @ParameterizedTest
    @MethodSource("documents")
    void unknownElementsAreRefusedAtEachLevel(String query, String document) {
        assertThat(put(query, document.replace("@", "")).code())
                .as("without unknown elements")
                .isNotEqualTo("MalformedXML");
        for (int at = document.indexOf('@'); at >= 0; at = document.indexOf('@', at + 1)) {
            String changed = document.substring(0, at) + UNKNOWN + document.substring(at + 1);
            assertThat(put(query, changed.replace("@", "")).code())
                    .as(changed)
                    .isEqualTo("MalformedXML");
        }
    }

    private static String encryption(String blocked) {
        return "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
                + "<SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault>"
                + "<BlockedEncryptionTypes>"
                + blocked
                + "</BlockedEncryptionTypes></Rule></ServerSideEncryptionConfiguration>";
    }

    private TestResponse write(String target) {
        byte[] key = new byte[32];
        return bed.request(target.contains("uploads") ? "POST" : "PUT", bucket + target)
                .header("x-amz-server-side-encryption-customer-algorithm", "AES256")
                .header(
                        "x-amz-server-side-encryption-customer-key",
                        Base64.getEncoder().encodeToString(key))
                .header("x-amz-server-side-encryption-customer-key-md5", "cLyPS3KoaSFGi/joRB3OUQ==")
                .send();
    }

    @Test
    void customerKeysAreBlocked() {
        for (String bad : new String[] {"", "<EncryptionType>AES256</EncryptionType>"}) {
            assertThat(put("encryption", encryption(bad)).code()).isEqualTo("MalformedXML");
        }
        String blocked = "<EncryptionType>SSE-C</EncryptionType>";
        assertThat(put("encryption", encryption(blocked)).status()).isEqualTo(200);
        assertThat(bed.get(bucket + "?encryption").text()).contains(blocked);
        assertThat(write("/key").code()).isEqualTo("AccessDenied");
        assertThat(write("/key?uploads").code()).isEqualTo("AccessDenied");
        String none = "<EncryptionType>NONE</EncryptionType>";
        assertThat(put("encryption", encryption(none)).status()).isEqualTo(200);
        assertThat(write("/key").code()).isNotEqualTo("AccessDenied");
    }
}
