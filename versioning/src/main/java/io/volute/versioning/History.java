package io.volute.versioning;

import io.volute.versioning.Caller.Parent;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What happened to the keys of a store, and who did it. Answers come in pages; what happened before
 * a call is in them. Thread-safe; methods block. They throw {@link StoreException} as {@link
 * ObjectStore} does.
 */
public interface History {

    // ---- one key

    /**
     * A state of a key, as the history knows it.
     *
     * @param number of the version; states that a change of tags made share it
     * @param causalVersion that the state belongs to: what stands in the graph
     * @param deleteMarker S3's clients see that nothing is there
     * @param visible S3's clients can see it: it is the current one, or a noncurrent version
     * @param began when its causal version became the current one
     * @param written when it was written last; states that an actor wrote before, in the same
     *     causal version, are not there any more
     * @param ended when something else became current; empty for what is
     * @param actor that wrote it; empty when it was written before there was history
     */
    record KeyState(
            ObjectKey key,
            long number,
            boolean nullVersion,
            long causalVersion,
            boolean deleteMarker,
            boolean visible,
            Instant began,
            Instant written,
            Optional<Instant> ended,
            long bytes,
            String etag,
            Optional<ActorVersion> actor) {

        /** The version id that a client sees or saw. */
        public String versionId() {
            return VersionId.format(number, nullVersion);
        }

        /**
         * The id that names the version here, also when clients see or saw {@code null}: of many
         * null versions that were overwritten each has one.
         */
        public String stateId() {
            return VersionId.format(number, false);
        }
    }

    /** An actor at one of its versions. */
    record ActorVersion(ActorInfo actor, long version) {}

    /**
     * @param next give it to the next call; empty when there is no more
     */
    record Page<T>(List<T> entries, Optional<String> next) {}

    /** All states of a key that are kept, newest first; also of a bucket that was deleted. */
    Page<KeyState> states(
            Caller caller, BucketName bucket, ObjectKey key, Optional<String> from, int max)
            throws IOException;

    // ---- actors

    /**
     * One run of an actor, from its first event to the end of its session.
     *
     * @param parent the lasting access key that began its session; empty when there is no session,
     *     and for actors that an earlier version recorded
     */
    record ActorInfo(
            long id,
            String principal,
            String accessKey,
            Optional<Parent> parent,
            ActorName called,
            Instant began) {

        /** Returns the label of its name. */
        public String name() {
            return called.label();
        }

        /** Returns the user behind it: of a session, the user of its lasting access key. */
        public String user() {
            return parent.map(Parent::principal).orElse(principal);
        }

        /** Whether it has an access key, or a session that this key began. */
        public boolean isWith(String key) {
            return accessKey.equals(key)
                    || parent.filter(begun -> begun.accessKey().equals(key)).isPresent();
        }
    }

    /**
     * Conditions on actors; all that are given must hold.
     *
     * @param accessKey of the actor, or of the lasting key that began its session
     * @param user of the access key, or of the lasting key that began its session
     * @param name as {@link ActorName#isCalled} compares it
     */
    record ActorFilter(Optional<String> accessKey, Optional<String> user, Optional<String> name) {
        /** The filter that every actor passes. */
        public static final ActorFilter ALL =
                new ActorFilter(Optional.empty(), Optional.empty(), Optional.empty());

        public static ActorFilter ofAccessKey(String key) {
            return new ActorFilter(Optional.of(key), Optional.empty(), Optional.empty());
        }

        public static ActorFilter ofUser(String user) {
            return new ActorFilter(Optional.empty(), Optional.of(user), Optional.empty());
        }

        public static ActorFilter ofName(String name) {
            return new ActorFilter(Optional.empty(), Optional.empty(), Optional.of(name));
        }

        public boolean matches(ActorInfo actor) {
            return (accessKey.isEmpty() || actor.isWith(accessKey.get()))
                    && (user.isEmpty() || actor.user().equals(user.get()))
                    && (name.isEmpty() || actor.called().isCalled(name.get()));
        }
    }

    /** Actors that pass a filter, the latest first. */
    Page<ActorInfo> actors(ActorFilter filter, Optional<String> from, int max) throws IOException;

    /** What somebody did. */
    enum Action {
        READ,
        PUT,
        DELETE_MARKER,
        REMOVE,
        TAG,
        LOCK
    }

    /**
     * @param bucket its name, or its id when it was deleted
     * @param source that the state was copied from
     */
    record Activity(
            Instant at,
            ActorVersion actor,
            Action action,
            String bucket,
            ObjectKey key,
            long causalVersion,
            Optional<Place> source) {}

    /** A causal version of a key, named so that people recognise it. */
    record Place(String bucket, ObjectKey key, long causalVersion) {}

    /**
     * Which activities are wanted; empty means all.
     *
     * @param actor id of one run of an actor
     */
    record ActivityFilter(
            Optional<Long> actor,
            ActorFilter who,
            Optional<Instant> since,
            Optional<Instant> until) {}

    /**
     * What was done, in the order in which it was written down: a read with the next write of its
     * actor.
     */
    Page<Activity> activity(ActivityFilter filter, Optional<String> from, int max)
            throws IOException;

    // ---- the graph

    /** Something in the causal graph: an actor at one of its versions, or a place. */
    sealed interface Node {
        record OfActor(ActorVersion actor) implements Node {}

        record OfObject(Place place) implements Node {}
    }

    /**
     * An edge on the way: {@code node} is reached because of {@code through}, which is nearer to
     * where the trace began.
     */
    record Step(Instant at, Node node, Node through, Action action) {}

    /** Where a trace goes. */
    enum Direction {
        /** To what the state was made from. */
        BACK,
        /** To what was made from the state. */
        FORWARD
    }

    /**
     * Follows the edges from a state, in the order of what happened; each node is told once. Looks
     * at what edges go on from, whatever the size of the graph; only what was reached is kept in
     * memory. A trace that reaches more than a million nodes fails with INVALID_ARGUMENT there.
     *
     * @param version a version of the key, hidden ones too, or the current one
     */
    Page<Step> trace(
            Direction direction,
            BucketName bucket,
            ObjectKey key,
            Optional<VersionSelector> version,
            Optional<String> from,
            int max)
            throws IOException;

    // ---- how much there is

    /** What was decided since start; nothing, where nobody counts. */
    default CausalityStats stats() {
        return CausalityStats.NONE;
    }

    /**
     * @param states kept that S3's clients cannot see
     * @param bytes of their content; what they share with others counts as well
     */
    record Kept(long states, long bytes) {}

    /** Counts what a bucket keeps; walks all of it. */
    Kept kept(BucketName bucket);

    /** Removes states that ended before an instant, for good; returns how many. */
    long purge(Caller caller, BucketName bucket, Instant before) throws IOException;
}
