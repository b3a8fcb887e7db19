package io.volute.server.s3;

import io.volute.server.s3.operation.AbortMultipartUpload;
import io.volute.server.s3.operation.AccessControl;
import io.volute.server.s3.operation.BucketPolicy;
import io.volute.server.s3.operation.CompleteMultipartUpload;
import io.volute.server.s3.operation.CopyObject;
import io.volute.server.s3.operation.CreateBucket;
import io.volute.server.s3.operation.CreateMultipartUpload;
import io.volute.server.s3.operation.DeleteBucket;
import io.volute.server.s3.operation.DeleteObject;
import io.volute.server.s3.operation.DeleteObjects;
import io.volute.server.s3.operation.GetBucketLocation;
import io.volute.server.s3.operation.GetBucketVersioning;
import io.volute.server.s3.operation.GetObject;
import io.volute.server.s3.operation.GetObjectAttributes;
import io.volute.server.s3.operation.HeadBucket;
import io.volute.server.s3.operation.HeadObject;
import io.volute.server.s3.operation.ListBuckets;
import io.volute.server.s3.operation.ListMultipartUploads;
import io.volute.server.s3.operation.ListObjectVersions;
import io.volute.server.s3.operation.ListObjects;
import io.volute.server.s3.operation.ListObjectsV2;
import io.volute.server.s3.operation.ListParts;
import io.volute.server.s3.operation.ObjectLocking;
import io.volute.server.s3.operation.ObjectTagging;
import io.volute.server.s3.operation.Operation;
import io.volute.server.s3.operation.PutBucketVersioning;
import io.volute.server.s3.operation.PutObject;
import io.volute.server.s3.operation.S3Call;
import io.volute.server.s3.operation.UnsetConfiguration;
import io.volute.server.s3.operation.UploadPart;
import io.volute.server.s3.operation.UploadPartCopy;
import io.volute.versioning.ObjectStore;
import java.util.EnumMap;
import java.util.Map;

/** The operation behind each call. */
final class Operations {
    private Operations() {}

    static Map<S3Call, Operation> over(ObjectStore store, S3Settings settings) {
        Map<S3Call, Operation> operations = new EnumMap<>(S3Call.class);
        for (S3Call call : S3Call.values()) {
            operations.put(call, of(call, store, settings));
        }
        return operations;
    }

    /** Creates one operation, for a store that serves a single request. */
    static Operation of(S3Call call, ObjectStore store, S3Settings settings) {
        return switch (call) {
            case LIST_BUCKETS -> new ListBuckets(store);
            case CREATE_BUCKET -> new CreateBucket(store, settings.bucketsOfUserMax());
            case HEAD_BUCKET -> new HeadBucket();
            case DELETE_BUCKET -> new DeleteBucket(store);
            case GET_BUCKET_LOCATION -> new GetBucketLocation();
            case GET_BUCKET_VERSIONING -> new GetBucketVersioning();
            case PUT_BUCKET_VERSIONING -> new PutBucketVersioning(store);
            case GET_BUCKET_ACL -> AccessControl::ofBucket;
            case PUT_BUCKET_ACL -> AccessControl::setOfBucket;
            case GET_BUCKET_OWNERSHIP_CONTROLS -> AccessControl::ownership;
            case GET_BUCKET_POLICY -> BucketPolicy::get;
            case PUT_BUCKET_POLICY -> request -> BucketPolicy.put(request, store);
            case DELETE_BUCKET_POLICY -> request -> BucketPolicy.delete(request, store);
            case GET_BUCKET_POLICY_STATUS -> BucketPolicy::status;
            case GET_PUBLIC_ACCESS_BLOCK -> BucketPolicy::getBlock;
            case PUT_PUBLIC_ACCESS_BLOCK -> request -> BucketPolicy.putBlock(request, store);
            case DELETE_PUBLIC_ACCESS_BLOCK -> request -> BucketPolicy.deleteBlock(request, store);
            case GET_OBJECT_LOCK_CONFIGURATION -> ObjectLocking::configuration;
            case PUT_OBJECT_LOCK_CONFIGURATION ->
                    request -> ObjectLocking.configure(request, store);
            case LIST_OBJECTS -> new ListObjects(store);
            case LIST_OBJECTS_V2 -> new ListObjectsV2(store);
            case LIST_OBJECT_VERSIONS -> new ListObjectVersions(store);
            case LIST_MULTIPART_UPLOADS -> new ListMultipartUploads(store);
            case DELETE_OBJECTS -> new DeleteObjects(store);
            case PUT_OBJECT -> new PutObject(store);
            case COPY_OBJECT -> new CopyObject(store);
            case GET_OBJECT -> new GetObject(store);
            case HEAD_OBJECT -> new HeadObject(store);
            case DELETE_OBJECT -> new DeleteObject(store);
            case GET_OBJECT_ATTRIBUTES -> new GetObjectAttributes(store);
            case GET_OBJECT_ACL -> request -> AccessControl.ofObject(request, store);
            case PUT_OBJECT_ACL -> request -> AccessControl.setOfObject(request, store);
            case GET_OBJECT_TAGGING -> new ObjectTagging.Get(store);
            case PUT_OBJECT_TAGGING -> new ObjectTagging.Put(store);
            case DELETE_OBJECT_TAGGING -> new ObjectTagging.Delete(store);
            case GET_OBJECT_RETENTION -> request -> ObjectLocking.retention(request, store);
            case PUT_OBJECT_RETENTION -> request -> ObjectLocking.retain(request, store);
            case GET_OBJECT_LEGAL_HOLD -> request -> ObjectLocking.legalHold(request, store);
            case PUT_OBJECT_LEGAL_HOLD -> request -> ObjectLocking.hold(request, store);
            case CREATE_MULTIPART_UPLOAD -> new CreateMultipartUpload(store);
            case UPLOAD_PART -> new UploadPart(store);
            case UPLOAD_PART_COPY -> new UploadPartCopy(store);
            case COMPLETE_MULTIPART_UPLOAD -> new CompleteMultipartUpload(store);
            case ABORT_MULTIPART_UPLOAD -> new AbortMultipartUpload(store);
            case LIST_PARTS -> new ListParts(store);
            case GET_UNSET_CONFIGURATION -> UnsetConfiguration::read;
            case DELETE_UNSET_CONFIGURATION -> UnsetConfiguration::delete;
        };
    }
}
