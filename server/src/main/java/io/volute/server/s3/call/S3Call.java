package io.volute.server.s3.call;

import static io.volute.server.s3.request.Target.Level.BUCKET;
import static io.volute.server.s3.request.Target.Level.OBJECT;
import static io.volute.server.s3.request.Target.Level.SERVICE;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Action;
import io.volute.server.auth.sigv4.PayloadMode;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.s3.request.Target.Level;

/** The operations of S3 that are built, with what selects them: the routing table. */
public enum S3Call {
    LIST_BUCKETS(SERVICE, "GET", "", Action.LIST_ALL_MY_BUCKETS, Body.NONE),
    LISTEN_NOTIFICATION(SERVICE, "GET", "events", Action.LISTEN_NOTIFICATION, Body.NONE),

    CREATE_BUCKET(BUCKET, "PUT", "", Action.CREATE_BUCKET, Body.DOCUMENT),
    HEAD_BUCKET(BUCKET, "HEAD", "", Action.LIST_BUCKET, Body.NONE),
    DELETE_BUCKET(BUCKET, "DELETE", "", Action.DELETE_BUCKET, Body.NONE),
    GET_BUCKET_LOCATION(BUCKET, "GET", "location", Action.GET_BUCKET_LOCATION, Body.NONE),
    GET_BUCKET_VERSIONING(BUCKET, "GET", "versioning", Action.GET_BUCKET_VERSIONING, Body.NONE),
    PUT_BUCKET_VERSIONING(BUCKET, "PUT", "versioning", Action.PUT_BUCKET_VERSIONING, Body.DOCUMENT),
    GET_BUCKET_ACL(BUCKET, "GET", "acl", Action.GET_BUCKET_ACL, Body.NONE),
    PUT_BUCKET_ACL(BUCKET, "PUT", "acl", Action.PUT_BUCKET_ACL, Body.DOCUMENT),
    GET_BUCKET_OWNERSHIP_CONTROLS(
            BUCKET, "GET", "ownershipControls", Action.GET_BUCKET_OWNERSHIP_CONTROLS, Body.NONE),
    GET_BUCKET_POLICY(BUCKET, "GET", "policy", Action.GET_BUCKET_POLICY, Body.NONE),
    PUT_BUCKET_POLICY(BUCKET, "PUT", "policy", Action.PUT_BUCKET_POLICY, Body.DOCUMENT),
    DELETE_BUCKET_POLICY(BUCKET, "DELETE", "policy", Action.DELETE_BUCKET_POLICY, Body.NONE),
    GET_BUCKET_POLICY_STATUS(
            BUCKET, "GET", "policyStatus", Action.GET_BUCKET_POLICY_STATUS, Body.NONE),
    GET_PUBLIC_ACCESS_BLOCK(
            BUCKET, "GET", "publicAccessBlock", Action.GET_BUCKET_PUBLIC_ACCESS_BLOCK, Body.NONE),
    PUT_PUBLIC_ACCESS_BLOCK(
            BUCKET,
            "PUT",
            "publicAccessBlock",
            Action.PUT_BUCKET_PUBLIC_ACCESS_BLOCK,
            Body.DOCUMENT),
    DELETE_PUBLIC_ACCESS_BLOCK(
            BUCKET,
            "DELETE",
            "publicAccessBlock",
            Action.PUT_BUCKET_PUBLIC_ACCESS_BLOCK,
            Body.NONE),
    GET_OBJECT_LOCK_CONFIGURATION(
            BUCKET, "GET", "object-lock", Action.GET_BUCKET_OBJECT_LOCK_CONFIGURATION, Body.NONE),
    PUT_OBJECT_LOCK_CONFIGURATION(
            BUCKET,
            "PUT",
            "object-lock",
            Action.PUT_BUCKET_OBJECT_LOCK_CONFIGURATION,
            Body.DOCUMENT),
    GET_BUCKET_CORS(BUCKET, "GET", "cors", Action.GET_BUCKET_CORS, Body.NONE),
    PUT_BUCKET_CORS(BUCKET, "PUT", "cors", Action.PUT_BUCKET_CORS, Body.DOCUMENT),
    DELETE_BUCKET_CORS(BUCKET, "DELETE", "cors", Action.PUT_BUCKET_CORS, Body.NONE),
    GET_BUCKET_TAGGING(BUCKET, "GET", "tagging", Action.GET_BUCKET_TAGGING, Body.NONE),
    PUT_BUCKET_TAGGING(BUCKET, "PUT", "tagging", Action.PUT_BUCKET_TAGGING, Body.DOCUMENT),
    DELETE_BUCKET_TAGGING(BUCKET, "DELETE", "tagging", Action.PUT_BUCKET_TAGGING, Body.NONE),
    GET_BUCKET_LIFECYCLE_CONFIGURATION(
            BUCKET, "GET", "lifecycle", Action.GET_LIFECYCLE_CONFIGURATION, Body.NONE),
    PUT_BUCKET_LIFECYCLE_CONFIGURATION(
            BUCKET, "PUT", "lifecycle", Action.PUT_LIFECYCLE_CONFIGURATION, Body.DOCUMENT),
    DELETE_BUCKET_LIFECYCLE(
            BUCKET, "DELETE", "lifecycle", Action.PUT_LIFECYCLE_CONFIGURATION, Body.NONE),
    GET_BUCKET_ENCRYPTION(
            BUCKET, "GET", "encryption", Action.GET_ENCRYPTION_CONFIGURATION, Body.NONE),
    PUT_BUCKET_ENCRYPTION(
            BUCKET, "PUT", "encryption", Action.PUT_ENCRYPTION_CONFIGURATION, Body.DOCUMENT),
    DELETE_BUCKET_ENCRYPTION(
            BUCKET, "DELETE", "encryption", Action.PUT_ENCRYPTION_CONFIGURATION, Body.NONE),
    GET_BUCKET_REQUEST_PAYMENT(
            BUCKET, "GET", "requestPayment", Action.GET_BUCKET_REQUEST_PAYMENT, Body.NONE),
    PUT_BUCKET_REQUEST_PAYMENT(
            BUCKET, "PUT", "requestPayment", Action.PUT_BUCKET_REQUEST_PAYMENT, Body.DOCUMENT),
    GET_BUCKET_ACCELERATE_CONFIGURATION(
            BUCKET, "GET", "accelerate", Action.GET_ACCELERATE_CONFIGURATION, Body.NONE),
    PUT_BUCKET_ACCELERATE_CONFIGURATION(
            BUCKET, "PUT", "accelerate", Action.PUT_ACCELERATE_CONFIGURATION, Body.DOCUMENT),
    PUT_BUCKET_OWNERSHIP_CONTROLS(
            BUCKET,
            "PUT",
            "ownershipControls",
            Action.PUT_BUCKET_OWNERSHIP_CONTROLS,
            Body.DOCUMENT),
    DELETE_BUCKET_OWNERSHIP_CONTROLS(
            BUCKET, "DELETE", "ownershipControls", Action.PUT_BUCKET_OWNERSHIP_CONTROLS, Body.NONE),
    GET_BUCKET_NOTIFICATION_CONFIGURATION(
            BUCKET, "GET", "notification", Action.GET_BUCKET_NOTIFICATION, Body.NONE),
    PUT_BUCKET_NOTIFICATION_CONFIGURATION(
            BUCKET, "PUT", "notification", Action.PUT_BUCKET_NOTIFICATION, Body.DOCUMENT),
    LISTEN_BUCKET_NOTIFICATION(
            BUCKET, "GET", "events", Action.LISTEN_BUCKET_NOTIFICATION, Body.NONE),
    GET_BUCKET_REPLICATION(
            BUCKET, "GET", "replication", Action.GET_REPLICATION_CONFIGURATION, Body.NONE),
    PUT_BUCKET_REPLICATION(
            BUCKET, "PUT", "replication", Action.PUT_REPLICATION_CONFIGURATION, Body.DOCUMENT),
    DELETE_BUCKET_REPLICATION(
            BUCKET, "DELETE", "replication", Action.PUT_REPLICATION_CONFIGURATION, Body.NONE),
    GET_BUCKET_LOGGING(BUCKET, "GET", "logging", Action.GET_BUCKET_LOGGING, Body.NONE),
    PUT_BUCKET_LOGGING(BUCKET, "PUT", "logging", Action.PUT_BUCKET_LOGGING, Body.DOCUMENT),
    LIST_OBJECTS(BUCKET, "GET", "", Action.LIST_BUCKET, Body.NONE),
    LIST_OBJECTS_V2(BUCKET, "GET", "list-type", Action.LIST_BUCKET, Body.NONE),
    LIST_OBJECT_VERSIONS(BUCKET, "GET", "versions", Action.LIST_BUCKET_VERSIONS, Body.NONE),
    LIST_MULTIPART_UPLOADS(
            BUCKET, "GET", "uploads", Action.LIST_BUCKET_MULTIPART_UPLOADS, Body.NONE),
    DELETE_OBJECTS(BUCKET, "POST", "delete", Action.DELETE_OBJECT, Body.DOCUMENT),

    PUT_OBJECT(OBJECT, "PUT", "", Action.PUT_OBJECT, Body.DATA),
    COPY_OBJECT(OBJECT, "PUT", "", Action.PUT_OBJECT, Body.NONE),
    GET_OBJECT(OBJECT, "GET", "", Action.GET_OBJECT, Body.NONE),
    HEAD_OBJECT(OBJECT, "HEAD", "", Action.GET_OBJECT, Body.NONE),
    DELETE_OBJECT(OBJECT, "DELETE", "", Action.DELETE_OBJECT, Body.NONE),
    GET_OBJECT_ATTRIBUTES(OBJECT, "GET", "attributes", Action.GET_OBJECT_ATTRIBUTES, Body.NONE),
    GET_OBJECT_ACL(OBJECT, "GET", "acl", Action.GET_OBJECT_ACL, Body.NONE),
    PUT_OBJECT_ACL(OBJECT, "PUT", "acl", Action.PUT_OBJECT_ACL, Body.DOCUMENT),
    GET_OBJECT_TAGGING(OBJECT, "GET", "tagging", Action.GET_OBJECT_TAGGING, Body.NONE),
    PUT_OBJECT_TAGGING(OBJECT, "PUT", "tagging", Action.PUT_OBJECT_TAGGING, Body.DOCUMENT),
    DELETE_OBJECT_TAGGING(OBJECT, "DELETE", "tagging", Action.DELETE_OBJECT_TAGGING, Body.NONE),

    GET_OBJECT_RETENTION(OBJECT, "GET", "retention", Action.GET_OBJECT_RETENTION, Body.NONE),
    PUT_OBJECT_RETENTION(OBJECT, "PUT", "retention", Action.PUT_OBJECT_RETENTION, Body.DOCUMENT),
    GET_OBJECT_LEGAL_HOLD(OBJECT, "GET", "legal-hold", Action.GET_OBJECT_LEGAL_HOLD, Body.NONE),
    PUT_OBJECT_LEGAL_HOLD(OBJECT, "PUT", "legal-hold", Action.PUT_OBJECT_LEGAL_HOLD, Body.DOCUMENT),

    CREATE_MULTIPART_UPLOAD(OBJECT, "POST", "uploads", Action.PUT_OBJECT, Body.NONE),
    UPLOAD_PART(OBJECT, "PUT", "uploadId", Action.PUT_OBJECT, Body.DATA),
    UPLOAD_PART_COPY(OBJECT, "PUT", "uploadId", Action.PUT_OBJECT, Body.NONE),
    COMPLETE_MULTIPART_UPLOAD(OBJECT, "POST", "uploadId", Action.PUT_OBJECT, Body.DOCUMENT),
    ABORT_MULTIPART_UPLOAD(OBJECT, "DELETE", "uploadId", Action.ABORT_MULTIPART_UPLOAD, Body.NONE),
    LIST_PARTS(OBJECT, "GET", "uploadId", Action.LIST_MULTIPART_UPLOAD_PARTS, Body.NONE),

    /** Reads of configuration that nobody can set yet, answered as S3 answers when it is unset. */
    GET_UNSET_CONFIGURATION(BUCKET, "GET", "*", Action.GET_BUCKET_CONFIGURATION, Body.NONE),
    /** Deletes of such configuration: there is none, so it is gone. */
    DELETE_UNSET_CONFIGURATION(BUCKET, "DELETE", "*", Action.PUT_BUCKET_CONFIGURATION, Body.NONE);

    /** The kind of body that a request of this operation carries. */
    public enum Body {
        NONE,
        DOCUMENT,
        DATA
    }

    /** Heap for a page of 1,000 entries and the beginning of its document, bytes. */
    private static final long PAGE_HEAP = 4L << 20;

    private final Level level;
    private final String method;
    private final String subresource;
    private final Action action;
    private final Body body;
    private final String title = About.name(this);

    S3Call(Level level, String method, String subresource, Action action, Body body) {
        this.level = level;
        this.method = method;
        this.subresource = subresource;
        this.action = action;
        this.body = body;
    }

    /** Returns the name of the operation in S3, such as {@code GetObject}. */
    public String title() {
        return title;
    }

    public Level level() {
        return level;
    }

    public String method() {
        return method;
    }

    /** Query parameter that selects it; empty for none, {@code *} for the unset configurations. */
    public String subresource() {
        return subresource;
    }

    public Action action() {
        return action;
    }

    public Body body() {
        return body;
    }

    /** Changes nothing and waits for nothing, so it can be about the past as well. */
    public boolean isRead() {
        boolean isListening = this == LISTEN_NOTIFICATION || this == LISTEN_BUCKET_NOTIFICATION;
        return (method.equals("GET") || method.equals("HEAD")) && !isListening;
    }

    /**
     * Refuses a payload in chunks of an operation without payload, and any payload of a copy: the
     * client would believe that its bytes are stored.
     *
     * @param bytes of the body as sent, -1 for an unknown number
     * @throws S3Exception InvalidRequest
     */
    public void requirePayload(PayloadMode sent, long bytes) {
        if (isCopy() && bytes != 0) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "A copy takes its content from x-amz-copy-source: send no body.");
        }
        if (body == Body.NONE && sent.isStreaming()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "This operation has no payload that could be streamed in chunks.");
        }
    }

    /** Makes an object with the tags and the lock that its headers name. */
    public boolean makesObject() {
        return this == PUT_OBJECT || this == COPY_OBJECT || this == CREATE_MULTIPART_UPLOAD;
    }

    /** Returns whether the operation changes an object only if it matches {@code If-Match}. */
    public boolean isConditional() {
        return this == PUT_OBJECT
                || this == COPY_OBJECT
                || this == COMPLETE_MULTIPART_UPLOAD
                || this == DELETE_OBJECT;
    }

    /** Returns whether conditions of policies can depend on the operation's document. */
    public boolean isJudgedByDocument() {
        return this == CREATE_BUCKET
                || this == PUT_OBJECT_TAGGING
                || this == PUT_OBJECT_RETENTION
                || this == PUT_OBJECT_LEGAL_HOLD;
    }

    /**
     * Returns the heap to reserve while the answer is made. Answers about one object are small, or
     * their bytes pass through buffers of their own.
     *
     * @param query of the request, with the length of a page
     */
    public long answerHeap(QueryParameters query) {
        return switch (this) {
            case LIST_OBJECTS, LIST_OBJECTS_V2, LIST_OBJECT_VERSIONS ->
                    page(query.text("max-keys"));
            // Uploads have the metadata of their objects.
            case LIST_MULTIPART_UPLOADS -> 4 * page(query.text("max-uploads"));
            case LIST_PARTS -> page(query.text("max-parts"));
            case LIST_BUCKETS -> PAGE_HEAP;
            case GET_OBJECT_ATTRIBUTES -> PAGE_HEAP / 8;
            // Events have a budget of their own.
            case LISTEN_NOTIFICATION, LISTEN_BUCKET_NOTIFICATION -> 0;
            default -> level == OBJECT ? 0 : PAGE_HEAP / 64;
        };
    }

    private static long page(String entries) {
        int most = Limits.PAGE_ENTRIES_MAX;
        boolean isShort = entries.matches("[0-9]{1,4}");
        long asked = isShort ? Math.min(most, Integer.parseInt(entries)) : most;
        return PAGE_HEAP / 64 + PAGE_HEAP * asked / most;
    }

    /** Returns whether the operation can need minutes for an object of many bytes or parts. */
    public boolean isLong() {
        return isCopy() || this == COMPLETE_MULTIPART_UPLOAD;
    }

    /** Selected by the presence of {@code x-amz-copy-source}. */
    public boolean isCopy() {
        return this == COPY_OBJECT || this == UPLOAD_PART_COPY;
    }
}
