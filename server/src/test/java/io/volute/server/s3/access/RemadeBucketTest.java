package io.volute.server.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.call.S3Call.Body;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.Target;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a decision reaches no other bucket: while the body of each operation arrives, its
 * bucket is deleted, and another user makes one of the same name.
 */
final class RemadeBucketTest extends S3TestCase {
    private static final String KEY = "k";
    private static final String ACL =
            "<AccessControlPolicy><Owner><ID>alice</ID></Owner><AccessControlList>"
                    + "<Grant><Grantee xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
                    + " xsi:type='CanonicalUser'><ID>alice</ID></Grantee>"
                    + "<Permission>FULL_CONTROL</Permission></Grant>"
                    + "</AccessControlList></AccessControlPolicy>";
    private static final Map<S3Call, Sent> SENT = new EnumMap<>(S3Call.class);

    /**
     * A request with a body.
     *
     * @param query behind the address of the bucket or of the key
     */
    private record Sent(String query, String body) {}

    static {
        SENT.put(S3Call.PUT_OBJECT, new Sent("", "of alice"));
        SENT.put(S3Call.UPLOAD_PART, new Sent("?partNumber=1&uploadId=UPLOAD", "of alice"));
        SENT.put(
                S3Call.COMPLETE_MULTIPART_UPLOAD,
                new Sent(
                        "?uploadId=UPLOAD",
                        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
                                + "<ETag>x</ETag></Part></CompleteMultipartUpload>"));
        SENT.put(S3Call.PUT_OBJECT_ACL, new Sent("?acl", ACL));
        SENT.put(
                S3Call.PUT_OBJECT_TAGGING,
                new Sent(
                        "?tagging",
                        "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet>"
                                + "</Tagging>"));
        SENT.put(
                S3Call.PUT_OBJECT_RETENTION,
                new Sent(
                        "?retention",
                        "<Retention><Mode>GOVERNANCE</Mode>"
                                + "<RetainUntilDate>2027-01-01T00:00:00Z</RetainUntilDate>"
                                + "</Retention>"));
        SENT.put(
                S3Call.PUT_OBJECT_LEGAL_HOLD,
                new Sent("?legal-hold", "<LegalHold><Status>ON</Status></LegalHold>"));
        SENT.put(
                S3Call.DELETE_OBJECTS,
                new Sent("?delete", "<Delete><Object><Key>k</Key></Object></Delete>"));
        SENT.put(
                S3Call.PUT_BUCKET_POLICY,
                new Sent(
                        "?policy",
                        "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\","
                                + "\"Principal\":\"*\",\"Action\":\"s3:*\","
                                + "\"Resource\":\"arn:aws:s3:::BUCKET/*\"}]}"));
        SENT.put(
                S3Call.PUT_PUBLIC_ACCESS_BLOCK,
                new Sent(
                        "?publicAccessBlock",
                        "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls>"
                                + "</PublicAccessBlockConfiguration>"));
        SENT.put(S3Call.PUT_BUCKET_ACL, new Sent("?acl", ACL));
        SENT.put(
                S3Call.PUT_BUCKET_VERSIONING,
                new Sent(
                        "?versioning",
                        "<VersioningConfiguration><Status>Enabled</Status>"
                                + "</VersioningConfiguration>"));
        SENT.put(
                S3Call.PUT_OBJECT_LOCK_CONFIGURATION,
                new Sent(
                        "?object-lock",
                        "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>"
                                + "<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days>"
                                + "</DefaultRetention></Rule></ObjectLockConfiguration>"));
        SENT.put(
                S3Call.PUT_BUCKET_TAGGING,
                new Sent(
                        "?tagging",
                        "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet>"
                                + "</Tagging>"));
        SENT.put(
                S3Call.PUT_BUCKET_CORS,
                new Sent(
                        "?cors",
                        "<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod>"
                                + "<AllowedOrigin>*</AllowedOrigin></CORSRule>"
                                + "</CORSConfiguration>"));
        SENT.put(
                S3Call.PUT_BUCKET_LIFECYCLE_CONFIGURATION,
                new Sent(
                        "?lifecycle",
                        "<LifecycleConfiguration><Rule><ID>r</ID><Filter><Prefix/></Filter>"
                                + "<Status>Enabled</Status><Expiration><Days>1</Days></Expiration>"
                                + "</Rule></LifecycleConfiguration>"));
        SENT.put(
                S3Call.PUT_BUCKET_ENCRYPTION,
                new Sent(
                        "?encryption",
                        "<ServerSideEncryptionConfiguration><Rule>"
                                + "<ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256"
                                + "</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule>"
                                + "</ServerSideEncryptionConfiguration>"));
        SENT.put(
                S3Call.PUT_BUCKET_REQUEST_PAYMENT,
                new Sent(
                        "?requestPayment",
                        "<RequestPaymentConfiguration><Payer>BucketOwner</Payer>"
                                + "</RequestPaymentConfiguration>"));
        SENT.put(
                S3Call.PUT_BUCKET_ACCELERATE_CONFIGURATION,
                new Sent(
                        "?accelerate",
                        "<AccelerateConfiguration><Status>Suspended</Status>"
                                + "</AccelerateConfiguration>"));
        SENT.put(
                S3Call.PUT_BUCKET_OWNERSHIP_CONTROLS,
                new Sent(
                        "?ownershipControls",
                        "<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced"
                                + "</ObjectOwnership></Rule></OwnershipControls>"));
        SENT.put(
                S3Call.PUT_BUCKET_NOTIFICATION_CONFIGURATION,
                new Sent(
                        "?notification",
                        "<NotificationConfiguration><QueueConfiguration>"
                                + "<Queue>arn:volute:sqs:us-east-1:hook:webhook</Queue>"
                                + "<Event>s3:ObjectCreated:*</Event></QueueConfiguration>"
                                + "</NotificationConfiguration>"));
        SENT.put(
                S3Call.PUT_BUCKET_REPLICATION,
                new Sent(
                        "?replication",
                        "<ReplicationConfiguration><Role>arn:aws:iam::000000000000:role/r</Role>"
                                + "<Rule><ID>r</ID><Status>Enabled</Status><Priority>1</Priority>"
                                + "<Filter><Prefix/></Filter><DeleteMarkerReplication>"
                                + "<Status>Disabled</Status></DeleteMarkerReplication>"
                                + "<Destination><Bucket>arn:volute:replication::far:copy</Bucket>"
                                + "</Destination></Rule></ReplicationConfiguration>"));
        SENT.put(S3Call.PUT_BUCKET_LOGGING, new Sent("?logging", "<BucketLoggingStatus/>"));
    }

    /** The operations on buckets with Object Lock, or with versioning. */
    private static final Set<S3Call> LOCKING =
            Set.of(
                    S3Call.PUT_OBJECT_RETENTION,
                    S3Call.PUT_OBJECT_LEGAL_HOLD,
                    S3Call.PUT_OBJECT_LOCK_CONFIGURATION,
                    S3Call.PUT_BUCKET_REPLICATION);

    private static final Set<S3Call> WITH_ACLS =
            Set.of(S3Call.PUT_OBJECT_ACL, S3Call.PUT_BUCKET_ACL);

    private static List<S3Call> withBody() {
        return Arrays.stream(S3Call.values()).filter(call -> call.body() != Body.NONE).toList();
    }

    @Test
    void everyOperationWithABodyIsTried() {
        Set<S3Call> all = withBody().stream().collect(Collectors.toSet());
        all.remove(S3Call.CREATE_BUCKET);
        assertThat(SENT.keySet()).isEqualTo(all);
    }

    /** A body whose first byte arrives after something happened. */
    private static final class Late implements RequestBody {
        private final TestBody body;
        private final Runnable before;
        private boolean isRead;

        Late(String text, Runnable before) {
            this.body = new TestBody(text.getBytes(StandardCharsets.UTF_8), 4096);
            this.before = before;
        }

        @Override
        public boolean next() {
            if (!isRead) {
                isRead = true;
                before.run();
            }
            return body.next();
        }

        @Override
        public ByteBuffer buffer() {
            return body.buffer();
        }
    }

    private static List<S3Call> tried() {
        return List.copyOf(SENT.keySet());
    }

    @ParameterizedTest
    @MethodSource("tried")
    void theNextBucketOfTheNameIsAnotherOne(S3Call call) throws Exception {
        boolean isLocking = LOCKING.contains(call);
        boolean hasAcls = WITH_ACLS.contains(call);
        String bucket = make(bed.freshName(), bed.alice(), isLocking, hasAcls);
        Sent sent = SENT.get(call);
        String upload = upload(bucket);
        Map<String, BucketInfo> made = new HashMap<>();
        Runnable remaking =
                () -> {
                    remove(bucket);
                    make(bucket, bed.bob(), isLocking, hasAcls);
                    made.put(bucket, bed.store().bucket(new BucketName(bucket)).orElseThrow());
                };
        TestResponse answer =
                request(call, bucket, sent, upload)
                        .body(new Late(sent.body().replace("BUCKET", bucket), remaking))
                        .sendAs(bed.alice());

        assertThat(made).as("the body was read: %s", answer.text()).hasSize(1);
        assertThat(answer.code()).isIn("NoSuchBucket", "NoSuchUpload");
        assertThat(bed.store().bucket(new BucketName(bucket))).contains(made.get(bucket));
        TestResponse object = bed.request("GET", "/" + bucket + "/" + KEY).sendAs(bed.bob());
        assertThat(object.text()).isEqualTo("of bob");
        assertThat(versions(bucket)).hasSize(1);
        ObjectVersion version = versions(bucket).getFirst();
        assertThat(version.attributes().tags()).isEmpty();
        assertThat(version.attributes().lock()).isEqualTo(ObjectLock.NONE);
    }

    /** The same requests, to show that they would change something. */
    @ParameterizedTest
    @MethodSource("tried")
    void theRequestsAreTaken(S3Call call) throws Exception {
        boolean isLocking = LOCKING.contains(call);
        boolean hasAcls = WITH_ACLS.contains(call);
        String bucket = make(bed.freshName(), bed.alice(), isLocking, hasAcls);
        Sent sent = SENT.get(call);
        String upload = upload(bucket);
        String text = sent.body().replace("BUCKET", bucket);
        TestResponse answer =
                request(call, bucket, sent, upload)
                        .body(new Late(text, () -> {}))
                        .sendAs(bed.alice());
        assertThat(answer.code())
                .as(answer.text())
                .isIn(
                        switch (call) {
                            case COMPLETE_MULTIPART_UPLOAD -> List.of("InvalidPart");
                            default -> List.of("200", "204");
                        });
    }

    @Test
    void whoNeedsNoSignatureIsHeldToTheBucketAsWell() throws Exception {
        String bucket = make(bed.freshName(), bed.alice(), false, false);
        String policy = SENT.get(S3Call.PUT_BUCKET_POLICY).body().replace("BUCKET", bucket);
        bed.request("PUT", "/" + bucket + "?policy").body(policy).sendAs(bed.alice());
        TestResponse answer =
                bed.request("PUT", "/" + bucket + "/" + KEY)
                        .contentLength(8)
                        .body(
                                new Late(
                                        "of eve..",
                                        () -> {
                                            remove(bucket);
                                            make(bucket, bed.bob(), false, false);
                                        }))
                        .sendAnonymous();
        assertThat(answer.code()).isEqualTo("NoSuchBucket");
        TestResponse object = bed.request("GET", "/" + bucket + "/" + KEY).sendAs(bed.bob());
        assertThat(object.text()).isEqualTo("of bob");
    }

    private static TestRequest request(S3Call call, String bucket, Sent sent, String upload)
            throws Exception {
        String key = call.level() == Target.Level.OBJECT ? "/k" : "";
        String text = sent.body().replace("BUCKET", bucket);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bed.request(
                        call.method(), "/" + bucket + key + sent.query().replace("UPLOAD", upload))
                .header("content-md5", Base64.getEncoder().encodeToString(TestSigner.md5(bytes)))
                .header("x-amz-content-sha256", TestSigner.sha256(bytes))
                .contentLength(bytes.length);
    }

    /** Makes a bucket with an object. */
    private static String make(String name, TestSigner owner, boolean isLocking, boolean hasAcls) {
        TestRequest create = bed.request("PUT", "/" + name);
        if (isLocking) {
            create.header("x-amz-bucket-object-lock-enabled", "true");
        }
        if (hasAcls) {
            create.header("x-amz-object-ownership", "ObjectWriter");
        }
        assertThat(create.sendAs(owner).code()).isEqualTo("200");
        String content = owner.credential().startsWith("BOB") ? "of bob" : "before";
        assertThat(bed.request("PUT", "/" + name + "/" + KEY).body(content).sendAs(owner).code())
                .isEqualTo("200");
        return name;
    }

    private static String upload(String bucket) {
        return bed.request("POST", "/" + bucket + "/" + KEY + "?uploads")
                .sendAs(bed.alice())
                .xml("InitiateMultipartUploadResult")
                .childText("UploadId")
                .orElseThrow();
    }

    private static List<ObjectVersion> versions(String bucket) throws IOException {
        Caller task = Caller.ofTask("root", "test");
        BucketName name = new BucketName(bucket);
        return bed
                .store()
                .listVersions(task, name, new VersionQuery("", "", "", Optional.empty(), 9))
                .versions()
                .stream()
                .map(each -> head(name, each))
                .toList();
    }

    private static ObjectVersion head(BucketName bucket, ObjectVersion listed) {
        try {
            return bed.store()
                    .head(
                            Caller.ofTask("root", "test"),
                            bucket,
                            listed.key(),
                            VersionSelector.LATEST)
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(String bucket) {
        Caller task = Caller.ofTask("root", "test");
        BucketName name = new BucketName(bucket);
        try {
            for (ObjectVersion each :
                    bed.store()
                            .listVersions(
                                    task, name, new VersionQuery("", "", "", Optional.empty(), 9))
                            .versions()) {
                VersionSelector selector =
                        each.nullVersion()
                                ? VersionSelector.NULL
                                : new VersionSelector.Numbered(each.number());
                bed.store()
                        .delete(
                                task,
                                name,
                                new DeleteTarget(
                                        new ObjectKey(KEY), selector, WriteCondition.NONE, true));
            }
            bed.store().deleteBucket(task, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
