package io.volute.versioning.causality;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** All edges ever recorded, and nothing of what the algorithms know of them. */
public final class VersionGraph {
    private final Map<VersionNode, Set<VersionNode>> edges = new TreeMap<>();

    public void add(VersionNode dependent, VersionNode ancestor) {
        edges.computeIfAbsent(dependent, none -> new TreeSet<>()).add(ancestor);
    }

    boolean hasEdge(VersionNode dependent, VersionNode ancestor) {
        return ancestors(dependent).contains(ancestor);
    }

    /** Returns whether there is a path of zero or more steps. */
    boolean reaches(VersionNode dependent, VersionNode ancestor) {
        return reachable(dependent).contains(ancestor);
    }

    /** The node and everything it depends on. */
    Set<VersionNode> reachable(VersionNode node) {
        Set<VersionNode> seen = new HashSet<>(Set.of(node));
        Deque<VersionNode> ahead = new ArrayDeque<>(seen);
        while (!ahead.isEmpty()) {
            for (VersionNode next : ancestors(ahead.pop())) {
                if (seen.add(next)) {
                    ahead.push(next);
                }
            }
        }
        return seen;
    }

    /** The nodes of a cycle, or none. */
    public List<VersionNode> cycle() {
        Set<VersionNode> done = new HashSet<>();
        for (VersionNode start : edges.keySet()) {
            List<VersionNode> cycle = cycleFrom(start, done);
            if (!cycle.isEmpty()) {
                return cycle;
            }
        }
        return List.of();
    }

    /** Depth first; what is on the way down and met again is a cycle. */
    private List<VersionNode> cycleFrom(VersionNode start, Set<VersionNode> done) {
        LinkedHashSet<VersionNode> way = new LinkedHashSet<>();
        Deque<VersionNode> ahead = new ArrayDeque<>(List.of(start));
        while (!ahead.isEmpty()) {
            VersionNode node = ahead.peek();
            boolean isLeft = !way.isEmpty() && way.getLast().equals(node);
            if (isLeft || done.contains(node)) {
                ahead.pop();
                if (isLeft) {
                    done.add(way.removeLast());
                }
                continue;
            }
            way.add(node);
            for (VersionNode next : ancestors(node)) {
                if (way.contains(next)) {
                    return way.stream().dropWhile(each -> !each.equals(next)).toList();
                }
                ahead.push(next);
            }
        }
        return List.of();
    }

    /** Returns the ancestors by recorded edges and by the implicit one to the version before. */
    private Set<VersionNode> ancestors(VersionNode node) {
        Set<VersionNode> ancestors = new TreeSet<>(edges.getOrDefault(node, Set.of()));
        if (node.version() > 1) {
            ancestors.add(new VersionNode(node.id(), node.version() - 1));
        }
        return ancestors;
    }
}
