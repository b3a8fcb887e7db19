package io.volute.server.s3.content;

import io.volute.server.auth.policy.Action;
import io.volute.server.encryption.ObjectName;
import io.volute.server.s3.call.Access;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Conditions;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.StoreErrors;
import io.volute.server.s3.call.StoreView;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.PercentCoding;
import io.volute.server.s3.request.PercentCoding.Plus;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketAlias;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * The source that {@code x-amz-copy-source} names, now or by an alias in the past. As in S3, a plus
 * sign in it is a blank, and one of the key is written {@code %2B}. Creation checks the caller's
 * permission to read the source. Permission to write the target does not imply it.
 *
 * @param thing the source as policies name it
 * @param at the instant of the past that an alias means
 */
public record CopySource(
        Access.Thing thing,
        Optional<Instant> at,
        BucketInfo bucket,
        ObjectKey key,
        VersionSelector selector) {
    private static final String VERSION = "?versionId=";

    public static CopySource of(S3Request request, ObjectStore store) throws IOException {
        String header = request.header("x-amz-copy-source").orElse("");
        int question = header.lastIndexOf(VERSION);
        String path = question < 0 ? header : header.substring(0, question);
        Optional<String> version =
                question < 0
                        ? Optional.empty()
                        : Optional.of(header.substring(question + VERSION.length()));
        String decoded;
        try {
            decoded = PercentCoding.decode(path, Plus.SPACE);
        } catch (S3Exception e) {
            throw malformed(header);
        }
        String name = decoded.startsWith("/") ? decoded.substring(1) : decoded;
        if (name.startsWith("arn:")) {
            throw S3Exception.notImplemented("x-amz-copy-source with an access point");
        }
        int slash = name.indexOf('/');
        if (slash <= 0 || slash == name.length() - 1) {
            throw malformed(header);
        }
        String bucketName = name.substring(0, slash);
        if (!BucketName.isValid(BucketAlias.bucketOf(bucketName))) {
            throw S3Exception.invalidArgument(
                    "x-amz-copy-source", header, "Invalid copy source bucket name");
        }
        Optional<Instant> at = BucketAlias.parse(bucketName).map(BucketAlias::instant);
        StoreView view = StoreView.ofSources(store, at);
        BucketInfo bucket = view.bucket(bucketName);
        String key = name.substring(slash + 1);
        Access.Thing source =
                new Access.Thing(view, Optional.of(bucket), bucket.name().value(), key, version);
        request.access().require(Action.GET_OBJECT, source);
        Optional<String> owner = request.header("x-amz-source-expected-bucket-owner");
        if (owner.isPresent() && !S3Request.isOwner(owner.get(), bucket)) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
        return new CopySource(
                source, at, bucket, S3Request.keyOf(key), S3Request.selectorOf(version));
    }

    private static S3Exception malformed(String header) {
        return S3Exception.invalidArgument(
                "x-amz-copy-source",
                header,
                "Copy Source must mention the source bucket and key: sourcebucket/sourcekey");
    }

    /** Returns its name, as its data key is bound to it. */
    public ObjectName name() {
        return new ObjectName(bucket.name().value(), key.value());
    }

    public StoreView view() {
        return thing.view();
    }

    /**
     * Refuses a target that takes the source's tags along, unless the caller may read those tags
     * and write an object that has them.
     */
    public void requireTagging(S3Request request, ObjectVersion source) {
        request.access().require(Action.GET_OBJECT_TAGGING, thing);
        Access tagging = request.access().withRequestTags(source.attributes().tags());
        tagging.require(Action.PUT_OBJECT, request.thing());
        tagging.require(Action.PUT_OBJECT_TAGGING, request.thing());
    }

    /** Opens the source; the caller closes its reader. */
    public OpenObject open(S3Request request) throws IOException {
        try {
            return view().seen().open(request.caller(), bucket, key, selector);
        } catch (StoreException e) {
            if (e.reason() != Reason.IS_DELETE_MARKER) {
                throw request.access().told(StoreErrors.of(e), thing);
            }
            throw selector.equals(VersionSelector.LATEST)
                    ? request.access()
                            .told(
                                    new S3Exception(S3Error.NO_SUCH_KEY).with("Key", key.value()),
                                    thing)
                    : deleteMarker();
        }
    }

    /** Evaluates the copy-source conditions, and the permission to read this very version. */
    public void check(S3Request request, ObjectVersion version) {
        request.access().requireFound(Action.GET_OBJECT, thing, version);
        switch (Conditions.ofRead(request, "x-amz-copy-source-", version)) {
            case MET -> {}
            case FAILED, NOT_MODIFIED ->
                    throw new S3Exception(S3Error.PRECONDITION_FAILED)
                            .with("Condition", "x-amz-copy-source-If-*");
        }
    }

    /** S3 words the refusal of a delete marker named by version in its own way. */
    public static S3Exception deleteMarker() {
        return new S3Exception(
                S3Error.INVALID_REQUEST,
                "The source of a copy request may not specifically refer to a delete marker by"
                        + " version id.");
    }

    public void versionHeader(Answer answer, ObjectVersion source) {
        if (bucket.versioning() != VersioningState.UNVERSIONED) {
            answer.header("x-amz-copy-source-version-id", source.versionId());
        }
    }
}
