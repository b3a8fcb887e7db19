package io.volute.server.backup;

import io.volute.storage.CubeMaintenance.LogSnapshot;
import java.io.IOException;

/** The cubes of a store that other nodes of its cluster have. Thread-safe. */
@FunctionalInterface
public interface OtherCubes {
    /** There are no other nodes. */
    OtherCubes NONE =
            cube -> {
                throw new IOException("cube " + cube + " is on another node of the cluster");
            };

    /** A snapshot at the owner of a cube. Used by one thread. */
    interface Snapshot extends LogSnapshot {
        /**
         * Holds it, also while nothing of it is read. Call it often.
         *
         * @throws IOException when its owner has given it back
         */
        void hold() throws IOException;
    }

    /**
     * A snapshot of a cube.
     *
     * @param sequence of a commit; the snapshot has all up to it
     * @param log closed by its user
     */
    record Taken(long sequence, Snapshot log) {}

    /**
     * Takes a snapshot of a cube at its owner. Its reads fail when the cube gets another owner.
     *
     * @throws IOException when its owner cannot take it now; the message names the cube
     */
    Taken snapshot(String cube) throws IOException;
}
