package io.volute.versioning;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;

/** Views of the cubes that other nodes of a cluster have. Thread-safe. */
@FunctionalInterface
public interface CubeViews {
    /** No views: cubes of other nodes cannot be read. */
    CubeViews NONE =
            () ->
                    new Reading() {
                        @Override
                        public void awaitSystem() {}

                        @Override
                        public View view(String cube) throws CubeUnavailableException {
                            throw new CubeUnavailableException(
                                            Reason.NOT_OPEN,
                                            "cube " + cube + " is on another node of the cluster")
                                    .in(cube);
                        }
                    };

    /** Begins to read: each view has every commit that was acknowledged before this call. */
    Reading begin();

    /** Reads of other nodes' cubes, as of its beginning or later. Thread-safe. */
    interface Reading {
        /**
         * Waits, in a store of part of the cubes, until its list of cubes and its placements have
         * what the system cube had at the beginning. Does nothing in other stores.
         *
         * @throws CubeUnavailableException NOT_OPEN when they have not within a bounded time
         */
        void awaitSystem() throws CubeUnavailableException;

        /**
         * Uses a view of a cube, and waits for one that is new enough.
         *
         * @throws CubeUnavailableException NOT_OPEN, with the name of the cube, when there is none
         *     within a bounded time
         */
        View view(String cube) throws CubeUnavailableException;
    }

    /** The use of a view. */
    interface View extends AutoCloseable {
        /**
         * Returns the cube, for reading only; the same object to all users of one view. It fails
         * with NOT_OPEN when this node opens the cube.
         */
        Cube cube();

        /** Ends the use. Open readers of blobs stay open. */
        @Override
        void close();
    }
}
