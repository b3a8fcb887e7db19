package io.volute.server.auth.policy;

import java.util.EnumSet;
import java.util.Set;

/** An action of a request, by its name in policies (Service Authorization Reference, S3). */
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
    GET_BUCKET_ACL("s3:GetBucketAcl"),
    PUT_BUCKET_ACL("s3:PutBucketAcl"),
    GET_BUCKET_OWNERSHIP_CONTROLS("s3:GetBucketOwnershipControls"),
    GET_BUCKET_POLICY("s3:GetBucketPolicy"),
    PUT_BUCKET_POLICY("s3:PutBucketPolicy"),
    DELETE_BUCKET_POLICY("s3:DeleteBucketPolicy"),
    GET_BUCKET_POLICY_STATUS("s3:GetBucketPolicyStatus"),
    GET_BUCKET_PUBLIC_ACCESS_BLOCK("s3:GetBucketPublicAccessBlock"),
    PUT_BUCKET_PUBLIC_ACCESS_BLOCK("s3:PutBucketPublicAccessBlock"),
    GET_BUCKET_OBJECT_LOCK_CONFIGURATION("s3:GetBucketObjectLockConfiguration"),
    PUT_BUCKET_OBJECT_LOCK_CONFIGURATION("s3:PutBucketObjectLockConfiguration"),
    GET_BUCKET_CORS("s3:GetBucketCORS"),
    PUT_BUCKET_CORS("s3:PutBucketCORS"),
    GET_BUCKET_TAGGING("s3:GetBucketTagging"),
    PUT_BUCKET_TAGGING("s3:PutBucketTagging"),
    /** Covers the tags of a bucket that is being made. */
    TAG_RESOURCE("s3:TagResource"),
    GET_LIFECYCLE_CONFIGURATION("s3:GetLifecycleConfiguration"),
    PUT_LIFECYCLE_CONFIGURATION("s3:PutLifecycleConfiguration"),
    GET_ENCRYPTION_CONFIGURATION("s3:GetEncryptionConfiguration"),
    PUT_ENCRYPTION_CONFIGURATION("s3:PutEncryptionConfiguration"),
    GET_BUCKET_REQUEST_PAYMENT("s3:GetBucketRequestPayment"),
    PUT_BUCKET_REQUEST_PAYMENT("s3:PutBucketRequestPayment"),
    GET_ACCELERATE_CONFIGURATION("s3:GetAccelerateConfiguration"),
    PUT_ACCELERATE_CONFIGURATION("s3:PutAccelerateConfiguration"),
    PUT_BUCKET_OWNERSHIP_CONTROLS("s3:PutBucketOwnershipControls"),
    LISTEN_NOTIFICATION("s3:ListenNotification"),
    LISTEN_BUCKET_NOTIFICATION("s3:ListenBucketNotification"),
    GET_BUCKET_NOTIFICATION("s3:GetBucketNotification"),
    PUT_BUCKET_NOTIFICATION("s3:PutBucketNotification"),
    GET_REPLICATION_CONFIGURATION("s3:GetReplicationConfiguration"),
    PUT_REPLICATION_CONFIGURATION("s3:PutReplicationConfiguration"),
    /** Covers the making of replicas, besides the right to write. */
    REPLICATE_OBJECT("s3:ReplicateObject"),
    /** Likewise for delete markers. */
    REPLICATE_DELETE("s3:ReplicateDelete"),
    GET_BUCKET_LOGGING("s3:GetBucketLogging"),
    PUT_BUCKET_LOGGING("s3:PutBucketLogging"),
    /** Covers all bucket configurations that cannot be set: they share one name. */
    GET_BUCKET_CONFIGURATION("s3:GetBucketConfiguration"),
    PUT_BUCKET_CONFIGURATION("s3:PutBucketConfiguration"),
    GET_OBJECT("s3:GetObject"),
    GET_OBJECT_VERSION("s3:GetObjectVersion"),
    GET_OBJECT_ATTRIBUTES("s3:GetObjectAttributes"),
    GET_OBJECT_VERSION_ATTRIBUTES("s3:GetObjectVersionAttributes"),
    GET_OBJECT_ACL("s3:GetObjectAcl"),
    GET_OBJECT_VERSION_ACL("s3:GetObjectVersionAcl"),
    PUT_OBJECT_ACL("s3:PutObjectAcl"),
    PUT_OBJECT_VERSION_ACL("s3:PutObjectVersionAcl"),
    PUT_OBJECT("s3:PutObject"),
    DELETE_OBJECT("s3:DeleteObject"),
    DELETE_OBJECT_VERSION("s3:DeleteObjectVersion"),
    GET_OBJECT_TAGGING("s3:GetObjectTagging"),
    GET_OBJECT_VERSION_TAGGING("s3:GetObjectVersionTagging"),
    PUT_OBJECT_TAGGING("s3:PutObjectTagging"),
    PUT_OBJECT_VERSION_TAGGING("s3:PutObjectVersionTagging"),
    DELETE_OBJECT_TAGGING("s3:DeleteObjectTagging"),
    DELETE_OBJECT_VERSION_TAGGING("s3:DeleteObjectVersionTagging"),
    GET_OBJECT_RETENTION("s3:GetObjectRetention"),
    PUT_OBJECT_RETENTION("s3:PutObjectRetention"),
    BYPASS_GOVERNANCE_RETENTION("s3:BypassGovernanceRetention"),
    GET_OBJECT_LEGAL_HOLD("s3:GetObjectLegalHold"),
    PUT_OBJECT_LEGAL_HOLD("s3:PutObjectLegalHold"),
    ABORT_MULTIPART_UPLOAD("s3:AbortMultipartUpload"),
    LIST_MULTIPART_UPLOAD_PARTS("s3:ListMultipartUploadParts"),
    /** Covers facts about the source of an imported object, which S3 does not have. */
    IMPORT_OBJECT("volute:ImportObject"),
    /** Covers the claim that a version is a replica, which hides it from the source's replicas. */
    CLAIM_REPLICA("volute:ClaimReplica");

    /** The target of an action. */
    enum Subject {
        BUCKET,
        OBJECT
    }

    /**
     * The names of S3 for actions on buckets (Service Authorization Reference, "Actions defined by
     * Amazon S3"), also of operations that this server has not, and those of this server.
     */
    private static final String[] OF_BUCKETS =
            ("CreateBucket CreateBucketMetadataTableConfiguration DeleteBucket"
                            + " DeleteBucketMetadataTableConfiguration DeleteBucketPolicy"
                            + " DeleteBucketWebsite GetAccelerateConfiguration"
                            + " GetAnalyticsConfiguration GetBucketAbac GetBucketAcl GetBucketCORS"
                            + " GetBucketConfiguration GetBucketLocation GetBucketLogging"
                            + " GetBucketMetadataTableConfiguration GetBucketNotification"
                            + " GetBucketObjectLockConfiguration GetBucketOwnershipControls"
                            + " GetBucketPolicy GetBucketPolicyStatus GetBucketPublicAccessBlock"
                            + " GetBucketRequestPayment GetBucketTagging GetBucketVersioning"
                            + " GetBucketWebsite GetEncryptionConfiguration"
                            + " GetIntelligentTieringConfiguration GetInventoryConfiguration"
                            + " GetLifecycleConfiguration GetMetricsConfiguration"
                            + " GetReplicationConfiguration ListBucket"
                            + " ListBucketMultipartUploads ListBucketVersions"
                            + " ListenBucketNotification ListTagsForResource"
                            + " PutAccelerateConfiguration PutAnalyticsConfiguration PutBucketAbac"
                            + " PutBucketAcl PutBucketCORS PutBucketConfiguration PutBucketLogging"
                            + " PutBucketNotification PutBucketObjectLockConfiguration"
                            + " PutBucketOwnershipControls PutBucketPolicy"
                            + " PutBucketPublicAccessBlock PutBucketRequestPayment"
                            + " PutBucketTagging PutBucketVersioning PutBucketWebsite"
                            + " PutEncryptionConfiguration PutIntelligentTieringConfiguration"
                            + " PutInventoryConfiguration PutLifecycleConfiguration"
                            + " PutMetricsConfiguration PutReplicationConfiguration TagResource"
                            + " UntagResource UpdateBucketMetadataInventoryTableConfiguration"
                            + " UpdateBucketMetadataJournalTableConfiguration")
                    .split(" ");

    /** The names for actions on objects. */
    private static final String[] OF_OBJECTS =
            ("AbortMultipartUpload BypassGovernanceRetention DeleteObject DeleteObjectTagging"
                            + " DeleteObjectVersion DeleteObjectVersionTagging GetObject"
                            + " GetObjectAcl GetObjectAttributes GetObjectLegalHold"
                            + " GetObjectRetention GetObjectTagging GetObjectTorrent"
                            + " GetObjectVersion GetObjectVersionAcl GetObjectVersionAttributes"
                            + " GetObjectVersionForReplication GetObjectVersionTagging"
                            + " GetObjectVersionTorrent InitiateReplication"
                            + " ListMultipartUploadParts ObjectOwnerOverrideToBucketOwner"
                            + " PutObject PutObjectAcl PutObjectLegalHold PutObjectRetention"
                            + " PutObjectTagging PutObjectVersionAcl PutObjectVersionTagging"
                            + " ReplicateDelete ReplicateObject ReplicateTags RestoreObject"
                            + " UpdateObjectEncryption")
                    .split(" ");

    private final String policyName;

    Action(String policyName) {
        this.policyName = policyName;
    }

    public String policyName() {
        return policyName;
    }

    /** Returns whether it is a right of S3's, which {@code s3:*} covers. */
    public boolean isOfS3() {
        return policyName.startsWith("s3:");
    }

    /** The action when a version is named, for which S3 has actions of their own. */
    public Action ofVersion() {
        return switch (this) {
            case GET_OBJECT -> GET_OBJECT_VERSION;
            case GET_OBJECT_ATTRIBUTES -> GET_OBJECT_VERSION_ATTRIBUTES;
            case GET_OBJECT_ACL -> GET_OBJECT_VERSION_ACL;
            case PUT_OBJECT_ACL -> PUT_OBJECT_VERSION_ACL;
            case DELETE_OBJECT -> DELETE_OBJECT_VERSION;
            case GET_OBJECT_TAGGING -> GET_OBJECT_VERSION_TAGGING;
            case PUT_OBJECT_TAGGING -> PUT_OBJECT_VERSION_TAGGING;
            case DELETE_OBJECT_TAGGING -> DELETE_OBJECT_VERSION_TAGGING;
            default -> this;
        };
    }

    /** The right that is needed besides to see the past, where S3 would show versions. */
    public Action ofThePast() {
        return this == LIST_BUCKET ? LIST_BUCKET_VERSIONS : ofVersion();
    }

    /**
     * Returns the targets of the actions that a text of a policy matches; empty when it matches
     * none.
     *
     * @param action with wildcards, such as {@code s3:Get*}
     */
    static Set<Subject> subjects(String action) {
        Glob glob = Template.of(action, true, false).alone().orElseThrow();
        MatchingBudget budget = new MatchingBudget();
        Set<Subject> subjects = EnumSet.noneOf(Subject.class);
        try {
            if (hasOne(glob, OF_BUCKETS, budget)) {
                subjects.add(Subject.BUCKET);
            }
            if (hasOne(glob, OF_OBJECTS, budget)) {
                subjects.add(Subject.OBJECT);
            }
        } catch (MatchingBudget.SpentException e) {
            throw new MalformedPolicyException(
                    "Policy has invalid action: \"" + action + "\" takes too long to compare");
        }
        return subjects;
    }

    private static boolean hasOne(Glob glob, String[] names, MatchingBudget budget) {
        for (String name : names) {
            if (glob.matchesIgnoringCase(Glob.points("s3:" + name, budget), budget)) {
                return true;
            }
        }
        return false;
    }
}
