package io.volute.admin.history;

import io.volute.admin.output.AnswerFormat;
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
    private final Map<Map<String, Object>, Node> nodes = new LinkedHashMap<>();
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

    /** Adds a step of the server's document; what it goes through is nearer to the beginning. */
    void add(Map<String, Object> step) {
        Node through = node(AnswerFormat.map(step, "through"), 0);
        Node reached = node(AnswerFormat.map(step, "node"), through.distance() + 1);
        String action = AnswerFormat.visible(AnswerFormat.text(step, "action"));
        edges.add(
                switch (direction) {
                    case BACK -> new Edge(reached, through, action);
                    case FORWARD -> new Edge(through, reached, action);
                });
    }

    private Node node(Map<String, Object> document, int distance) {
        return nodes.computeIfAbsent(
                document,
                unused ->
                        document.containsKey("actor")
                                ? actor(AnswerFormat.map(document, "actor"), distance)
                                : object(AnswerFormat.map(document, "object"), distance));
    }

    private Node actor(Map<String, Object> actor, int distance) {
        String detail =
                "actor "
                        + AnswerFormat.text(actor, "id")
                        + "."
                        + AnswerFormat.text(actor, "version")
                        + ", "
                        + AnswerFormat.credential(actor);
        return new Node(
                nodes.size(),
                Kind.ACTOR,
                AnswerFormat.visible(AnswerFormat.client(actor)),
                AnswerFormat.visible(detail),
                distance);
    }

    private Node object(Map<String, Object> place, int distance) {
        return new Node(
                nodes.size(),
                Kind.OBJECT,
                AnswerFormat.visible(
                        AnswerFormat.text(place, "bucket") + "/" + AnswerFormat.text(place, "key")),
                "causal version " + AnswerFormat.visible(AnswerFormat.text(place, "causalVersion")),
                distance);
    }
}
