package io.volute.system.s3;

import static io.volute.system.Store.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Bucket;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.GetObjectAclResponse;
import software.amazon.awssdk.services.s3.model.ListBucketsResponse;
import software.amazon.awssdk.services.s3.model.ObjectOwnership;
import software.amazon.awssdk.services.s3.model.OwnershipControlsRule;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.ServerSideEncryptionRule;

@ExtendWith(SharedServer.class)
class BucketIT {
    private final Store store;
    private final S3Client s3;

    BucketIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    @Test
    void isListedFromCreationToDeletion() {
        String bucket = store.bucket();
        assertThat(names()).contains(bucket);
        assertThat(s3.headBucket(head -> head.bucket(bucket)).bucketRegion())
                .isEqualTo("us-east-1");
        s3.deleteBucket(delete -> delete.bucket(bucket));
        assertThat(names()).doesNotContain(bucket);
        refused(404, "", () -> s3.headBucket(head -> head.bucket(bucket)));
        refused(404, "NoSuchBucket", () -> s3.deleteBucket(delete -> delete.bucket(bucket)));
    }

    private List<String> names() {
        return s3.listBuckets().buckets().stream().map(Bucket::name).toList();
    }

    @Test
    void createdAgainByItsOwnerKeepsItsObjects() {
        String bucket = store.bucket();
        store.put(bucket, "key", "kept");
        try {
            s3.createBucket(create -> create.bucket(bucket));
        } catch (S3Exception e) {
            // us-east-1 answers 200, every other region of Amazon's this error.
            assertThat(e.awsErrorDetails().errorCode()).isEqualTo("BucketAlreadyOwnedByYou");
        }
        assertThat(store.text(bucket, "key")).isEqualTo("kept");
    }

    @Test
    void withAnObjectOrAnOldVersionIsNotDeleted() {
        String bucket = store.versionedBucket();
        String version = store.put(bucket, "key", "body").versionId();
        String marker = s3.deleteObject(delete -> delete.bucket(bucket).key("key")).versionId();
        refused(409, "BucketNotEmpty", () -> s3.deleteBucket(delete -> delete.bucket(bucket)));
        s3.deleteObject(delete -> delete.bucket(bucket).key("key").versionId(version));
        refused(409, "BucketNotEmpty", () -> s3.deleteBucket(delete -> delete.bucket(bucket)));
        s3.deleteObject(delete -> delete.bucket(bucket).key("key").versionId(marker));
        s3.deleteBucket(delete -> delete.bucket(bucket));
    }

    @Test
    void saysWhereItIs() {
        String bucket = store.bucket();
        assertThat(s3.getBucketLocation(get -> get.bucket(bucket)).locationConstraintAsString())
                .isNullOrEmpty();
        refused(
                404,
                "NoSuchBucket",
                () -> s3.getBucketLocation(get -> get.bucket("no-such-bucket-here")));
    }

    @Test
    void versioningIsOffUntilEnabledAndNeverUnsetAgain() {
        String bucket = store.bucket();
        assertThat(s3.getBucketVersioning(get -> get.bucket(bucket)).status()).isNull();
        store.versioning(bucket, BucketVersioningStatus.ENABLED);
        assertThat(s3.getBucketVersioning(get -> get.bucket(bucket)).status())
                .isEqualTo(BucketVersioningStatus.ENABLED);
        store.versioning(bucket, BucketVersioningStatus.SUSPENDED);
        assertThat(s3.getBucketVersioning(get -> get.bucket(bucket)).status())
                .isEqualTo(BucketVersioningStatus.SUSPENDED);
    }

    @Test
    void isListedByPageAndByRegion() {
        String first = store.bucket();
        String second = first + "-b";
        s3.createBucket(create -> create.bucket(second));
        ListBucketsResponse page = s3.listBuckets(list -> list.prefix(first).maxBuckets(1));
        assertThat(page.buckets()).extracting(Bucket::name).containsExactly(first);
        ListBucketsResponse rest =
                s3.listBuckets(
                        list ->
                                list.prefix(first)
                                        .maxBuckets(1)
                                        .continuationToken(page.continuationToken()));
        assertThat(rest.buckets()).extracting(Bucket::name).containsExactly(second);
        assertThat(rest.continuationToken()).isNull();
        assertThat(s3.listBuckets(list -> list.bucketRegion("eu-west-1")).buckets()).isEmpty();
        assertThat(s3.listBuckets(list -> list.prefix(first).bucketRegion("us-east-1")).buckets())
                .hasSize(2);
    }

    @Test
    void listsOfRightsAreDisabled() {
        String bucket = store.bucket();
        store.put(bucket, "key", "body");
        refused(
                400,
                "InvalidBucketAclWithObjectOwnership",
                () -> s3.createBucket(to -> to.bucket(bucket + "-open").acl("public-read")));
        refused(
                400,
                "AccessControlListNotSupported",
                () -> s3.putBucketAcl(put -> put.bucket(bucket).acl("public-read")));
        refused(
                400,
                "AccessControlListNotSupported",
                () -> s3.putObjectAcl(put -> put.bucket(bucket).key("key").acl("public-read")));
        s3.putBucketAcl(put -> put.bucket(bucket).acl("private"));
        s3.putObjectAcl(put -> put.bucket(bucket).key("key").acl("private"));
        // A client can write back the ACL that it read.
        GetObjectAclResponse acl = s3.getObjectAcl(get -> get.bucket(bucket).key("key"));
        s3.putObjectAcl(
                put ->
                        put.bucket(bucket)
                                .key("key")
                                .accessControlPolicy(
                                        to -> to.owner(acl.owner()).grants(acl.grants())));
        assertThat(
                        s3.getBucketOwnershipControls(get -> get.bucket(bucket))
                                .ownershipControls()
                                .rules())
                .extracting(OwnershipControlsRule::objectOwnership)
                .containsExactly(ObjectOwnership.BUCKET_OWNER_ENFORCED);
    }

    @Test
    void whatIsNotBuiltSaysSo() {
        String bucket = store.bucket();
        store.put(bucket, "key", "body");
        // For a setting that was never made, S3 returns an error. This server refuses to make the
        // setting.
        refused(
                404,
                "ServerSideEncryptionConfigurationNotFoundError",
                () -> s3.getBucketEncryption(get -> get.bucket(bucket)));
        ServerSideEncryptionRule rule =
                ServerSideEncryptionRule.builder()
                        .applyServerSideEncryptionByDefault(to -> to.sseAlgorithm("aws:kms:dsse"))
                        .build();
        refused(
                501,
                "NotImplemented",
                () ->
                        s3.putBucketEncryption(
                                put ->
                                        put.bucket(bucket)
                                                .serverSideEncryptionConfiguration(
                                                        to -> to.rules(rule))));
        refused(
                501,
                "NotImplemented",
                () ->
                        s3.restoreObject(
                                restore ->
                                        restore.bucket(bucket)
                                                .key("key")
                                                .restoreRequest(to -> to.days(1))));
        assertThat(store.text(bucket, "key")).isEqualTo("body");
    }
}
