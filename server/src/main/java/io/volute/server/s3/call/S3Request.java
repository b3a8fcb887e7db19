package io.volute.server.s3.call;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Action;
import io.volute.server.auth.policy.Principal;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.acl.AclHeaders;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.server.s3.body.IncomingBody;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.Target;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A verified and authorised request. Headers are read only through this record, which contains only
 * verified ones.
 *
 * @param target as the client wrote it: its bucket may be an alias
 * @param view the store at the moment that it means
 * @param bucket that exists, as it was when the request is about the past; empty for ListBuckets
 *     and CreateBucket
 * @param access judges what else is named in the request
 * @param region of this server
 */
public record S3Request(
        S3Call call,
        HttpHead head,
        QueryParameters query,
        Target target,
        Verified verified,
        StoreView view,
        Optional<BucketInfo> bucket,
        IncomingBody body,
        Access access,
        String region) {
    private static final String TOKEN = "x-amz-security-token";

    public Optional<String> header(String name) {
        return verified.headers().first(name);
    }

    public Credential who() {
        return verified.credential();
    }

    public BucketInfo bucketInfo() {
        return bucket.orElseThrow();
    }

    public BucketName bucketName() {
        return bucket.isPresent() ? bucket.get().name() : nameOf(target.bucket());
    }

    /** Returns the ownership of the objects of the bucket. */
    public ObjectOwnership ownership() {
        return ObjectOwnership.of(bucketInfo());
    }

    /** Returns whether answers carry version ids. */
    public boolean isVersioned() {
        return bucketInfo().versioning() != VersioningState.UNVERSIONED;
    }

    public ObjectKey key() {
        return keyOf(target.key());
    }

    /** The version named in the query, or the latest. */
    public VersionSelector selector() {
        return selectorOf(query.get("versionId"));
    }

    /** Returns the target of the request, as policies name it. */
    public Access.Thing thing() {
        return new Access.Thing(
                view,
                bucket,
                bucket.map(info -> info.name().value()).orElse(target.bucket()),
                target.key(),
                query.get("versionId"));
    }

    /**
     * Returns the target with the settings that its bucket has now.
     *
     * @throws S3Exception NoSuchBucket when the bucket is gone
     */
    public Access.Thing thingNow() {
        Access.Thing then = thing();
        Optional<BucketInfo> now = bucket.map(info -> view.bucket(info.name().value()));
        if (now.isPresent() && !now.get().means(bucketInfo().id())) {
            throw new S3Exception(S3Error.NO_SUCH_BUCKET).with("BucketName", target.bucket());
        }
        return new Access.Thing(view, now, then.name(), then.key(), then.versionId());
    }

    /** Returns the permissions that the request needs besides that of the operation itself. */
    public List<Action> furtherActions() {
        List<Action> further = new ArrayList<>();
        if (call == S3Call.GET_OBJECT_ATTRIBUTES) {
            further.add(Action.GET_OBJECT);
        }
        if (call == S3Call.CREATE_BUCKET) {
            boolean isEnabling =
                    header(ObjectOwnership.HEADER)
                            .flatMap(ObjectOwnership::named)
                            .filter(ObjectOwnership::hasAcls)
                            .isPresent();
            if (isEnabling) {
                further.add(Action.PUT_BUCKET_OWNERSHIP_CONTROLS);
            }
            if (AclHeaders.isSharing(verified.headers())) {
                further.add(Action.PUT_BUCKET_ACL);
            }
        }
        if (call == S3Call.CREATE_BUCKET && Locks.isLocking(this)) {
            further.add(Action.PUT_BUCKET_OBJECT_LOCK_CONFIGURATION);
            further.add(Action.PUT_BUCKET_VERSIONING);
        }
        if (call.isConditional() && header("if-match").isPresent()) {
            // Otherwise the answer would reveal whether the object exists to a caller without
            // permission to read it.
            further.add(Action.GET_OBJECT);
        }
        if (header(ObjectAttributes.REPLICA).isPresent()) {
            further.add(
                    call == S3Call.DELETE_OBJECT
                            ? Action.REPLICATE_DELETE
                            : Action.REPLICATE_OBJECT);
            // All that s3:* covers must not suffice to keep real replicas out.
            further.add(Action.CLAIM_REPLICA);
        }
        if (call.makesObject()) {
            if (header("x-amz-tagging").isPresent()) {
                further.add(Action.PUT_OBJECT_TAGGING);
            }
            if (SourceFacts.areSent(verified.headers())) {
                further.add(Action.IMPORT_OBJECT);
            }
            ObjectLock lock = Locks.ofHeaders(verified.headers());
            lock.retention().ifPresent(retention -> further.add(Action.PUT_OBJECT_RETENTION));
            lock.legalHold().ifPresent(hold -> further.add(Action.PUT_OBJECT_LEGAL_HOLD));
        }
        return further;
    }

    /**
     * Returns the rights of the caller as they are now, for a request that lasts; empty when its
     * access key or its session no longer holds.
     */
    public Optional<Access> accessAt(Instant now) {
        return access.renewed(
                header(TOKEN).or(() -> query.get("X-Amz-Security-Token")),
                now,
                renewed -> new RequestKeys(head, query, verified.with(renewed), now));
    }

    /**
     * Refuses a request whose body took long, unless the caller's credential still holds and the
     * caller may still write.
     *
     * @param decided when the request was decided
     * @throws S3Exception AccessDenied
     */
    public void requireStanding(Instant decided, Instant read) {
        if (Duration.between(decided, read).abs().toSeconds() < Limits.DECISION_SECONDS_MAX) {
            return;
        }
        Access renewed = accessAt(read).orElseThrow(() -> new S3Exception(S3Error.ACCESS_DENIED));
        if (call.body() == S3Call.Body.DATA) {
            Access.Thing now = thingNow();
            renewed.require(call.action(), now);
            furtherActions().forEach(more -> renewed.require(more, now));
        }
    }

    /** Returns the caller on whose behalf the request runs. */
    public Caller caller() {
        return access.caller();
    }

    /**
     * Returns whether a client that names the owner which it expects means that of a bucket: by the
     * principal, or by the number of the one account that there is.
     */
    public static boolean isOwner(String expected, BucketInfo bucket) {
        return expected.equals(bucket.owner()) || expected.equals(Principal.ACCOUNT);
    }

    /** A bucket's name as a client wrote it. */
    public static BucketName nameOf(String text) {
        if (!BucketName.isValid(text)) {
            throw new S3Exception(S3Error.INVALID_BUCKET_NAME).with("BucketName", text);
        }
        return new BucketName(text);
    }

    /** A key as a client wrote it. */
    public static ObjectKey keyOf(String text) {
        // A char is at least one byte of UTF-8 and at most three.
        if (text.length() > Limits.KEY_BYTES_MAX / 3) {
            int bytes = text.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > Limits.KEY_BYTES_MAX) {
                throw new S3Exception(S3Error.KEY_TOO_LONG)
                        .with("Size", Integer.toString(bytes))
                        .with("MaxSizeAllowed", Integer.toString(Limits.KEY_BYTES_MAX));
            }
        }
        return new ObjectKey(text);
    }

    /** A version id as a client wrote it; absent means the latest. */
    public static VersionSelector selectorOf(Optional<String> versionId) {
        if (versionId.isEmpty()) {
            return VersionSelector.LATEST;
        }
        return VersionId.parse(versionId.get())
                .orElseThrow(
                        () ->
                                S3Exception.invalidArgument(
                                        "versionId",
                                        versionId.get(),
                                        "Invalid version id specified"));
    }
}
