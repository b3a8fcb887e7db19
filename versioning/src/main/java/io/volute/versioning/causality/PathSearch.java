package io.volute.versioning.causality;

import io.volute.versioning.causality.CausalGraph.Node;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * A search for a path between two nodes from both ends, one edge at a time on each side in turn.
 * Each side alone would find the path. The first side without further edges ends the search, so its
 * cost is bounded by the smaller side. A new version has no dependents and a new actor no
 * ancestors, so most records cost one step.
 */
final class PathSearch {
    private enum Direction {
        TO_ANCESTORS,
        TO_DEPENDENTS
    }

    private final Direction direction;
    private final Node goal;
    private final Set<Node> visited = new HashSet<>();
    private final Deque<Iterator<Node>> ahead = new ArrayDeque<>();
    private boolean isFound;

    private PathSearch(Direction direction, Node start, Node goal) {
        this.direction = direction;
        this.goal = goal;
        visit(start);
    }

    /** Returns whether the first node depends on the second in zero or more steps. */
    static boolean isPath(Node dependent, Node ancestor) {
        if (dependent == ancestor) {
            return true;
        }
        PathSearch down = new PathSearch(Direction.TO_ANCESTORS, dependent, ancestor);
        PathSearch up = new PathSearch(Direction.TO_DEPENDENTS, ancestor, dependent);
        while (!down.isFound && !up.isFound) {
            if (!down.step() || !up.step()) {
                return false;
            }
        }
        return true;
    }

    /** Follows one edge; returns false when there is none left. */
    private boolean step() {
        while (!ahead.isEmpty() && !ahead.peek().hasNext()) {
            ahead.pop();
        }
        if (ahead.isEmpty()) {
            return false;
        }
        Node node = ahead.peek().next();
        if (node == goal) {
            isFound = true;
        } else if (!node.isPruned()) {
            visit(node);
        }
        return true;
    }

    private void visit(Node node) {
        if (!visited.add(node)) {
            return;
        }
        switch (direction) {
            case TO_ANCESTORS -> {
                ahead.push(node.ancestors().iterator());
                ahead.push(List.of(node.previous()).iterator());
            }
            case TO_DEPENDENTS -> ahead.push(node.dependents().iterator());
        }
    }
}
