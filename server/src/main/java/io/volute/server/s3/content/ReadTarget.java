package io.volute.server.s3.content;

import io.volute.server.auth.policy.Action;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.replication.ReplicaLookup;
import io.volute.server.s3.request.HttpDates;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.ReplicaOrigin;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.Optional;

/** Finds the version that a read means, and answers as S3 does when there is none to read. */
public final class ReadTarget {
    private ReadTarget() {}

    /** The version, which is not a delete marker. */
    public static ObjectVersion find(ObjectReader store, S3Request request) throws IOException {
        VersionSelector selector = selector(store, request);
        Optional<ObjectVersion> version =
                store.head(request.caller(), request.bucketInfo(), request.key(), selector);
        if (version.isEmpty()) {
            throw missing(request, selector);
        }
        if (version.get().deleteMarker()) {
            throw marker(request, selector, version.get());
        }
        requireJudged(request, version.get());
        return version.get();
    }

    /** Another Volute has no id for the replica of its version. */
    private static VersionSelector selector(ObjectReader store, S3Request request)
            throws IOException {
        Optional<ReplicaOrigin> origin =
                request.call() == S3Call.HEAD_OBJECT
                        ? request.header(ReplicaLookup.HEADER).flatMap(ReplicaOrigin::parse)
                        : Optional.empty();
        return origin.isEmpty()
                ? request.selector()
                : ReplicaLookup.find(
                                store,
                                request.caller(),
                                request.bucketInfo(),
                                request.key(),
                                origin.get())
                        .<VersionSelector>map(each -> new VersionSelector.Numbered(each.number()))
                        .orElseThrow(() -> noSuchVersion(request));
    }

    /** Since access was decided, another version may have taken the place of the judged one. */
    private static void requireJudged(S3Request request, ObjectVersion found) {
        switch (request.call()) {
            case GET_OBJECT, HEAD_OBJECT, GET_OBJECT_ATTRIBUTES ->
                    request.access().requireFound(Action.GET_OBJECT, request.thing(), found);
            case GET_OBJECT_ACL, PUT_OBJECT_ACL ->
                    request.access().requireFound(request.call().action(), request.thing(), found);
            default -> {}
        }
    }

    /** The version, opened; the caller closes its reader. */
    public static OpenObject open(ObjectReader store, S3Request request) throws IOException {
        VersionSelector selector = request.selector();
        try {
            OpenObject object =
                    store.open(request.caller(), request.bucketInfo(), request.key(), selector);
            try {
                requireJudged(request, object.version());
            } catch (S3Exception e) {
                object.reader().close();
                throw e;
            }
            return object;
        } catch (StoreException e) {
            if (e.reason() != Reason.IS_DELETE_MARKER) {
                throw e.reason() == Reason.NO_SUCH_KEY || e.reason() == Reason.NO_SUCH_VERSION
                        ? missing(request, selector)
                        : e;
            }
            Optional<ObjectVersion> marker =
                    store.head(request.caller(), request.bucketInfo(), request.key(), selector);
            throw marker.isPresent() && marker.get().deleteMarker()
                    ? marker(request, selector, marker.get())
                    : missing(request, selector);
        }
    }

    private static S3Exception missing(S3Request request, VersionSelector selector) {
        return switch (selector) {
            case VersionSelector.Latest latest ->
                    new S3Exception(S3Error.NO_SUCH_KEY).with("Key", request.key().value());
            case VersionSelector.NullVersion nullVersion -> noSuchVersion(request);
            case VersionSelector.Numbered numbered -> noSuchVersion(request);
        };
    }

    private static S3Exception noSuchVersion(S3Request request) {
        return new S3Exception(S3Error.NO_SUCH_VERSION)
                .with("Key", request.key().value())
                .with("VersionId", request.query().get("versionId").orElse(""));
    }

    private static S3Exception marker(
            S3Request request, VersionSelector selector, ObjectVersion marker) {
        S3Exception refused =
                switch (selector) {
                    case VersionSelector.Latest latest -> missing(request, selector);
                    case VersionSelector.NullVersion nullVersion -> notAllowed(marker);
                    case VersionSelector.Numbered numbered -> notAllowed(marker);
                };
        return refused.withHeader("x-amz-delete-marker", "true")
                .withHeader("x-amz-version-id", marker.versionId());
    }

    private static S3Exception notAllowed(ObjectVersion marker) {
        return new S3Exception(S3Error.METHOD_NOT_ALLOWED)
                .with("Method", "GET")
                .with("ResourceType", "DeleteMarker")
                .withHeader("allow", "DELETE")
                .withHeader("last-modified", HttpDates.header(marker.modified()));
    }
}
