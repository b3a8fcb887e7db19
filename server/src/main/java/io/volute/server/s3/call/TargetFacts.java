package io.volute.server.s3.call;

import io.volute.server.auth.policy.ConditionKeys;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The facts about the target of an action that conditions of policies and ACLs depend on. Keeps the
 * version that it looked up last. For use by one thread.
 */
final class TargetFacts {
    private static final String EXISTING_TAG = "s3:existingobjecttag/";
    private static final String RESOURCE_TAG = "aws:resourcetag/";
    private static final String BUCKET_TAG = "s3:buckettag/";
    private static final String REQUEST_TAG = "s3:requestobjecttag/";
    private static final String REQUEST_TAG_KEYS = "s3:requestobjecttagkeys";

    /** The moment whose policy and facts decide. */
    enum Judged {
        /** The moment that the request is about: the present, or an instant of the past. */
        SEEN,
        /** The present, of a request that is about the past: the same version now, or last. */
        NOW,
        /** Likewise: the object that the key has now. */
        IN_PLACE
    }

    private final Caller caller;
    private final ConditionKeys request;
    private final Supplier<Map<String, String>> requestTags;
    private final ConditionKeys requestLock;
    private Optional<Found> last = Optional.empty();
    private Optional<ObjectVersion> inPlace = Optional.empty();

    /**
     * @param request the facts that do not depend on the target
     * @param requestTags the tags that the request sends; read only when a policy depends on them
     * @param requestLock the lock, likewise
     */
    TargetFacts(
            Caller caller,
            ConditionKeys request,
            Supplier<Map<String, String>> requestTags,
            ConditionKeys requestLock) {
        this.caller = caller;
        this.request = request;
        this.requestTags = requestTags;
        this.requestLock = requestLock;
    }

    /** Returns whether a condition key is about the tags of a bucket. */
    static boolean isOfBucketTag(String key) {
        return key.startsWith(BUCKET_TAG) || key.startsWith(RESOURCE_TAG);
    }

    /** Returns the values of a condition key. */
    List<String> values(String key, Access.Thing thing, Judged judged) {
        if (key.startsWith(EXISTING_TAG)) {
            return ConditionKeys.tag(existingTags(thing, judged), key);
        }
        if (key.startsWith(BUCKET_TAG) || key.startsWith(RESOURCE_TAG) && thing.key().isEmpty()) {
            return ConditionKeys.tag(bucketTags(thing, judged), key);
        }
        boolean isOfObject = !thing.key().isEmpty();
        String tag = isOfObject ? REQUEST_TAG : Access.NEW_TAG;
        if (key.startsWith(tag)) {
            return ConditionKeys.tag(requestTags.get(), key);
        }
        if (key.equals(isOfObject ? REQUEST_TAG_KEYS : Access.NEW_TAG_KEYS)) {
            return List.copyOf(requestTags.get().keySet());
        }
        return key.startsWith(RequestLock.PREFIX) ? requestLock.values(key) : request.values(key);
    }

    private static Map<String, String> bucketTags(Access.Thing thing, Judged judged) {
        Optional<BucketInfo> bucket =
                switch (judged) {
                    case SEEN -> thing.bucket();
                    case NOW, IN_PLACE ->
                            thing.bucket().map(then -> thing.view().now(then).orElse(then));
                };
        return bucket.map(Tags::ofBucket).orElse(Map.of());
    }

    private Map<String, String> existingTags(Access.Thing thing, Judged judged) {
        return version(thing, judged)
                .<Map<String, String>>map(version -> version.attributes().tags())
                .orElse(Map.of());
    }

    /** Returns the version that is the target, with its attributes of a moment. */
    Optional<ObjectVersion> version(Access.Thing thing, Judged judged) {
        return switch (judged) {
            case SEEN -> of(thing);
            case NOW -> now(thing);
            case IN_PLACE -> inPlace;
        };
    }

    /**
     * A version that was looked up.
     *
     * @param version empty when there is none
     */
    private record Found(Access.Thing thing, Optional<ObjectVersion> version) {}

    /** Returns the version, with its attributes of the moment that the request is about. */
    Optional<ObjectVersion> of(Access.Thing thing) {
        if (last.filter(known -> known.thing().equals(thing)).isEmpty()) {
            last = Optional.of(new Found(thing, find(thing)));
        }
        return last.get().version();
    }

    /** Returns the version, with its present attributes or the last that it had. */
    Optional<ObjectVersion> now(Access.Thing thing) {
        Optional<ObjectVersion> version = of(thing);
        if (version.isEmpty()) {
            return version;
        }
        try {
            return Optional.of(
                    thing.view().seen().lastKnown(thing.bucket().orElseThrow(), version.get()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns whether a past version is seen by no request about the present, and looks up the
     * object that is in its place.
     *
     * @param bucket as it is now
     */
    boolean isReplaced(Access.Thing thing, BucketInfo bucket) {
        Optional<ObjectVersion> then = of(thing);
        if (then.isEmpty()) {
            return false;
        }
        Optional<ObjectVersion> latest = present(thing, bucket, VersionSelector.LATEST);
        inPlace = latest.filter(each -> !each.deleteMarker());
        long number = then.get().number();
        return latest.filter(each -> each.number() == number).isEmpty()
                && present(thing, bucket, new VersionSelector.Numbered(number)).isEmpty();
    }

    private Optional<ObjectVersion> present(
            Access.Thing thing, BucketInfo bucket, VersionSelector selector) {
        try {
            return thing.view()
                    .present()
                    .head(caller, bucket, S3Request.keyOf(thing.key()), selector);
        } catch (StoreException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether this is the version that was looked up last. */
    boolean was(ObjectVersion version) {
        return last.flatMap(Found::version)
                .filter(known -> known.number() == version.number())
                .isPresent();
    }

    /** Replaces the version that was looked up. */
    void set(Access.Thing thing, ObjectVersion version) {
        last = Optional.of(new Found(thing, Optional.of(version)));
    }

    private Optional<ObjectVersion> find(Access.Thing thing) {
        if (thing.bucket().isEmpty() || thing.key().isEmpty()) {
            return Optional.empty();
        }
        try {
            return thing.view()
                    .seen()
                    .head(
                            caller,
                            thing.bucket().get(),
                            S3Request.keyOf(thing.key()),
                            S3Request.selectorOf(thing.versionId()));
        } catch (StoreException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
