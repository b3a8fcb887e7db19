package io.volute.server.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of rights are disabled: asking for what holds anyway is taken, asking for more is not. */
final class AccessControlTest {
    private static S3TestBed bed;
    private static String bucket;

    @BeforeAll
    static void open() {
        bed = new S3TestBed();
        bucket = bed.bucketOf(bed.alice());
        bed.request("PUT", "/" + bucket + "/k").body("content").sendAs(bed.alice());
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    private static TestResponse put(String target, String header, String value, String body) {
        return bed.request("PUT", target).header(header, value).body(body).sendAs(bed.alice());
    }

    private static TestResponse putAcl(String target, String body) {
        return bed.request("PUT", target + "?acl").body(body).sendAs(bed.alice());
    }

    private static String policy(String grantee, String permission) {
        return "<AccessControlPolicy><Owner><ID>alice</ID></Owner><AccessControlList>"
                + "<Grant><Grantee>"
                + grantee
                + "</Grantee><Permission>"
                + permission
                + "</Permission></Grant></AccessControlList></AccessControlPolicy>";
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-acl,public-read",
        "x-amz-acl,public-read-write",
        "x-amz-acl,authenticated-read",
        "x-amz-acl,bucket-owner-read",
        "x-amz-grant-read,id=bob",
        "x-amz-grant-full-control,id=bob"
    })
    void sharingIsRefusedAndLeavesNothing(String header, String value) {
        assertThat(put("/" + bucket + "/new", header, value, "x").code())
                .isEqualTo("AccessControlListNotSupported");
        assertThat(bed.get("/" + bucket + "/new").code()).isEqualTo("NoSuchKey");
        assertThat(put("/" + bucket + "?acl", header, value, "").code())
                .isEqualTo("AccessControlListNotSupported");
        assertThat(put("/" + bucket + "/k?acl", header, value, "").code())
                .isEqualTo("AccessControlListNotSupported");
        assertThat(
                        bed.request("POST", "/" + bucket + "/new?uploads")
                                .header(header, value)
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("AccessControlListNotSupported");
        String name = bed.freshName();
        assertThat(put("/" + name, header, value, "").code())
                .isEqualTo("InvalidBucketAclWithObjectOwnership");
        assertThat(bed.request("HEAD", "/" + name).send().status()).isEqualTo(404);
    }

    @Test
    void whatIsNoCannedAclIsAnInvalidArgument() {
        for (String target : new String[] {"/" + bucket + "/new", "/" + bucket + "?acl"}) {
            TestResponse refused = put(target, "x-amz-acl", "public-ready", "");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.text())
                    .contains("<Code>InvalidArgument</Code>")
                    .contains("<ArgumentValue>public-ready</ArgumentValue>");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"private", "bucket-owner-full-control"})
    void whatHoldsAnywayIsTaken(String acl) {
        assertThat(put("/" + bed.freshName(), "x-amz-acl", acl, "").status()).isEqualTo(200);
        assertThat(put("/" + bucket + "/ok", "x-amz-acl", acl, "x").status()).isEqualTo(200);
        assertThat(put("/" + bucket + "?acl", "x-amz-acl", acl, "").status()).isEqualTo(200);
        assertThat(put("/" + bucket + "/k?acl", "x-amz-acl", acl, "").status()).isEqualTo(200);
        assertThat(bed.get("/" + bucket + "/k").text()).isEqualTo("content");
    }

    @Test
    void aDocumentMayOnlySayThatTheOwnerHasAllRights() {
        String full = policy("<ID>alice</ID>", "FULL_CONTROL");
        String everybody = "<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>";
        for (String target : new String[] {"/" + bucket, "/" + bucket + "/k"}) {
            assertThat(putAcl(target, full).status()).isEqualTo(200);
            assertThat(putAcl(target, policy("<ID>bob</ID>", "FULL_CONTROL")).code())
                    .isEqualTo("AccessControlListNotSupported");
            assertThat(putAcl(target, policy(everybody, "READ")).code())
                    .isEqualTo("AccessControlListNotSupported");
            assertThat(putAcl(target, policy("<ID>alice</ID>", "READ")).code())
                    .isEqualTo("AccessControlListNotSupported");
            assertThat(putAcl(target, "<AccessControlPolicy/>").code())
                    .isEqualTo("MalformedACLError");
            assertThat(putAcl(target, "<Nonsense/>").code()).isEqualTo("MalformedXML");
            assertThat(putAcl(target, "").code()).isEqualTo("MissingSecurityHeader");
            assertThat(
                            bed.request("PUT", target + "?acl")
                                    .header("x-amz-acl", "private")
                                    .body(policy(everybody, "READ"))
                                    .sendAs(bed.alice())
                                    .code())
                    .isEqualTo("AccessControlListNotSupported");
        }
    }

    @Test
    void settingAsksForTheObjectAndForTheRightToIt() {
        assertThat(put("/" + bucket + "/missing?acl", "x-amz-acl", "private", "").code())
                .isEqualTo("NoSuchKey");
        for (String target : new String[] {"/" + bucket + "?acl", "/" + bucket + "/k?acl"}) {
            assertThat(
                            bed.request("PUT", target)
                                    .header("x-amz-acl", "private")
                                    .sendAs(bed.bob())
                                    .code())
                    .isEqualTo("AccessDenied");
        }
    }

    @Test
    void ownershipSaysWhyThereAreNoLists() {
        TestResponse controls = bed.get("/" + bucket + "?ownershipControls");
        assertThat(controls.text())
                .contains("<Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule>");
        assertThat(bed.request("GET", "/" + bucket + "?ownershipControls").sendAs(bed.bob()).code())
                .isEqualTo("AccessDenied");
    }
}
