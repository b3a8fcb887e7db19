package io.volute.server.s3;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auditlog.AuditTrail.IfUnwritten;
import io.volute.server.auditlog.AuditUnavailableException;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.s3.request.Subject;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketName;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Records in the audit log the S3 requests that change permissions or data retention. Other
 * requests are not recorded, and do not wait for the log.
 */
final class RightsTrail {
    private final AuditTrail trail;
    private final VersionedStore store;

    RightsTrail(AuditTrail trail, VersionedStore store) {
        this.trail = trail;
        this.store = store;
    }

    static boolean isAudited(S3Call call) {
        return switch (call) {
            case CREATE_BUCKET,
                    DELETE_BUCKET,
                    PUT_BUCKET_VERSIONING,
                    PUT_BUCKET_ACL,
                    PUT_BUCKET_OWNERSHIP_CONTROLS,
                    DELETE_BUCKET_OWNERSHIP_CONTROLS,
                    PUT_BUCKET_POLICY,
                    DELETE_BUCKET_POLICY,
                    PUT_BUCKET_CORS,
                    DELETE_BUCKET_CORS,
                    PUT_BUCKET_TAGGING,
                    DELETE_BUCKET_TAGGING,
                    PUT_BUCKET_LIFECYCLE_CONFIGURATION,
                    DELETE_BUCKET_LIFECYCLE,
                    PUT_BUCKET_ENCRYPTION,
                    DELETE_BUCKET_ENCRYPTION,
                    PUT_BUCKET_REQUEST_PAYMENT,
                    PUT_OBJECT_LOCK_CONFIGURATION,
                    PUT_PUBLIC_ACCESS_BLOCK,
                    DELETE_PUBLIC_ACCESS_BLOCK ->
                    true;
            default -> false;
        };
    }

    /** Records that authentication of a request failed. */
    void refused(HttpHead head, Subject subject, S3Exception error) {
        trail.refused(head, subject.about(), error.error().code());
    }

    /**
     * Records that an allowed action is about to begin.
     *
     * @throws S3Exception when it cannot be recorded; the action must not begin then
     */
    void begin(S3Request request, Subject subject) {
        if (!isAudited(request.call())) {
            return;
        }
        Map<String, Object> asked = new LinkedHashMap<>();
        request.header("x-amz-content-sha256").ifPresent(hash -> asked.put("bodySha256", hash));
        try {
            AuditTrail.Deed deed =
                    trail.begin(request.head(), subject.about(), asked, IfUnwritten.REFUSED);
            String bucket = request.target().bucket();
            // A request that succeeded had a valid bucket name.
            subject.whenEnded(
                    code ->
                            deed.ended(
                                    code,
                                    code.isEmpty() ? state(new BucketName(bucket)) : Map.of()));
        } catch (AuditUnavailableException e) {
            throw new S3Exception(S3Error.SERVICE_UNAVAILABLE, e.getMessage());
        }
    }

    /** Returns the bucket's present settings of permissions and retention. */
    private Map<String, Object> state(BucketName name) {
        // The owner of its cube has the settings of a bucket that was just made there.
        Optional<BucketInfo> found =
                store.isElsewhere(name) ? Optional.empty() : store.bucket(name);
        Map<String, Object> state = new LinkedHashMap<>();
        found.ifPresent(
                bucket -> {
                    state.put("owner", bucket.owner());
                    state.put("versioning", bucket.versioning().name().toLowerCase(Locale.ROOT));
                    bucket.lock().ifPresent(lock -> state.put("objectLock", words(lock)));
                    bucket.documents()
                            .forEach(
                                    (document, text) ->
                                            state.put(About.name(document), text.text()));
                    bucket.access().policy().ifPresent(policy -> state.put("policy", policy));
                    bucket.access()
                            .block()
                            .ifPresent(
                                    rules ->
                                            state.put(
                                                    "publicAccessBlock",
                                                    rules.stream()
                                                            .map(Enum::name)
                                                            .sorted()
                                                            .toList()));
                });
        return state;
    }

    private static String words(BucketLock lock) {
        return lock.byDefault()
                .map(each -> each.mode() + " " + each.period() + " " + each.unit())
                .orElse("enabled")
                .toLowerCase(Locale.ROOT);
    }
}
