package io.volute.server.s3;

import static io.volute.versioning.value.BucketDocument.ACCELERATE;
import static io.volute.versioning.value.BucketDocument.CORS;
import static io.volute.versioning.value.BucketDocument.ENCRYPTION;
import static io.volute.versioning.value.BucketDocument.LIFECYCLE;
import static io.volute.versioning.value.BucketDocument.LOGGING;
import static io.volute.versioning.value.BucketDocument.NOTIFICATION;
import static io.volute.versioning.value.BucketDocument.REPLICATION;
import static io.volute.versioning.value.BucketDocument.REQUEST_PAYMENT;
import static io.volute.versioning.value.BucketDocument.TAGGING;

import io.volute.server.s3.bucket.BucketDocuments;
import io.volute.server.s3.bucket.BucketPolicy;
import io.volute.server.s3.bucket.CreateBucket;
import io.volute.server.s3.bucket.DeleteBucket;
import io.volute.server.s3.bucket.GetBucketLocation;
import io.volute.server.s3.bucket.GetBucketVersioning;
import io.volute.server.s3.bucket.HeadBucket;
import io.volute.server.s3.bucket.ListBuckets;
import io.volute.server.s3.bucket.ListObjectVersions;
import io.volute.server.s3.bucket.ListObjects;
import io.volute.server.s3.bucket.ListObjectsV2;
import io.volute.server.s3.bucket.PutBucketVersioning;
import io.volute.server.s3.bucket.UnsetConfiguration;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.notification.ListenNotification;
import io.volute.server.s3.object.AccessControl;
import io.volute.server.s3.object.CopyObject;
import io.volute.server.s3.object.DeleteObject;
import io.volute.server.s3.object.DeleteObjects;
import io.volute.server.s3.object.GetObject;
import io.volute.server.s3.object.GetObjectAttributes;
import io.volute.server.s3.object.HeadObject;
import io.volute.server.s3.object.ObjectLocking;
import io.volute.server.s3.object.ObjectTagging;
import io.volute.server.s3.object.PutObject;
import io.volute.server.s3.upload.AbortMultipartUpload;
import io.volute.server.s3.upload.CompleteMultipartUpload;
import io.volute.server.s3.upload.CreateMultipartUpload;
import io.volute.server.s3.upload.ListMultipartUploads;
import io.volute.server.s3.upload.ListParts;
import io.volute.server.s3.upload.UploadPart;
import io.volute.server.s3.upload.UploadPartCopy;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.VersionedStore;
import java.util.EnumMap;
import java.util.Map;

/** The operation behind each call. */
final class Operations {
    private Operations() {}

    static Map<S3Call, Operation> over(VersionedStore store, S3Settings settings) {
        Map<S3Call, Operation> operations = new EnumMap<>(S3Call.class);
        for (S3Call call : S3Call.values()) {
            operations.put(call, of(call, store, settings));
        }
        return operations;
    }

    private static Operation of(S3Call call, VersionedStore store, S3Settings settings) {
        Encryption encryption = settings.encryption();
        return switch (call) {
            case CREATE_BUCKET ->
                    new CreateBucket(store, settings.ownership(), settings.bucketsOfUserMax());
            case DELETE_BUCKET -> new DeleteBucket(store);
            case PUT_BUCKET_VERSIONING -> new PutBucketVersioning(store);
            case PUT_BUCKET_ACL -> request -> AccessControl.setOfBucket(request, store);
            case PUT_BUCKET_POLICY -> request -> BucketPolicy.put(request, store);
            case DELETE_BUCKET_POLICY -> request -> BucketPolicy.delete(request, store);
            case PUT_PUBLIC_ACCESS_BLOCK -> request -> BucketPolicy.putBlock(request, store);
            case DELETE_PUBLIC_ACCESS_BLOCK -> request -> BucketPolicy.deleteBlock(request, store);
            case PUT_BUCKET_CORS -> request -> BucketDocuments.put(request, store, CORS);
            case DELETE_BUCKET_CORS -> request -> BucketDocuments.delete(request, store, CORS);
            case PUT_BUCKET_TAGGING -> request -> BucketDocuments.put(request, store, TAGGING);
            case DELETE_BUCKET_TAGGING ->
                    request -> BucketDocuments.delete(request, store, TAGGING);
            case PUT_BUCKET_LIFECYCLE_CONFIGURATION ->
                    request -> BucketDocuments.put(request, store, LIFECYCLE);
            case DELETE_BUCKET_LIFECYCLE ->
                    request -> BucketDocuments.delete(request, store, LIFECYCLE);
            case PUT_BUCKET_ENCRYPTION ->
                    request -> BucketDocuments.putEncryption(request, store, encryption);
            case DELETE_BUCKET_ENCRYPTION ->
                    request -> BucketDocuments.delete(request, store, ENCRYPTION);
            case PUT_BUCKET_REQUEST_PAYMENT ->
                    request -> BucketDocuments.put(request, store, REQUEST_PAYMENT);
            case PUT_BUCKET_ACCELERATE_CONFIGURATION ->
                    request -> BucketDocuments.put(request, store, ACCELERATE);
            case PUT_BUCKET_OWNERSHIP_CONTROLS ->
                    request -> AccessControl.setOwnership(request, store);
            case DELETE_BUCKET_OWNERSHIP_CONTROLS ->
                    request -> AccessControl.deleteOwnership(request, store);
            case PUT_BUCKET_NOTIFICATION_CONFIGURATION ->
                    request ->
                            BucketDocuments.putNotification(
                                    request, store, settings.events().targets());
            case PUT_BUCKET_REPLICATION ->
                    request ->
                            BucketDocuments.putReplication(
                                    request, store, settings.events().replicas());
            case DELETE_BUCKET_REPLICATION ->
                    request -> BucketDocuments.delete(request, store, REPLICATION);
            case LISTEN_NOTIFICATION, LISTEN_BUCKET_NOTIFICATION ->
                    new ListenNotification(settings.events().streams(), settings.clock());
            case PUT_BUCKET_LOGGING -> request -> BucketDocuments.putLogging(request, store);
            case PUT_OBJECT_LOCK_CONFIGURATION ->
                    request -> ObjectLocking.configure(request, store);
            case LIST_BUCKETS -> new ListBuckets(store, settings.listsReadable());
            case DELETE_OBJECTS -> new DeleteObjects(store);
            case PUT_OBJECT -> new PutObject(store, encryption);
            case COPY_OBJECT -> new CopyObject(store, encryption);
            case DELETE_OBJECT -> new DeleteObject(store);
            case PUT_OBJECT_ACL -> request -> AccessControl.setOfObject(request, store);
            case PUT_OBJECT_TAGGING -> new ObjectTagging.Put(store);
            case DELETE_OBJECT_TAGGING -> new ObjectTagging.Delete(store);
            case PUT_OBJECT_RETENTION -> request -> ObjectLocking.retain(request, store);
            case PUT_OBJECT_LEGAL_HOLD -> request -> ObjectLocking.hold(request, store);
            case CREATE_MULTIPART_UPLOAD -> new CreateMultipartUpload(store, encryption);
            case UPLOAD_PART -> new UploadPart(store, encryption);
            case UPLOAD_PART_COPY -> new UploadPartCopy(store, encryption);
            case COMPLETE_MULTIPART_UPLOAD -> new CompleteMultipartUpload(store, encryption);
            case ABORT_MULTIPART_UPLOAD -> new AbortMultipartUpload(store);
            case DELETE_UNSET_CONFIGURATION -> UnsetConfiguration::delete;
            default -> reading(call, store, encryption);
        };
    }

    /**
     * Creates an operation that reads, also for a store of the past that serves a single request.
     *
     * @throws IllegalArgumentException if the call changes something
     */
    static Operation reading(S3Call call, ObjectReader store, Encryption encryption) {
        return switch (call) {
            case LIST_BUCKETS -> new ListBuckets(store, false);
            case HEAD_BUCKET -> new HeadBucket(store);
            case GET_BUCKET_LOCATION -> new GetBucketLocation();
            case GET_BUCKET_VERSIONING -> new GetBucketVersioning();
            case GET_BUCKET_ACL -> AccessControl::ofBucket;
            case GET_BUCKET_OWNERSHIP_CONTROLS -> AccessControl::ownership;
            case GET_BUCKET_POLICY -> BucketPolicy::get;
            case GET_BUCKET_POLICY_STATUS -> BucketPolicy::status;
            case GET_PUBLIC_ACCESS_BLOCK -> BucketPolicy::getBlock;
            case GET_OBJECT_LOCK_CONFIGURATION -> ObjectLocking::configuration;
            case GET_BUCKET_CORS -> request -> BucketDocuments.get(request, CORS);
            case GET_BUCKET_TAGGING -> request -> BucketDocuments.get(request, TAGGING);
            case GET_BUCKET_LIFECYCLE_CONFIGURATION ->
                    request -> BucketDocuments.get(request, LIFECYCLE);
            case GET_BUCKET_ENCRYPTION -> request -> BucketDocuments.get(request, ENCRYPTION);
            case GET_BUCKET_REQUEST_PAYMENT ->
                    request -> BucketDocuments.get(request, REQUEST_PAYMENT);
            case GET_BUCKET_ACCELERATE_CONFIGURATION ->
                    request -> BucketDocuments.get(request, ACCELERATE);
            case GET_BUCKET_LOGGING -> request -> BucketDocuments.get(request, LOGGING);
            case GET_BUCKET_NOTIFICATION_CONFIGURATION ->
                    request -> BucketDocuments.get(request, NOTIFICATION);
            case GET_BUCKET_REPLICATION -> request -> BucketDocuments.get(request, REPLICATION);
            case LIST_OBJECTS -> new ListObjects(store);
            case LIST_OBJECTS_V2 -> new ListObjectsV2(store);
            case LIST_OBJECT_VERSIONS -> new ListObjectVersions(store);
            case LIST_MULTIPART_UPLOADS -> new ListMultipartUploads(store);
            case GET_OBJECT -> new GetObject(store, encryption);
            case HEAD_OBJECT -> new HeadObject(store, encryption);
            case GET_OBJECT_ATTRIBUTES -> new GetObjectAttributes(store, encryption);
            case GET_OBJECT_ACL -> request -> AccessControl.ofObject(request, store);
            case GET_OBJECT_TAGGING -> new ObjectTagging.Get(store);
            case GET_OBJECT_RETENTION -> request -> ObjectLocking.retention(request, store);
            case GET_OBJECT_LEGAL_HOLD -> request -> ObjectLocking.legalHold(request, store);
            case LIST_PARTS -> new ListParts(store);
            case GET_UNSET_CONFIGURATION -> UnsetConfiguration::read;
            default -> throw new IllegalArgumentException(call + " changes the store");
        };
    }
}
