package io.volute.versioning;

import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The cubes of a store: the system cube, which has the store's own rows, and others. Each cube has
 * its own log, index, history and signing keys, and fails alone. Thread-safe.
 */
public interface StoreCubes extends AutoCloseable {
    /** The name of the system cube, whose number is 0. */
    String SYSTEM = "default";

    /** The maximum number of cubes of a store. */
    int MOST_CUBES = 64;

    /** The form of the names of cubes, a regular expression. */
    String NAME_FORM = "[a-z0-9][a-z0-9-]{0,62}";

    /** The phase of a cube. */
    enum Phase {
        /** The cube is in recovery; its buckets are not available. */
        OPENING,
        /** The cube serves; its {@link CubeState} has the details. */
        OPEN,
        /** The cube could not be opened; its buckets are not available. */
        FAILED,
        /** The cube was closed. */
        CLOSED
    }

    /**
     * A cube.
     *
     * @param state of an open cube
     * @param why reason of a failure; empty otherwise
     * @param buckets number of the buckets of which it has keys
     */
    record CubeInfo(
            String name,
            int number,
            UUID id,
            Instant created,
            Phase phase,
            Optional<CubeState> state,
            String why,
            long buckets) {}

    /** An open cube, with the store of its buckets alone. */
    record Opened(String name, int number, Cube cube, VersionedStore store) {}

    /** The rule for the cube of a new bucket whose creator names none. */
    enum Placement {
        /** The system cube. */
        DEFAULT,
        /** The writable cube with the fewest buckets. */
        SPREAD
    }

    /** The files of the cubes. */
    interface Files {
        /** Opens a cube, which is created when its directory is new. */
        Cube open(String name) throws IOException;

        /** Returns the identity of a cube; empty when there is no such directory. */
        Optional<UUID> identity(String name) throws IOException;

        /** Prepares the store for a second cube. */
        void allowSeveralCubes() throws IOException;

        /** Deletes the index of a closed cube, so that it is rebuilt from the log. */
        void discardIndex(String name) throws IOException;

        /** Takes the directory of a closed cube out of the store; returns its new path. */
        String retire(String name, int number) throws IOException;
    }

    /** Follows the cubes. Called by one thread at a time for each cube. */
    interface Follower {
        /** Called after a cube was opened, also for those that are open already. */
        void opened(Opened cube);

        /** Called before a cube is closed. */
        void closing(Opened cube);
    }

    /** Returns the store of all buckets. */
    VersionedStore store();

    /** Returns all cubes, by number. */
    List<CubeInfo> list();

    /** Returns the open cubes, by number; the system cube is the first. */
    List<Opened> opened();

    /** Returns the name of the cube of a bucket; empty when there is no such bucket. */
    Optional<String> cubeOf(BucketName bucket);

    /**
     * Creates a cube.
     *
     * @throws StoreException INVALID_ARGUMENT for a wrong or used name, or too many cubes
     */
    CubeInfo create(String name) throws IOException;

    /**
     * Takes a cube without buckets out of the store. Its directory is renamed and stays: only the
     * operator deletes the history and the chains of its former buckets.
     *
     * @return the new path of the directory
     * @throws StoreException INVALID_ARGUMENT for the system cube, and for one that has buckets
     */
    String delete(String name) throws IOException;

    /**
     * Closes a cube and opens it again, in the background. Others are not affected.
     *
     * @param rebuildIndex whether its index is deleted in between
     * @throws StoreException INVALID_ARGUMENT for the system cube, and for one that is being opened
     */
    CubeInfo reopen(String name, boolean rebuildIndex) throws IOException;

    /** The phase of a move. Stored by ordinal. */
    enum MovePhase {
        /** The bucket is copied; clients use it where it was. */
        COPYING,
        /** Clients use the bucket in the new cube; its rows are removed where it was. */
        CLEARING,
        /** The move was given up; the copy is removed. */
        ABANDONING
    }

    /**
     * The keys of a bucket in one cube.
     *
     * @param cube its name
     */
    record Part(KeyRange range, String cube) {}

    /**
     * A move of a bucket, or of a range of its keys, to another cube that has not ended.
     *
     * @param range the keys that move
     * @param isRunning whether it goes on now
     * @param keys number of keys that the present pass has compared
     * @param why the reason why it does not go on; empty otherwise
     */
    record Move(
            BucketName bucket,
            String from,
            String to,
            KeyRange range,
            MovePhase phase,
            Instant began,
            boolean isRunning,
            long keys,
            String why) {}

    /** The moves of buckets to another cube. Thread-safe. */
    interface Moves {
        /**
         * Begins to move a bucket, in the background, or resumes its move. A move back to the cube
         * that has the bucket gives up the one that is being copied.
         *
         * @throws StoreException NO_SUCH_BUCKET; INVALID_ARGUMENT when there is no such cube, when
         *     the bucket is there already, or moves to another cube
         */
        Move start(BucketName bucket, String cube) throws IOException;

        /**
         * Begins to move the keys from one on, up to the end of the range that has it, to a cube
         * without keys of the bucket, or resumes that. A split at a key whose merge is being copied
         * gives the merge up, if it names the cube of the part.
         *
         * @throws StoreException NO_SUCH_BUCKET; INVALID_ARGUMENT when there is no such cube, when
         *     it is the system cube or has keys of the bucket, when a part begins at the key, when
         *     a restore of the bucket runs, or when other keys of it move
         */
        Move split(BucketName bucket, ObjectKey at, String cube) throws IOException;

        /**
         * Begins to move the part that begins at a key to the cube of the keys before it, or
         * resumes that. A merge at the key of a split that is being copied gives the split up.
         *
         * @throws StoreException NO_SUCH_BUCKET; INVALID_ARGUMENT when no part begins at the key,
         *     when a restore of the bucket runs, or when other keys of it move
         */
        Move merge(BucketName bucket, ObjectKey at) throws IOException;

        /** Returns the ranges of keys of a bucket with their cubes, in the order of the keys. */
        List<Part> parts(BucketName bucket);

        /** Returns the moves that have not ended, by the name of the bucket. */
        List<Move> list();
    }

    /** Returns the moves of buckets. */
    Moves moves();

    /** Sets the follower, and passes it the open cubes at once. */
    void follow(Follower follower);

    /** Waits until no cube is being opened, at most for this time. */
    void awaitOpened(Duration patience) throws InterruptedException;

    /** Closes all cubes. */
    @Override
    void close() throws IOException;
}
