package io.volute.versioning;

import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.Caller.Parent;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * The history of a store: the states of its keys, and the actors that read and wrote them. Results
 * come in pages and include all events before the call. Thread-safe; methods block. They throw
 * {@link StoreException} as {@link ObjectStore} does.
 */
public interface History {

    // ---- one key

    /**
     * A kept state of a key.
     *
     * @param number number of the version; states of a change of tags share it
     * @param causalVersion causal version of the state, its node in the graph
     * @param deleteMarker whether S3 clients see the key as absent
     * @param visible whether S3 clients can see it: it is the current version or a noncurrent one
     * @param began time at which its causal version became the current one
     * @param written time of the last write; earlier states of the same causal version are not kept
     * @param ended time at which another state became current; empty for the current one
     * @param bytes content length
     * @param actor writer of the state; empty when it was written before history was recorded
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

        /** Returns the version id that a client sees or saw. */
        public String versionId() {
            return VersionId.format(number, nullVersion);
        }

        /**
         * Returns the id that names the version in the history, also when clients see {@code null}:
         * each of several overwritten null versions has its own.
         */
        public String stateId() {
            return VersionId.format(number, false);
        }
    }

    /** An actor at one of its versions. */
    record ActorVersion(ActorInfo actor, long version) {}

    /**
     * A page of results.
     *
     * @param next token for the next call; empty on the last page
     */
    record Page<T>(List<T> entries, Optional<String> next) {}

    /**
     * Returns all kept states of a key, newest first. The bucket may be deleted.
     *
     * @param from token of the previous page; empty for the first
     * @param max 1 to 1000 entries
     * @throws StoreException NO_SUCH_BUCKET; INVALID_ARGUMENT for a wrong token or page size
     */
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

        /** Returns whether it has this access key, or a session that this key began. */
        public boolean isWith(String key) {
            return accessKey.equals(key)
                    || parent.filter(begun -> begun.accessKey().equals(key)).isPresent();
        }
    }

    /**
     * Conditions on actors, all of which must hold.
     *
     * @param accessKey access key of the actor, or the lasting key that began its session
     * @param user user of the access key, or of the lasting key that began its session
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

    /** Returns the actors that pass a filter, the latest first. */
    Page<ActorInfo> actors(ActorFilter filter, Optional<String> from, int max) throws IOException;

    /** The kinds of activity. */
    enum Action {
        READ,
        PUT,
        DELETE_MARKER,
        REMOVE,
        TAG,
        LOCK,
        ACL
    }

    /**
     * A read or write of an actor.
     *
     * @param bucket its name, or its id when it was deleted
     * @param source source of a copy
     */
    record Activity(
            Instant at,
            ActorVersion actor,
            Action action,
            String bucket,
            ObjectKey key,
            long causalVersion,
            Optional<Place> source) {}

    /** A causal version of a key, with the bucket's name. */
    record Place(String bucket, ObjectKey key, long causalVersion) {}

    /**
     * The conditions on activities; empty ones always hold.
     *
     * @param actor id of one run of an actor
     */
    record ActivityFilter(
            Optional<Long> actor,
            ActorFilter who,
            Optional<Instant> since,
            Optional<Instant> until) {}

    /**
     * Returns activities in the order in which they were logged: a read together with the next
     * write of its actor.
     */
    Page<Activity> activity(ActivityFilter filter, Optional<String> from, int max)
            throws IOException;

    // ---- the graph

    /**
     * A node of the causal graph: an actor at one of its versions, or a causal version of a key.
     */
    sealed interface Node {
        record OfActor(ActorVersion actor) implements Node {}

        record OfObject(Place place) implements Node {}

        /**
         * A state outside of the reader's scope. There is one for each node that leads to such
         * states.
         */
        record Closed() implements Node {}
    }

    /**
     * The part of the graph that a reader may see. A state outside of it is a closed node: a trace
     * shows that something is there and does not go beyond it. For use by one thread.
     */
    interface TraceScope {
        /** The whole graph. */
        TraceScope ALL =
                new TraceScope() {
                    @Override
                    public boolean has(String bucket, long bucketId, ObjectKey key, Instant at) {
                        return true;
                    }

                    @Override
                    public int nodesMax() {
                        return 1_000_000;
                    }
                };

        /**
         * Returns whether the reader may see a state.
         *
         * @param bucket name of its bucket; {@code #} and the id when the name is not known
         * @param at time of the event that leads to the state
         */
        boolean has(String bucket, long bucketId, ObjectKey key, Instant at);

        /** Returns the maximum number of reached nodes. */
        int nodesMax();
    }

    /**
     * An edge of a trace: {@code node} is reached from {@code through}, which is nearer to the
     * start.
     */
    record Step(Instant at, Node node, Node through, Action action) {}

    /** The direction of a trace. */
    enum Direction {
        /** To the ancestors of the state. */
        BACK,
        /** To the states derived from the state. */
        FORWARD
    }

    /**
     * Follows the edges from a state, in the order of events; returns each node once. The cost
     * depends on the reached edges, not on the size of the graph. The reached nodes are in memory.
     *
     * @param version a version of the key, which may be invisible to clients; empty for the current
     *     one
     * @param scope the part of the graph that the reader may see; that the reader may list the key
     *     is the caller's duty
     * @throws StoreException INVALID_ARGUMENT when more nodes are reached than the scope allows;
     *     NO_SUCH_KEY or NO_SUCH_VERSION when there is no such state
     */
    Page<Step> trace(
            Direction direction,
            BucketName bucket,
            ObjectKey key,
            Optional<VersionSelector> version,
            Optional<String> from,
            int max,
            TraceScope scope)
            throws IOException;

    /** Follows the edges from a state for a reader who may see everything. */
    default Page<Step> trace(
            Direction direction,
            BucketName bucket,
            ObjectKey key,
            Optional<VersionSelector> version,
            Optional<String> from,
            int max)
            throws IOException {
        return trace(direction, bucket, key, version, from, max, TraceScope.ALL);
    }

    // ---- how much there is

    /** Returns counters since start; zeros if the implementation has none. */
    default CausalityStats stats() {
        return CausalityStats.NONE;
    }

    /**
     * Returns the name of the cube that has the history of the last bucket of a name, which is
     * deleted. Empty if none had the name, and for a store of one cube.
     *
     * @param isEverywhere whether cubes of other nodes are read, too, in views
     * @throws io.volute.storage.CubeUnavailableException when a view cannot be had now
     */
    default Optional<String> cubeOf(BucketName deleted, boolean isEverywhere) throws IOException {
        return Optional.empty();
    }

    /**
     * The size of the kept states.
     *
     * @param states kept states that S3 clients cannot see
     * @param bytes bytes of their content, including bytes shared with other states
     */
    record Kept(long states, long bytes) {}

    /** Counts the kept states of a bucket. Scans all of them. */
    Kept kept(BucketName bucket);

    /**
     * The size of a bucket, in bytes of content, including bytes shared with other states.
     *
     * @param objects current versions, without delete markers
     * @param bytes bytes of these
     * @param versions noncurrent versions, with delete markers
     * @param versionBytes bytes of these
     * @param kept states that S3 clients cannot see
     */
    record BucketSize(long objects, long bytes, long versions, long versionBytes, Kept kept) {
        /** Returns the size of two parts of a bucket together. */
        public BucketSize plus(BucketSize other) {
            return new BucketSize(
                    objects + other.objects,
                    bytes + other.bytes,
                    versions + other.versions,
                    versionBytes + other.versionBytes,
                    new Kept(
                            kept.states() + other.kept.states(),
                            kept.bytes() + other.kept.bytes()));
        }
    }

    /**
     * Measures a bucket. Scans the rows of all its versions and states.
     *
     * @throws io.volute.storage.CubeUnavailableException when a cube of it is not open
     */
    BucketSize size(BucketName bucket) throws IOException;

    /** Removes states that ended before an instant, permanently; returns the number removed. */
    long purge(Caller caller, BucketRef bucket, Instant before) throws IOException;

    /** Destroys the data keys of a key's states. */
    interface Erasure {
        /** Returns whether the content of a state cannot be read afterwards. */
        boolean covers(ObjectAttributes state);

        /**
         * Destroys the data keys of all states of a key; returns when they are gone.
         *
         * @return numbers of the destroyed erasure secrets, for the signed entry
         */
        SortedSet<Long> run(List<ObjectAttributes> states) throws IOException;
    }

    /**
     * Makes the content of all states of a key unreadable for good, and records it in the key's
     * chain. The states stay, with their metadata.
     *
     * @return the number of states
     * @throws StoreException NO_SUCH_KEY without a state; LOCKED if one is locked; INVALID_ARGUMENT
     *     if the erasure does not cover all of them. Nothing has changed then
     */
    int shred(Caller caller, BucketRef bucket, ObjectKey key, Erasure erasure) throws IOException;
}
