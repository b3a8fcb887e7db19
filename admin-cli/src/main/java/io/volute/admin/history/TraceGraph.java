package io.volute.admin.history;

import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.HistoryApi;
import io.volute.adminapi.HistoryApi.Actor;
import io.volute.adminapi.HistoryApi.Place;
import io.volute.adminapi.HistoryApi.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A trace as a graph to be drawn: what it begins with, and what was reached from there. */
final class TraceGraph {
    /** The direction of a trace along the edges. */
    enum Direction {
        BACK,
        FORWARD
    }

    /** The kind of entity that a node represents. */
    enum Kind {
        ACTOR,
        OBJECT
    }

    /**
     * @param index in the order in which it was reached
     * @param title and detail: lines to be shown, nothing in them is invisible
     * @param distance in edges from the beginning
     */
    record Node(int index, Kind kind, String title, String detail, int distance) {}

    /** A causal edge from a source to its effect, labelled with the action. */
    record Edge(Node source, Node target, String action) {}

    private final Direction direction;
    private final Map<Record, Node> nodes = new LinkedHashMap<>();
    private final List<Edge> edges = new ArrayList<>();
    private final Node unknownRoot;

    /** The key is drawn when nothing was reached from it. */
    TraceGraph(Direction direction, String bucket, String key) {
        this.direction = direction;
        this.unknownRoot =
                new Node(0, Kind.OBJECT, AnswerFormat.visible(bucket + "/" + key), "", 0);
    }

    Direction direction() {
        return direction;
    }

    List<Node> nodes() {
        return nodes.isEmpty() ? List.of(unknownRoot) : List.copyOf(nodes.values());
    }

    List<Edge> edges() {
        return edges;
    }

    /** Adds a step of the server's answer; what it goes through is nearer to the beginning. */
    void add(Step step) {
        Node through = node(step.through(), 0);
        Node reached = node(step.node(), through.distance() + 1);
        String action = AnswerFormat.visible(step.action());
        edges.add(
                switch (direction) {
                    case BACK -> new Edge(reached, through, action);
                    case FORWARD -> new Edge(through, reached, action);
                });
    }

    private Node node(HistoryApi.Node node, int distance) {
        if (node.actor().isEmpty() && node.object().isEmpty()) {
            // Each stands for others than the one before.
            Node closed = new Node(nodes.size(), Kind.OBJECT, AnswerFormat.CLOSED, "", distance);
            nodes.put(closed, closed);
            return closed;
        }
        return nodes.computeIfAbsent(
                node,
                unused ->
                        node.actor()
                                .map(actor -> actor(actor, distance))
                                .orElseGet(() -> object(node.object().orElseThrow(), distance)));
    }

    private Node actor(Actor actor, int distance) {
        return new Node(
                nodes.size(),
                Kind.ACTOR,
                AnswerFormat.visible(AnswerFormat.client(actor)),
                AnswerFormat.visible(
                        AnswerFormat.number(actor) + ", " + AnswerFormat.credential(actor)),
                distance);
    }

    private Node object(Place place, int distance) {
        return new Node(
                nodes.size(),
                Kind.OBJECT,
                AnswerFormat.visible(place.bucket() + "/" + place.key()),
                "causal version " + place.causalVersion(),
                distance);
    }
}
