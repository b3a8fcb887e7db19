package io.volute.server.s3.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ownership controls of buckets, and the owners of objects. */
final class OwnershipTest extends AclTestCase {
    @ParameterizedTest
    @ValueSource(strings = {"BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"})
    void ownershipIsWhatWasSet(String ownership) {
        String made = bucket(ownership, "private");
        assertThat(bed.get("/" + made + "?ownershipControls").text())
                .contains("<ObjectOwnership>" + ownership + "</ObjectOwnership>");
        String changed = bed.bucketOf(bed.alice());
        String document =
                "<OwnershipControls><Rule><ObjectOwnership>"
                        + ownership
                        + "</ObjectOwnership></Rule></OwnershipControls>";
        assertThat(
                        bed.request("PUT", "/" + changed + "?ownershipControls")
                                .body(document)
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
        assertThat(bed.get("/" + changed + "?ownershipControls").text())
                .contains("<ObjectOwnership>" + ownership + "</ObjectOwnership>");
        assertThat(code("DELETE", "/" + changed + "?ownershipControls", bed.bob()))
                .isEqualTo("AccessDenied");
        assertThat(code("DELETE", "/" + changed + "?ownershipControls", bed.alice()))
                .isEqualTo("204");
        assertThat(code("GET", "/" + changed + "?ownershipControls", bed.alice()))
                .isEqualTo("OwnershipControlsNotFoundError");
    }

    @Test
    void ownershipThatIsNoneIsRefused() {
        String name = bed.freshName();
        assertThat(put("/" + name, bed.alice(), "x-amz-object-ownership", "Nobody").code())
                .isEqualTo("InvalidArgument");
        assertThat(bed.request("HEAD", "/" + name).send().status()).isEqualTo(404);
    }

    @Test
    void aSettingDecidesForNewBucketsAndAHeaderOverIt() {
        S3Protocol protocol =
                S3TestBed.protocolOver(
                        bed.store(),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true)
                                .withOwnership(ObjectOwnership.OBJECT_WRITER));
        String name = bed.freshName();
        assertThat(
                        bed.request("PUT", "/" + name)
                                .over(protocol)
                                .header("x-amz-acl", "public-read")
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
        assertThat(acl("/" + name, bed.alice())).contains(byUri(ALL, "READ"));
        String enforced = bed.freshName();
        assertThat(
                        bed.request("PUT", "/" + enforced)
                                .over(protocol)
                                .header("x-amz-object-ownership", "BucketOwnerEnforced")
                                .header("x-amz-acl", "public-read")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("InvalidBucketAclWithObjectOwnership");
    }

    @Test
    void whereAclsAreOfTheServerABucketWithoutThemRefusesPrivate() {
        S3Protocol protocol =
                S3TestBed.protocolOver(
                        bed.store(),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true)
                                .withOwnership(ObjectOwnership.OBJECT_WRITER));
        String chosen = "/" + bucket("BucketOwnerEnforced", "private");
        String full = "bucket-owner-full-control";
        assertThat(withAcl(protocol, chosen + "/k", full)).isEqualTo("200");
        for (String target : List.of(chosen + "/k", chosen + "/k?acl", chosen + "?acl")) {
            assertThat(withAcl(protocol, target, "private"))
                    .as(target)
                    .isEqualTo("AccessControlListNotSupported");
            assertThat(put(target, bed.alice(), "x-amz-acl", "private").code())
                    .isNotEqualTo("AccessControlListNotSupported");
        }
        String withAcls = "/" + bucket("ObjectWriter", "private");
        assertThat(withAcl(protocol, withAcls + "/k", "private")).isEqualTo("200");
        // Only requests that set an ACL.
        assertThat(withAcl(protocol, chosen + "?tagging", "private")).isEqualTo("InvalidArgument");
    }

    private static String withAcl(S3Protocol protocol, String target, String acl) {
        return bed.request("PUT", target)
                .over(protocol)
                .header("x-amz-acl", acl)
                .sendAs(bed.alice())
                .code();
    }

    @Test
    void aBucketThatSharesKeepsItsAcls() {
        String bucket = bucket("ObjectWriter", "public-read");
        String document =
                "<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced"
                        + "</ObjectOwnership></Rule></OwnershipControls>";
        TestRequest enforcing =
                bed.request("PUT", "/" + bucket + "?ownershipControls").body(document);
        assertThat(enforcing.sendAs(bed.alice()).code())
                .isEqualTo("InvalidBucketAclWithObjectOwnership");
        putAcl("/" + bucket, bed.alice(), "private");
        assertThat(enforcing.sendAs(bed.alice()).status()).isEqualTo(200);
        assertThat(
                        bed.request("PUT", "/" + bucket + "?acl")
                                .header("x-amz-acl", "public-read")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("AccessControlListNotSupported");
    }

    @Test
    void theOwnerOfAnObjectFollowsFromTheOwnershipAndTheAcl() {
        String his = bucket("ObjectWriter", "public-read-write");
        String full = "bucket-owner-full-control";
        assertThat(put("/" + his + "/a", bed.bob()).status()).isEqualTo(200);
        assertThat(put("/" + his + "/b", bed.bob(), "x-amz-acl", full).status()).isEqualTo(200);
        assertThat(acl("/" + his + "/a", bed.bob())).contains("<Owner><ID>bob</ID>");
        assertThat(acl("/" + his + "/b", bed.bob()))
                .contains("<Owner><ID>bob</ID>")
                .contains(byId("alice", "Alice", "FULL_CONTROL"))
                .contains(byId("bob", "Bob", "FULL_CONTROL"));
        assertThat(bed.get("/" + his).text().split("<Owner><ID>bob</ID>", -1)).hasSize(3);
        assertThat(bed.get("/" + his + "?versions").text()).contains("<Owner><ID>bob</ID>");

        String preferred = bucket("BucketOwnerPreferred", "public-read-write");
        assertThat(put("/" + preferred + "/a", bed.bob()).status()).isEqualTo(200);
        assertThat(put("/" + preferred + "/b", bed.bob(), "x-amz-acl", full).status())
                .isEqualTo(200);
        assertThat(acl("/" + preferred + "/a", bed.bob())).contains("<Owner><ID>bob</ID>");
        assertThat(acl("/" + preferred + "/b", bed.alice())).contains("<Owner><ID>alice</ID>");
        assertThat(code("GET", "/" + preferred + "/b", bed.bob())).isEqualTo("AccessDenied");
    }

    @Test
    void anUploadInPartsHasTheOwnerAndTheAclOfItsBegin() {
        String bucket = bucket("ObjectWriter", "public-read-write");
        String key = "/" + bucket + "/k";
        String begun =
                bed.request("POST", key + "?uploads")
                        .header("x-amz-acl", "public-read")
                        .sendAs(bed.bob())
                        .text();
        String id = begun.replaceAll("(?s).*<UploadId>(.*)</UploadId>.*", "$1");
        assertThat(bed.get("/" + bucket + "?uploads").text())
                .contains("<Owner><ID>bob</ID><DisplayName>Bob</DisplayName></Owner>");
        String part = put(key + "?partNumber=1&uploadId=" + id, bed.bob()).header("etag");
        String complete =
                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                        + part
                        + "</ETag></Part></CompleteMultipartUpload>";
        // The bucket's owner completes it, and owns it no more for that.
        TestResponse completed =
                bed.request("POST", key + "?uploadId=" + id).body(complete).sendAs(bed.alice());
        assertThat(completed.status()).as(completed.text()).isEqualTo(200);
        assertThat(acl(key, bed.bob()))
                .contains("<Owner><ID>bob</ID>")
                .contains(byUri(ALL, "READ"));
        assertThat(anonymous("GET", key)).isEqualTo("200");
        assertThat(bed.get("/" + bucket).text()).contains("<Owner><ID>bob</ID>");
    }

    @Test
    void onlyTheInitiatorAndTheOwnersOfTheBucketAbort() {
        String bucket = bucket("ObjectWriter", "public-read-write");
        String key = "/" + bucket + "/k";
        String upload = key + "?uploadId=" + begin(key, bed.bob());
        assertThat(bed.request("GET", upload).sendAnonymous().code()).isEqualTo("AccessDenied");
        assertThat(bed.request("DELETE", upload).sendAnonymous().code()).isEqualTo("AccessDenied");
        assertThat(code("GET", upload, bed.bob())).isEqualTo("200");
        assertThat(code("GET", upload, bed.alice())).isEqualTo("200");
        String hers = key + "?uploadId=" + begin(key, bed.alice());
        assertThat(code("GET", hers, bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("DELETE", hers, bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("DELETE", upload, bed.bob())).isEqualTo("204");
    }

    private static String begin(String key, TestSigner who) {
        return bed.request("POST", key + "?uploads")
                .sendAs(who)
                .text()
                .replaceAll("(?s).*<UploadId>(.*)</UploadId>.*", "$1");
    }

    @Test
    void whereAclsAreDisabledMeanwhileTheBucketsOwnerOwnsTheUpload() {
        String bucket = bucket("ObjectWriter", "public-read-write");
        String key = "/" + bucket + "/k";
        String id = begin(key, bed.bob());
        String part = put(key + "?partNumber=1&uploadId=" + id, bed.bob()).header("etag");
        putAcl("/" + bucket, bed.alice(), "private");
        own(bucket, "BucketOwnerEnforced");
        TestResponse completed =
                bed.request("POST", key + "?uploadId=" + id)
                        .body(
                                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                        + part
                                        + "</ETag></Part></CompleteMultipartUpload>")
                        .sendAs(bed.alice());
        assertThat(completed.status()).as(completed.text()).isEqualTo(200);
        own(bucket, "ObjectWriter");
        assertThat(acl(key, bed.alice())).contains("<Owner><ID>alice</ID>");
        assertThat(code("GET", key, bed.bob())).isEqualTo("AccessDenied");
    }

    private static void own(String bucket, String ownership) {
        assertThat(
                        bed.request("PUT", "/" + bucket + "?ownershipControls")
                                .body(
                                        "<OwnershipControls><Rule><ObjectOwnership>"
                                                + ownership
                                                + "</ObjectOwnership></Rule></OwnershipControls>")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("200");
    }

    @Test
    void aclsOfObjectsSleepWhereAclsAreDisabled() {
        String bucket = bucket("ObjectWriter", "public-read-write");
        String key = "/" + bucket + "/k";
        assertThat(put(key, bed.bob(), "x-amz-acl", "public-read").status()).isEqualTo(200);
        putAcl("/" + bucket, bed.alice(), "private");
        own(bucket, "BucketOwnerEnforced");
        assertThat(code("GET", key, bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", key, bed.alice())).isEqualTo("200");
        assertThat(acl(key, bed.alice())).contains("<Owner><ID>alice</ID>").doesNotContain("bob");
        assertThat(bed.get("/" + bucket).text()).contains("<Owner><ID>alice</ID>");
        own(bucket, "BucketOwnerPreferred");
        assertThat(code("GET", key, bed.bob())).isEqualTo("200");
        assertThat(code("GET", key, bed.alice())).isEqualTo("200");
        assertThat(acl(key, bed.bob())).contains("<Owner><ID>bob</ID>");
    }
}
