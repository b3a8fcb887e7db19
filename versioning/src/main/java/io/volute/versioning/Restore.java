package io.volute.versioning;

import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.History.Page;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Puts keys back to what they were. Never rewrites history: it adds states that hold what older
 * ones held, without moving bytes, is itself in the history, and can be undone like anything else.
 * Thread-safe.
 */
public interface Restore {

    /** What keys are to be put back to. */
    sealed interface Goal {
        /** What was current at an instant. */
        record ToInstant(Instant instant) implements Goal {}

        /**
         * What was current before an actor touched the key first since then; where others wrote it
         * in between, and the actor again behind them, what the last of them wrote.
         *
         * @param actor id of one run of an actor
         */
        record UndoActor(long actor, Instant since) implements Goal {}

        /**
         * The same for all actors with a name.
         *
         * @param name or how it begins, when no other does so; otherwise INVALID_ARGUMENT
         * @param user whose actors are meant; may be empty when only one user has such actors,
         *     otherwise INVALID_ARGUMENT
         */
        record UndoName(String name, Optional<String> user, Instant since) implements Goal {
            public UndoName(String name, Instant since) {
                this(name, Optional.empty(), since);
            }
        }

        /** The same for all actors with an access key, and all sessions that this key began. */
        record UndoAccessKey(String accessKey, Instant since) implements Goal {}

        /** The same for all access keys of a user, and all sessions that these keys began. */
        record UndoUser(String user, Instant since) implements Goal {}

        /**
         * What was current before anything derived from this version touched the key.
         *
         * @param bucket of the version, wherever its victims are
         * @param version empty for the current one
         * @param cause when this version is not where it began: of what it was made from, the first
         *     that this somebody wrote is taken in its stead
         */
        record BeforeTaint(
                BucketName bucket,
                ObjectKey key,
                Optional<VersionSelector> version,
                Optional<Cause> cause)
                implements Goal {
            /** Before this version itself. */
            public BeforeTaint(
                    BucketName bucket, ObjectKey key, Optional<VersionSelector> version) {
                this(bucket, key, version, Optional.empty());
            }
        }
    }

    /** Who is behind something. */
    sealed interface Cause {
        /**
         * @param name or how it begins, as in {@link Goal.UndoName}
         */
        record ByName(String name) implements Cause {}

        /** Everybody with this access key, or a session that this key began. */
        record ByAccessKey(String accessKey) implements Cause {}

        /** All access keys of a user, and all sessions that these keys began. */
        record ByUser(String user) implements Cause {}
    }

    /** What to do with keys that somebody else has written since. */
    enum OnConflict {
        /** They stay as they are, and are told. */
        SKIP,
        /** They are put back like the others; what was written since is kept in the history. */
        OVERWRITE
    }

    /**
     * @param prefix of the keys
     */
    record Request(BucketName bucket, String prefix, Goal goal, OnConflict onConflict) {}

    /**
     * What is done with a key; keys that are what they shall be are not told.
     *
     * @param now what is current; empty for nothing
     * @param then what it is put back to; empty for nothing
     * @param why in words
     * @param exact false when the state to be put back was written again behind the instant, or the
     *     key is lost
     * @param lost why it is not known what the key held then, in words; empty when that is known
     * @param conflict who has written the key since, in words
     */
    record Line(
            ObjectKey key,
            Optional<KeyState> now,
            Optional<KeyState> then,
            String why,
            boolean exact,
            Optional<String> lost,
            Optional<String> conflict) {}

    /**
     * Another bucket that the goal concerns; a restore is of one bucket and leaves it alone.
     *
     * @param bucket its name
     * @param writes and deletes there that a restore of it would undo
     */
    record Elsewhere(String bucket, long writes) {}

    /**
     * Somebody whose writes a restore undoes, in one or more runs.
     *
     * @param actor the first of these runs that wrote
     * @param writes and deletes in all buckets that a restore would undo
     */
    record Author(ActorInfo actor, long writes) {}

    /**
     * Everybody whose writes a restore undoes.
     *
     * @param authors those with the most writes first, at most {@value #SHOWN_MAX}
     * @param total authors, also those that are not shown
     * @param sessions that the access key of the goal began, and whose actors are still known; 0
     *     for other goals
     */
    record Authors(List<Author> authors, long total, long sessions) {
        public static final int SHOWN_MAX = 100;

        /** Nobody: the goal is an instant. */
        public static final Authors NONE = new Authors(List.of(), 0, 0);
    }

    /**
     * A page of what a restore would do.
     *
     * @param next as that of a {@link Page}
     * @param elsewhere by name, on every page; none when the goal is an instant
     * @param authors on every page
     */
    record Plan(
            List<Line> entries,
            Optional<String> next,
            List<Elsewhere> elsewhere,
            Authors authors) {}

    /** What a restore would do, by key; changes nothing. */
    Plan plan(Caller caller, Request request, Optional<String> from, int max) throws IOException;

    /** Where a restore is. */
    enum Phase {
        RUNNING,
        DONE,
        /** It met something that it cannot go on from, and says what. */
        FAILED,
        CANCELLED
    }

    /**
     * @param actor that its writes have in the history, to undo it by name
     * @param restored keys that were put back
     * @param skipped keys with conflicts, and those that are lost and were left as they are
     * @param total keys that it will have looked at; 0 when that is not known
     */
    record Run(
            String id,
            Request request,
            Phase phase,
            Instant began,
            String actor,
            long looked,
            long restored,
            long skipped,
            long total,
            String message) {}

    /**
     * Begins a restore, which goes on when the caller does not wait, and after a restart of the
     * store. The instants of the request are settled now.
     */
    Run start(Caller caller, Request request) throws IOException;

    /** Fails with INVALID_ARGUMENT when there is no such run. */
    Run run(String id);

    /** The latest first. */
    List<Run> runs();

    /** What is put back stays so. */
    Run cancel(String id);
}
