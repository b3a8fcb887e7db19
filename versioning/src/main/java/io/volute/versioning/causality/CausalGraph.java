package io.volute.versioning.causality;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The versions that can still become part of a cycle, with their edges in both directions. A
 * version outside the graph is frozen with all its ancestors, or has no recorded ancestors. Pruning
 * follows the edges of the pruned node, so that each edge is visited once. Not thread-safe.
 */
final class CausalGraph {
    /** The nodes by id and version: neighbours of one id are the ends of implicit edges. */
    private final TreeMap<VersionNode, Node> nodes = new TreeMap<>();

    /**
     * Nodes that are not frozen and have no ancestor in the graph, in the order of their arrival.
     */
    private final LinkedHashSet<Node> roots = new LinkedHashSet<>();

    private long edges;

    /** Set when an unfrozen node has been dropped. */
    private boolean isForgetful;

    /** A version; without edges once it is pruned. */
    static final class Node {
        private final VersionNode version;

        /** Ancestors by recorded edges, including pruned ones: the memory of rule GF.dup. */
        private final Map<VersionNode, Node> ancestors = new HashMap<>(4);

        private final List<Node> dependents = new ArrayList<>(2);

        /**
         * The version before, by the implicit edge; the node itself if that was not in the graph.
         */
        private Node previous = this;

        /**
         * Number of edges to ancestors in the graph, as often as this node is among their
         * dependents.
         */
        private int ancestorsLeft;

        private boolean isFrozen;
        private boolean isPruned;

        private Node(VersionNode version) {
            this.version = version;
        }

        boolean isPruned() {
            return isPruned;
        }

        Collection<Node> ancestors() {
            return ancestors.values();
        }

        Collection<Node> dependents() {
            return dependents;
        }

        Node previous() {
            return previous;
        }

        private int edges() {
            return ancestors.size() + (previous == this ? 0 : 1);
        }
    }

    int nodeCount() {
        return nodes.size();
    }

    long edgeCount() {
        return edges;
    }

    /** Returns whether no edge may begin at this version any more, as far as is known. */
    boolean isFrozen(VersionNode version) {
        Node node = nodes.get(version);
        return node == null ? isForgetful || newerThan(version).isPresent() : node.isFrozen;
    }

    /** Returns the version of the same object in the graph that follows this one. */
    Optional<VersionNode> newerThan(VersionNode version) {
        return Optional.ofNullable(nodes.higherKey(version))
                .filter(newer -> newer.id() == version.id());
    }

    /** Returns whether the first version depends on the second by a single edge. */
    boolean isEdge(VersionNode dependent, VersionNode ancestor) {
        if (dependent.id() == ancestor.id() && dependent.version() == ancestor.version() + 1) {
            return true;
        }
        Node node = nodes.get(dependent);
        return node != null && node.ancestors.containsKey(ancestor);
    }

    /** Returns whether the first version depends on the second in zero or more steps. */
    boolean isPath(VersionNode dependent, VersionNode ancestor) {
        if (dependent.equals(ancestor)) {
            return true;
        }
        // A version outside the graph begins its paths with the implicit edge.
        Optional<Node> from = upTo(dependent);
        Node to = nodes.get(ancestor);
        return to != null && from.isPresent() && PathSearch.isPath(from.get(), to);
    }

    /** Adds an edge, which closes no cycle. */
    void add(VersionNode dependent, VersionNode ancestor, Sessions ancestorSessions) {
        Node from = nodes.get(dependent);
        if (from == null) {
            from = insert(dependent);
        }
        if (from.ancestors.containsKey(ancestor)) {
            return;
        }
        Node to = nodes.get(ancestor);
        if (to == null) {
            // A dropped version has no earlier version in the graph.
            boolean isForgotten = isForgetful && upTo(ancestor).isEmpty();
            to = isForgotten ? pruned(ancestor) : insert(ancestor);
        }
        from.ancestors.put(ancestor, to);
        edges++;
        if (!to.isPruned) {
            attach(from, to);
            if (ancestorSessions == Sessions.CLOSED) {
                freeze(to);
            } else {
                pruneIfDone(to);
            }
        }
    }

    /** Freezes a version: no edge will begin at it any more. */
    void freeze(VersionNode version) {
        Node node = nodes.get(version);
        if (node != null) {
            freeze(node);
        }
    }

    /** Drops nodes until no more than this many nodes and edges are left. */
    void shrinkTo(long sizeMax) {
        while (nodes.size() + edges > sizeMax && !nodes.isEmpty()) {
            isForgetful = true;
            if (roots.isEmpty()) {
                // The recorded edges form a cycle, in which no node is ever pruned.
                forgetAll();
            } else {
                freeze(roots.getFirst());
            }
        }
    }

    /** Returns this version, or else the newest one before it in the graph. */
    private Optional<Node> upTo(VersionNode version) {
        return Optional.ofNullable(nodes.floorEntry(version))
                .filter(entry -> entry.getKey().id() == version.id())
                .map(Map.Entry::getValue);
    }

    private Node insert(VersionNode version) {
        Node node = new Node(version);
        node.isFrozen = newerThan(version).isPresent();
        if (!node.isFrozen) {
            roots.add(node);
        }
        Optional<Node> before = upTo(version);
        nodes.put(version, node);
        before.ifPresent(older -> follow(node, older));
        return node;
    }

    /** Adds the implicit edge, which also freezes the version before. */
    private void follow(Node node, Node older) {
        node.previous = older;
        edges++;
        attach(node, older);
        freeze(older);
    }

    private void attach(Node dependent, Node ancestor) {
        ancestor.dependents.add(dependent);
        dependent.ancestorsLeft++;
        roots.remove(dependent);
    }

    private void freeze(Node node) {
        node.isFrozen = true;
        roots.remove(node);
        pruneIfDone(node);
    }

    private void pruneIfDone(Node first) {
        Deque<Node> done = new ArrayDeque<>();
        offerIfDone(first, done);
        while (!done.isEmpty()) {
            Node node = done.pop();
            nodes.remove(node.version);
            edges -= node.edges();
            node.isPruned = true;
            for (Node dependent : node.dependents) {
                dependent.ancestorsLeft--;
                offerIfDone(dependent, done);
            }
            // Dependents keep the pruned node as a key. It must not keep other nodes alive.
            node.ancestors.clear();
            node.dependents.clear();
            node.previous = node;
        }
    }

    private void offerIfDone(Node node, Deque<Node> done) {
        if (node.ancestorsLeft > 0 || node.isPruned) {
            return;
        }
        if (node.isFrozen) {
            done.push(node);
        } else {
            roots.add(node);
        }
    }

    private void forgetAll() {
        nodes.clear();
        edges = 0;
    }

    private static Node pruned(VersionNode version) {
        Node node = new Node(version);
        node.isPruned = true;
        return node;
    }
}
