package io.volute.versioning;

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
     * @param name of the session, or as the client called itself, or its address and program
     */
    record ActorInfo(long id, String principal, String accessKey, String name, Instant began) {}

    /** Actors, the latest first; with an access key or a name, those that have it. */
    Page<ActorInfo> actors(
            Optional<String> accessKey, Optional<String> name, Optional<String> from, int max)
            throws IOException;

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
     * @param name as the client called itself
     */
    record ActivityFilter(
            Optional<Long> actor,
            Optional<String> accessKey,
            Optional<String> name,
            Optional<Instant> since,
            Optional<Instant> until) {}

    /** What was done, the earliest first. */
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
