package io.volute.versioning;

import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
        CLOSED,
        /** Another node of the cluster has the cube. */
        ELSEWHERE
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

        /** Notes that a cube which was opened is closed, so that another node can open it. */
        default void closed(String name) {}

        /** Returns whether another node has the cube, so that this one does not open it. */
        default boolean isElsewhere(String name) {
            return false;
        }

        /** Returns the views of cubes that other nodes have. */
        default CubeViews views() {
            return CubeViews.NONE;
        }
    }

    /**
     * The owners of cubes that other nodes have. An implementation does not wait for a cube that
     * this node takes. Thread-safe.
     */
    interface Elsewhere {
        /** No owner: all calls are refused. */
        Elsewhere NOBODY =
                new Elsewhere() {
                    @Override
                    public BucketInfo createBucket(
                            String cube,
                            Caller caller,
                            BucketName name,
                            boolean locking,
                            Map<BucketDocument, String> documents)
                            throws IOException {
                        throw unknown(cube);
                    }

                    @Override
                    public void deleteBucket(String cube, Caller caller, BucketRef bucket)
                            throws IOException {
                        throw unknown(cube);
                    }

                    @Override
                    public List<BucketInfo> buckets(String cube) throws IOException {
                        throw unknown(cube);
                    }

                    private CubeUnavailableException unknown(String cube) {
                        return new CubeUnavailableException(
                                        CubeUnavailableException.Reason.NOT_OPEN,
                                        "cube " + cube + " has no known owner")
                                .in(cube);
                    }
                };

        /**
         * Calls {@link StoreCubes#createHere} at the owner of a cube.
         *
         * @throws StoreException refused by the owner
         * @throws CubeUnavailableException NOT_OPEN, BUSY or FULL when nothing was changed
         * @throws IOException otherwise, when it is not known whether the bucket was created
         */
        BucketInfo createBucket(
                String cube,
                Caller caller,
                BucketName name,
                boolean locking,
                Map<BucketDocument, String> documents)
                throws IOException;

        /** Calls {@link StoreCubes#deleteHere} at the owner of a cube; fails as createBucket. */
        void deleteBucket(String cube, Caller caller, BucketRef bucket) throws IOException;

        /** Calls {@link StoreCubes#bucketsHere} at the owner of a cube. */
        List<BucketInfo> buckets(String cube) throws IOException;
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

    /** Returns the open cubes, by number. The system cube is the first while it is here. */
    List<Opened> opened();

    /**
     * Returns the name of the home cube of a bucket, also of one that is not open. While another
     * node has the system cube, those of the buckets in the open cubes are known, and of those that
     * the system cube had placed in other cubes when it was last read.
     *
     * @return empty when there is no such bucket, or it is not known
     */
    Optional<String> cubeOf(BucketName bucket);

    /** Returns the name of the cube of a key, as {@link #cubeOf(BucketName)} does. */
    Optional<String> cubeOf(BucketName bucket, ObjectKey key);

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
     * @throws StoreException INVALID_ARGUMENT for the system cube, for one that has buckets, and
     *     for one of another node
     */
    String delete(String name) throws IOException;

    /**
     * Closes a cube and opens it again, in the background. Others are not affected.
     *
     * @param rebuildIndex whether its index is deleted in between
     * @throws StoreException INVALID_ARGUMENT for the system cube, for one that is being opened,
     *     and for one of another node
     */
    CubeInfo reopen(String name, boolean rebuildIndex) throws IOException;

    /**
     * Closes a cube, which is ELSEWHERE then: another node can open it. Waits while the cube is
     * being opened. Moves of its buckets pause. Does nothing when it is ELSEWHERE already. With the
     * system cube, those close that have no owner of their own, and all moves pause.
     *
     * @throws StoreException INVALID_ARGUMENT when there is no such cube
     */
    void release(String cube) throws IOException;

    /**
     * Opens a cube that is ELSEWHERE, in the calling thread. No other node may have it open. Waits
     * while the cube is being opened. Does nothing when it is open already. After the system cube,
     * those that have no owner of their own are opened in the background.
     *
     * @throws IOException when it cannot be opened; it is ELSEWHERE then
     * @throws StoreException INVALID_ARGUMENT when there is no such cube
     */
    void take(String cube) throws IOException;

    /**
     * Reads the list of cubes, the placements and the moves again, while another node has the
     * system cube. Call it before {@link #take}, when the view of the system cube has what its
     * owner committed before it gave the cube away.
     */
    void refresh() throws IOException;

    /**
     * Creates a bucket in an open cube, for the node that has the system cube and committed the
     * placement. Returns the bucket of this caller that is there already.
     *
     * @throws StoreException BUCKET_OWNED_BY_OTHER; INVALID_ARGUMENT when there is no such cube
     * @throws CubeUnavailableException NOT_OPEN when the cube is not open here
     */
    BucketInfo createHere(
            String cube,
            Caller caller,
            BucketName name,
            boolean locking,
            Map<BucketDocument, String> documents)
            throws IOException;

    /**
     * Deletes a bucket with its parts, for the node that has the system cube and removes the
     * placement after that.
     *
     * @param cube the home cube of the bucket
     * @throws StoreException NO_SUCH_BUCKET, BUCKET_NOT_EMPTY; INVALID_ARGUMENT when there is no
     *     such cube
     * @throws CubeUnavailableException NOT_OPEN when the cube is not open here
     */
    void deleteHere(String cube, Caller caller, BucketRef bucket) throws IOException;

    /**
     * Returns the buckets of an open cube, with those that {@link #createHere} had begun to create.
     *
     * @throws CubeUnavailableException NOT_OPEN when the cube is not open here
     */
    List<BucketInfo> bucketsHere(String cube) throws IOException;

    /**
     * Removes the placement of a bucket that the owner of its cube has deleted. Does nothing when
     * its cube is here.
     */
    void deletedElsewhere(BucketName bucket) throws IOException;

    /**
     * Compares the placements with the buckets of a cube that is ELSEWHERE: removes placements
     * without a bucket, and adds those that are missing. Call it when an owner serves the cube.
     * Does nothing when the cube is not ELSEWHERE.
     *
     * @throws IOException when the owner of the cube does not answer
     */
    void reconcileElsewhere(String cube) throws IOException;

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
     * @param keys number of keys that the present pass has compared or removed
     * @param keysTotal number of keys when they were counted; clients write meanwhile; 0 before
     * @param pass number of the present pass, from 1; 0 before the first one
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
            long keysTotal,
            int pass,
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

        /** Returns the buckets of which several cubes have keys, by name. */
        List<BucketName> divided();

        /** Returns the moves that have not ended, by the name of the bucket. */
        List<Move> list();

        /**
         * Returns whether the outcome of a commit is not known that changed the cube of a bucket:
         * only a store that is opened again can serve that bucket.
         */
        boolean areUndecided();
    }

    /** Returns the moves of buckets. */
    Moves moves();

    /** Returns the reads of clients that this process exchanges with other owners of cubes. */
    SharedReads reads();

    /**
     * Gives an open cube the keys of auditors and principals that the system cube has, and ends
     * those that have ended there. Does nothing for the system cube, and for one that is not open.
     *
     * @throws IOException when it cannot be done now; repeat it
     */
    void followKeys(String cube) throws IOException;

    /** Sets the follower, and passes it the open cubes at once. */
    void follow(Follower follower);

    /** Waits until no cube is being opened, at most for this time. */
    void awaitOpened(Duration patience) throws InterruptedException;

    /** Closes all cubes. */
    @Override
    void close() throws IOException;
}
