package io.volute.server.auth.policy;

/** What a request wants to do, by the name policies use (Service Authorization Reference, S3). */
public enum Action {
    LIST_ALL_MY_BUCKETS("s3:ListAllMyBuckets"),
    CREATE_BUCKET("s3:CreateBucket"),
    DELETE_BUCKET("s3:DeleteBucket"),
    LIST_BUCKET("s3:ListBucket"),
    LIST_BUCKET_VERSIONS("s3:ListBucketVersions"),
    LIST_BUCKET_MULTIPART_UPLOADS("s3:ListBucketMultipartUploads"),
    GET_BUCKET_LOCATION("s3:GetBucketLocation"),
    GET_BUCKET_VERSIONING("s3:GetBucketVersioning"),
    PUT_BUCKET_VERSIONING("s3:PutBucketVersioning"),
    GET_BUCKET_CONFIGURATION("s3:GetBucketConfiguration"),
    PUT_BUCKET_CONFIGURATION("s3:PutBucketConfiguration"),
    GET_OBJECT("s3:GetObject"),
    GET_OBJECT_ATTRIBUTES("s3:GetObjectAttributes"),
    GET_OBJECT_ACL("s3:GetObjectAcl"),
    PUT_OBJECT_ACL("s3:PutObjectAcl"),
    PUT_OBJECT("s3:PutObject"),
    DELETE_OBJECT("s3:DeleteObject"),
    GET_OBJECT_TAGGING("s3:GetObjectTagging"),
    PUT_OBJECT_TAGGING("s3:PutObjectTagging"),
    DELETE_OBJECT_TAGGING("s3:DeleteObjectTagging"),
    ABORT_MULTIPART_UPLOAD("s3:AbortMultipartUpload"),
    LIST_MULTIPART_UPLOAD_PARTS("s3:ListMultipartUploadParts");

    private final String policyName;

    Action(String policyName) {
        this.policyName = policyName;
    }

    public String policyName() {
        return policyName;
    }
}
