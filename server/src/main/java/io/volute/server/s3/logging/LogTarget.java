package io.volute.server.s3.logging;

import io.volute.server.auth.policy.AccessRequest;
import io.volute.server.auth.policy.Action;
import io.volute.server.auth.policy.ApplicablePolicies;
import io.volute.server.auth.policy.ApplicablePolicies.AclVerdict;
import io.volute.server.auth.policy.ApplicablePolicies.Standing;
import io.volute.server.auth.policy.Authorizer;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.auth.policy.Policy;
import io.volute.server.auth.policy.Principal;
import io.volute.server.s3.acl.Acl;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.ObjectKey;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether a bucket takes the access logs of another: when the logging is set, and again at
 * each delivery. The policy of the target must allow {@code s3:PutObject} to the service principal,
 * or its ACL must allow the group LogDelivery to write.
 */
public final class LogTarget {
    private static final String BUCKET_ARN = "arn:aws:s3:::";

    private LogTarget() {}

    /**
     * Returns why the target does not take a log object; empty when it does.
     *
     * @param source the bucket whose requests are logged
     */
    public static Optional<String> refusal(BucketInfo source, BucketInfo target, ObjectKey key) {
        if (!target.owner().equals(source.owner())) {
            return Optional.of("The target bucket for logging belongs to another owner.");
        }
        if (target.lock().flatMap(BucketLock::byDefault).isPresent()) {
            return Optional.of("The target bucket for logging has a default retention.");
        }
        return isAllowed(source, target, key)
                ? Optional.empty()
                : Optional.of(
                        "The policy of the target bucket for logging does not allow s3:PutObject"
                                + " to the service principal "
                                + Principal.LOG_DELIVERY.name()
                                + ".");
    }

    private static boolean isAllowed(BucketInfo source, BucketInfo target, ObjectKey key) {
        String name = target.name().value();
        boolean isGranted =
                ObjectOwnership.of(target).hasAcls() && Acl.of(target).allowsLogDelivery();
        AccessRequest request =
                new AccessRequest(
                        Principal.LOG_DELIVERY,
                        Action.PUT_OBJECT.policyName(),
                        BUCKET_ARN + name + "/" + key.value(),
                        keys(source));
        ApplicablePolicies grounds =
                new ApplicablePolicies(
                        Standing.NOTHING,
                        List.of(),
                        Optional.empty(),
                        target.access().policy().map(document -> Policy.ofBucket(document, name)),
                        Optional.empty(),
                        isGranted ? AclVerdict.ALLOWS : AclVerdict.SILENT);
        return Authorizer.decide(request, grounds) == Decision.ALLOW;
    }

    /** The delivery uses no connection, so it counts as a protected one. */
    private static ConditionKeys keys(BucketInfo source) {
        return key ->
                switch (key) {
                    case "aws:sourcearn" -> List.of(BUCKET_ARN + source.name().value());
                    case "aws:sourceaccount" -> List.of(Principal.ACCOUNT);
                    case "aws:principalservicename" -> List.of(Principal.LOG_DELIVERY.name());
                    case "aws:principalisawsservice", "aws:securetransport" -> List.of("true");
                    default -> List.of();
                };
    }

    /** Returns the refusal of TargetGrants. */
    static S3Exception refusalOfGrants(BucketInfo target) {
        return ObjectOwnership.of(target).hasAcls()
                ? S3Exception.notImplemented("TargetGrants of a log")
                : new S3Exception(S3Error.ACCESS_CONTROL_LIST_NOT_SUPPORTED);
    }
}
