package io.volute.admin.history;

import io.volute.admin.history.TraceGraph.Edge;
import io.volute.admin.history.TraceGraph.Kind;
import io.volute.admin.history.TraceGraph.Node;

/** A graph in Graphviz's language, as UTF-8. */
final class DotDrawing {
    private DotDrawing() {}

    /**
     * @param note below the graph; empty for none
     */
    static String of(TraceGraph graph, String note) {
        StringBuilder text = new StringBuilder();
        text.append("digraph trace {\n  rankdir=LR;\n  charset=\"UTF-8\";\n");
        if (!note.isEmpty()) {
            text.append("  label=").append(quoted(note)).append(";\n");
        }
        for (Node node : graph.nodes()) {
            text.append("  n").append(node.index()).append(" [label=").append(label(node));
            text.append(node.kind() == Kind.ACTOR ? ", shape=ellipse" : ", shape=box");
            text.append(node.distance() == 0 ? ", style=bold];\n" : "];\n");
        }
        for (Edge edge : graph.edges()) {
            text.append("  n").append(edge.source().index());
            text.append(" -> n").append(edge.target().index());
            text.append(" [label=").append(quoted(edge.action())).append("];\n");
        }
        return text.append("}\n").toString();
    }

    private static String label(Node node) {
        return node.detail().isEmpty()
                ? quoted(node.title())
                : "\"" + escaped(node.title()) + "\\n" + escaped(node.detail()) + "\"";
    }

    private static String quoted(String text) {
        return "\"" + escaped(text) + "\"";
    }

    /** Only these two mean something between quotes; line breaks are visible ones already. */
    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"");
    }
}
