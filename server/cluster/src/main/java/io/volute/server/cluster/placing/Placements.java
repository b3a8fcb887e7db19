package io.volute.server.cluster.placing;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterView;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The nodes of a cluster and the placements of cubes, in ZooKeeper. Thread-safe. */
public interface Placements {
    /** Returns the nodes that run. */
    List<ClusterView.Node> nodes();

    /** Returns the names of nodes that have run since this node began, whether they run or not. */
    Set<String> seen();

    /** Returns the names of the nodes that shall have no cubes. */
    Set<String> drained();

    /** Returns the node of each placed cube. */
    Map<String, String> placed();

    /**
     * Places a cube. {@link #placed} has the placement then.
     *
     * @param sequence last commit of the system cube that its owner must know
     * @throws IOException if this node does not own the store any more, or ZooKeeper does not
     *     answer
     */
    void place(String cube, String node, long sequence) throws IOException;

    /**
     * Ends the placement of a cube that was deleted, so that another one can have its name.
     *
     * @throws IOException as {@link #place} does
     */
    void remove(String cube) throws IOException;

    /** Returns the placements as a membership has them, for the owner of one election. */
    static Placements of(ClusterMembership membership, long own) {
        return new Placements() {
            @Override
            public List<ClusterView.Node> nodes() {
                return membership.view().nodes();
            }

            @Override
            public Set<String> seen() {
                return membership.seen();
            }

            @Override
            public Set<String> drained() {
                return membership.view().drained();
            }

            @Override
            public Map<String, String> placed() {
                return membership.placed();
            }

            @Override
            public void place(String cube, String node, long sequence) throws IOException {
                membership.place(cube, node, sequence, own);
                try {
                    awaitPlaced(membership, cube, node, own);
                } catch (InterruptedException e) {
                    // The cube is placed, but this node has not seen it yet.
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void remove(String cube) throws IOException {
                membership.unplace(cube, own);
            }
        };
    }

    /** Ends with the election, too: the next owner of the store may place the cube elsewhere. */
    private static void awaitPlaced(
            ClusterMembership membership, String cube, String node, long own)
            throws InterruptedException {
        long changes = -1;
        while (!node.equals(membership.placed().get(cube))
                && !membership.isLeaving()
                && membership.store().election() == own) {
            changes = membership.awaitPlacedChange(changes, TimeUnit.SECONDS.toNanos(1));
        }
    }
}
