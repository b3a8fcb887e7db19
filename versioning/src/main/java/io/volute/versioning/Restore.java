package io.volute.versioning;

import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.History.Page;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Puts keys back to past states. A restore never rewrites history. It adds states with the content
 * of older ones, without moving bytes. It is itself in the history and can be undone. Thread-safe.
 */
public interface Restore {

    /** The state that keys are put back to. */
    sealed interface Goal {
        /** The state that was current at an instant. */
        record ToInstant(Instant instant) implements Goal {}

        /**
         * The last state that is not condemned. Condemned are the writes and deletes of the sources
         * and everything derived from them. A state that a restore brought back counts as the write
         * that made its origin. The states that an earlier undo of the bucket condemned are not
         * chosen either, unless that undo was undone.
         *
         * @param sources at least one
         * @param avoided further sources: their states are not chosen, and keys that only they
         *     wrote stay
         * @param since earlier writes of the sources are not condemned; versions have no such limit
         * @param withDerived false to condemn the writes of the sources alone
         */
        record Undo(List<Source> sources, List<Source> avoided, Instant since, boolean withDerived)
                implements Goal {
            public Undo {
                sources = List.copyOf(sources);
                avoided = List.copyOf(avoided);
            }
        }

        /** Returns the goal of undoing one source and everything derived from it. */
        static Undo undo(Source source, Instant since) {
            return new Undo(List.of(source), List.of(), since, true);
        }

        /** Returns the goal of undoing restores alone. */
        static Undo undoRestores(List<String> ids) {
            List<Source> runs = ids.stream().<Source>map(Source.Run::new).toList();
            return new Undo(runs, List.of(), Instant.EPOCH, false);
        }
    }

    /** The origin of unwanted states. */
    sealed interface Source {
        /**
         * One run of an actor.
         *
         * @param id id of the run
         */
        record Actor(long id) implements Source {}

        /**
         * The actors with a name.
         *
         * @param name the name, or a prefix of exactly one name; otherwise INVALID_ARGUMENT
         * @param user user of the actors; may be empty if only one user has such actors, otherwise
         *     INVALID_ARGUMENT
         */
        record Name(String name, Optional<String> user) implements Source {}

        /** The actors with this access key, or a session that this key began. */
        record AccessKey(String accessKey) implements Source {}

        /** The actors with any access key of a user, or a session that such a key began. */
        record User(String user) implements Source {}

        /**
         * A version of a key.
         *
         * @param bucket bucket of the version; the restored keys may be in another one
         * @param version empty for the current one
         * @param cause selects, among the ancestors of this version, the first write of this cause
         *     as the version to undo, and avoids its states; empty to undo this version itself
         */
        record Version(
                BucketName bucket,
                ObjectKey key,
                Optional<VersionSelector> version,
                Optional<Source> cause)
                implements Source {}

        /**
         * The writes of a restore in the same bucket.
         *
         * @param id id of one run
         */
        record Run(String id) implements Source {}
    }

    /** The action for keys with later writes of others. */
    enum OnConflict {
        /** Leaves these keys unchanged and reports them. */
        SKIP,
        /** Puts these keys back like the others; the later states are kept in the history. */
        OVERWRITE
    }

    /**
     * A request for a restore.
     *
     * @param prefix prefix of the keys; empty for all
     */
    record Request(BucketName bucket, String prefix, Goal goal, OnConflict onConflict) {}

    /**
     * The planned change of a key. Keys that already have the wanted state have no line.
     *
     * @param now present state; empty for none
     * @param then state to put back; empty for none
     * @param why description of the reason
     * @param exact false when the state to put back was written again after the instant, or is not
     *     known
     * @param lost the reason why the state of the key is not known; empty when it is known
     * @param conflict description of a later write to the key by somebody else, or of the reason
     *     why the state to put back is unwanted
     * @param undoneBy description of the undo that condemned the state to put back
     */
    record Line(
            ObjectKey key,
            Optional<KeyState> now,
            Optional<KeyState> then,
            String why,
            boolean exact,
            Optional<String> lost,
            Optional<String> conflict,
            Optional<String> undoneBy) {}

    /**
     * Another bucket that the goal affects. A restore changes one bucket only.
     *
     * @param bucket its name
     * @param writes writes and deletes that a restore of that bucket would undo
     */
    record Elsewhere(String bucket, long writes) {}

    /**
     * A run of an actor whose writes a restore undoes.
     *
     * @param writes writes and deletes in all buckets that a restore would undo
     * @param first time of the first of them
     * @param last time of the last of them
     * @param isDerived whether all of them are undone only because they are derived
     */
    record Author(ActorInfo actor, long writes, Instant first, Instant last, boolean isDerived) {}

    /**
     * The authors whose writes a restore undoes.
     *
     * @param authors those with the most writes first, at most {@value #SHOWN_MAX}
     * @param total number of authors, including those not in {@code authors}
     * @param sessions number of sessions that the access key of the goal began and whose actors are
     *     still recorded; 0 for other goals
     */
    record Authors(List<Author> authors, long total, long sessions) {
        public static final int SHOWN_MAX = 100;

        /** No authors: the goal is an instant. */
        public static final Authors NONE = new Authors(List.of(), 0, 0);
    }

    /**
     * A page of the changes that a restore would make.
     *
     * @param next token as in a {@link Page}
     * @param elsewhere other buckets by name, on every page; none when the goal is an instant
     * @param authors on every page
     * @param warnings sentences about the whole plan, on every page
     */
    record Plan(
            List<Line> entries,
            Optional<String> next,
            List<Elsewhere> elsewhere,
            Authors authors,
            List<String> warnings) {}

    /** Returns the changes that a restore would make, by key; changes nothing. */
    Plan plan(Caller caller, Request request, Optional<String> from, int max) throws IOException;

    /** The phase of a restore. */
    enum Phase {
        RUNNING,
        DONE,
        /** The restore ended with an error, which the message of the run has. */
        FAILED,
        CANCELLED
    }

    /**
     * A restore and its progress. A restore of a divided bucket has one run in the cube of each
     * part: {@link #start} returns them as one, whose id joins their ids by hyphens, and {@link
     * #runs} lists each.
     *
     * @param actor actor name of its writes in the history, for an undo by name
     * @param looked keys that were examined
     * @param restored keys that were put back or removed
     * @param removed those of them that were removed
     * @param skipped keys that were left: those with conflicts, and those whose state to put back
     *     is not known
     * @param unknown those of them whose state to put back is not known
     * @param total keys to examine; 0 when that is not known
     * @param message the reason of a wait or a failure; empty otherwise
     */
    record Run(
            String id,
            Request request,
            Phase phase,
            Instant began,
            String actor,
            long looked,
            long restored,
            long removed,
            long skipped,
            long unknown,
            long total,
            String message) {}

    /**
     * Begins a restore. It runs in the background and resumes after a restart of the store. The
     * instants and versions of the request are resolved now.
     */
    Run start(Caller caller, Request request) throws IOException;

    /**
     * Returns a restore.
     *
     * @throws StoreException INVALID_ARGUMENT when there is none with this id
     */
    Run run(String id);

    /**
     * Returns the name of the cube that has a restore, whether the cube is open or not; empty for
     * an id of no restore, and for restores of one cube alone.
     */
    default Optional<String> cubeOf(String id) {
        return Optional.empty();
    }

    /** Returns all restores, the latest first. */
    List<Run> runs();

    /**
     * Cancels a restore and waits for its running commit. Restored keys stay restored.
     *
     * @throws StoreException INVALID_ARGUMENT when there is none with this id
     */
    Run cancel(String id);
}
