package io.volute.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** A running server with a client, and the few calls that nearly every test makes. */
public record Store(URI endpoint, S3Client s3) {
    private static final AtomicInteger BUCKETS = new AtomicInteger();
    private static final String RUN = Long.toString(ProcessHandle.current().pid(), 36);

    /** A new bucket of a name that no other test uses. */
    public String bucket() {
        String name = "bucket-" + RUN + "-" + BUCKETS.incrementAndGet();
        create(name);
        return name;
    }

    public String versionedBucket() {
        String name = bucket();
        versioning(name, BucketVersioningStatus.ENABLED);
        return name;
    }

    public void create(String bucket) {
        s3.createBucket(create -> create.bucket(bucket));
    }

    public void createVersioned(String bucket) {
        create(bucket);
        versioning(bucket, BucketVersioningStatus.ENABLED);
    }

    public void versioning(String bucket, BucketVersioningStatus status) {
        s3.putBucketVersioning(
                put -> put.bucket(bucket).versioningConfiguration(to -> to.status(status)));
    }

    public PutObjectResponse put(String bucket, String key, byte[] body) {
        return s3.putObject(put -> put.bucket(bucket).key(key), RequestBody.fromBytes(body));
    }

    public PutObjectResponse put(String bucket, String key, String body) {
        return s3.putObject(put -> put.bucket(bucket).key(key), RequestBody.fromString(body));
    }

    /** Puts into {@code bucket}, with a header of Volute's own. */
    public static void put(S3Client s3, String key, String body, String header, String value) {
        s3.putObject(
                put ->
                        put.bucket("bucket")
                                .key(key)
                                .overrideConfiguration(with -> with.putHeader(header, value)),
                RequestBody.fromString(body));
    }

    public byte[] get(String bucket, String key) {
        return s3.getObjectAsBytes(get -> get.bucket(bucket).key(key)).asByteArray();
    }

    public String text(String bucket, String key) {
        return s3.getObjectAsBytes(get -> get.bucket(bucket).key(key)).asUtf8String();
    }

    public ResponseBytes<GetObjectResponse> version(String bucket, String key, String version) {
        return s3.getObjectAsBytes(get -> get.bucket(bucket).key(key).versionId(version));
    }

    /** Expects S3's refusal, and returns it. */
    public static S3Exception refused(int status, String code, ThrowingCallable call) {
        S3Exception refusal = catchThrowableOfType(S3Exception.class, call);
        assertThat(refusal).as("expected %s %s", status, code).isNotNull();
        assertThat(refusal.statusCode()).as(refusal.getMessage()).isEqualTo(status);
        if (!code.isEmpty()) {
            assertThat(refusal.awsErrorDetails().errorCode())
                    .as(refusal.getMessage())
                    .isEqualTo(code);
        }
        return refusal;
    }
}
