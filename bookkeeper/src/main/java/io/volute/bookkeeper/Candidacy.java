package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterView.Node;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides when a node stands for election. The node that the operator wants stands first, drained
 * nodes stand last. Nodes that would have to build an index stand behind other usual ones. A node
 * of a lower rank stands too when no other has the role after a while: an order of the operator
 * never leaves the store without an owner.
 *
 * @param self name of this node
 * @param session time after which the servers give a node up that does not answer
 */
record Candidacy(String self, Duration session) {
    private static final int WANTED = 0;
    private static final int USUAL = 2;
    private static final int BUILDING = 3;
    private static final int DRAINED = 4;

    /**
     * A node whose take-over has failed stands again after a session. The greatest difference of
     * ranks waits for half of that, so that another node tries in between.
     */
    private static final int RANKS_PER_SESSION = 8;

    /**
     * The orders of the operator.
     *
     * @param wanted the node that shall have the store next
     * @param drained nodes that shall not have it
     */
    record Orders(Optional<String> wanted, Set<String> drained) {
        Orders {
            drained = Set.copyOf(drained);
        }

        private int rank(Node node) {
            if (drained.contains(node.name())) {
                return DRAINED;
            }
            if (wanted.filter(node.name()::equals).isPresent()) {
                return WANTED;
            }
            return node.isReady() ? USUAL : BUILDING;
        }
    }

    /**
     * Returns whether this node stands now.
     *
     * @param nodes all that are registered
     * @param vacantNanos time for which there has been no owner
     */
    boolean standsNow(List<Node> nodes, Orders orders, long vacantNanos) {
        Node unregistered = new Node(self, "", "", false);
        int own =
                orders.rank(
                        nodes.stream()
                                .filter(each -> each.name().equals(self))
                                .findFirst()
                                .orElse(unregistered));
        int best = nodes.stream().mapToInt(orders::rank).min().orElse(own);
        return vacantNanos >= (own - best) * session.toNanos() / RANKS_PER_SESSION;
    }
}
