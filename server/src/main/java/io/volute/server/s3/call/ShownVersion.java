package io.volute.server.s3.call;

import io.volute.versioning.StoreException;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * Looks up the version that a request would show, for a policy or an ACL that depends on it. Keeps
 * the last one. For use by one thread.
 */
final class ShownVersion {
    private final Caller caller;
    private Optional<Found> last = Optional.empty();

    /**
     * A version that was looked up.
     *
     * @param version empty when there is none
     */
    private record Found(Access.Thing thing, Optional<ObjectVersion> version) {}

    ShownVersion(Caller caller) {
        this.caller = caller;
    }

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
