package io.volute.server.s3.call;

import io.volute.server.auth.policy.Action;
import io.volute.server.auth.policy.ApplicablePolicies.AclVerdict;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.acl.Acl;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.server.s3.acl.Permission;
import io.volute.versioning.value.BucketAccess.PublicAccessRule;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectVersion;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Finds the effect of the ACLs of a bucket and of its objects on one action (S3 User Guide, "ACL
 * overview", "Mapping of ACL permissions and access policy permissions").
 */
final class AclJudge {
    private AclJudge() {}

    /**
     * Returns the effect of ACLs.
     *
     * @param version finds the version that the action concerns; called for actions on the content
     *     or ACL of an object only
     */
    static AclVerdict judge(
            Credential who,
            Action action,
            Optional<BucketInfo> bucket,
            Supplier<Optional<ObjectVersion>> version) {
        if (bucket.isEmpty() || !ObjectOwnership.of(bucket.get()).hasAcls()) {
            return AclVerdict.SILENT;
        }
        return switch (action) {
            case LIST_BUCKET, LIST_BUCKET_VERSIONS, LIST_BUCKET_MULTIPART_UPLOADS ->
                    ofBucket(who, bucket.get(), Permission.READ);
            case PUT_OBJECT, DELETE_OBJECT -> ofBucket(who, bucket.get(), Permission.WRITE);
            case GET_BUCKET_ACL -> ofBucket(who, bucket.get(), Permission.READ_ACP);
            case PUT_BUCKET_ACL -> ofBucket(who, bucket.get(), Permission.WRITE_ACP);
            case GET_OBJECT, GET_OBJECT_VERSION ->
                    ofObject(who, bucket.get(), Permission.READ, version.get());
            case GET_OBJECT_ACL, GET_OBJECT_VERSION_ACL ->
                    ofObject(who, bucket.get(), Permission.READ_ACP, version.get());
            case PUT_OBJECT_ACL, PUT_OBJECT_VERSION_ACL ->
                    ofObject(who, bucket.get(), Permission.WRITE_ACP, version.get());
            default -> AclVerdict.SILENT;
        };
    }

    /** Returns whether a caller owns a version of a bucket with ACLs. */
    static boolean isOwner(Credential who, BucketInfo bucket, ObjectVersion version) {
        return ObjectOwnership.of(bucket).hasAcls()
                && who.kind() == Credential.Kind.ACCOUNT
                && Acl.of(version.attributes(), bucket).owner().equals(who.principal());
    }

    private static AclVerdict ofBucket(Credential who, BucketInfo bucket, Permission permission) {
        return allows(Acl.of(bucket), who, permission, bucket)
                ? AclVerdict.ALLOWS
                : AclVerdict.SILENT;
    }

    /** Returns the effect on an object. A caller that lists the bucket sees which are missing. */
    private static AclVerdict ofObject(
            Credential who,
            BucketInfo bucket,
            Permission permission,
            Optional<ObjectVersion> version) {
        if (version.isEmpty() || version.get().deleteMarker()) {
            return permission == Permission.READ
                    ? ofBucket(who, bucket, permission)
                    : AclVerdict.SILENT;
        }
        Acl acl = Acl.of(version.get().attributes(), bucket);
        if (allows(acl, who, permission, bucket)) {
            return AclVerdict.ALLOWS;
        }
        return acl.owner().equals(bucket.owner()) ? AclVerdict.SILENT : AclVerdict.FOREIGN;
    }

    private static boolean allows(
            Acl acl, Credential who, Permission permission, BucketInfo bucket) {
        return acl.allows(
                who, permission, bucket.access().has(PublicAccessRule.IGNORE_PUBLIC_ACLS));
    }
}
