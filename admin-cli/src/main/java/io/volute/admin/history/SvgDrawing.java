package io.volute.admin.history;

import io.volute.admin.history.TraceGraph.Direction;
import io.volute.admin.history.TraceGraph.Edge;
import io.volute.admin.history.TraceGraph.Kind;
import io.volute.admin.history.TraceGraph.Node;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A graph as a picture: nodes of one distance in a column, in the order in which they were reached;
 * time goes from left to right, so a trace back begins at the right.
 */
final class SvgDrawing {
    private static final int NODE_WIDTH = 260;
    private static final int NODE_HEIGHT = 40;
    private static final int COLUMN_WIDTH = 360;
    private static final int ROW_HEIGHT = 60;
    private static final int MARGIN = 20;
    private static final int NOTE_HEIGHT = 24;

    /** Maximum number of characters in a node's label. */
    private static final int CHARS = 36;

    private final TraceGraph graph;
    private final String note;
    private final Map<Node, Integer> rows = new HashMap<>();
    private final int columnCount;
    private final int rowCount;

    /**
     * @param note below the picture; empty for none
     */
    SvgDrawing(TraceGraph graph, String note) {
        this.graph = graph;
        this.note = note;
        Map<Integer, Integer> heights = new HashMap<>();
        for (Node node : graph.nodes()) {
            rows.put(node, heights.merge(node.distance(), 1, Integer::sum) - 1);
        }
        columnCount = heights.keySet().stream().mapToInt(each -> each + 1).max().orElse(1);
        rowCount = heights.values().stream().mapToInt(each -> each).max().orElse(1);
    }

    String text() {
        int width = 2 * MARGIN + (columnCount - 1) * COLUMN_WIDTH + NODE_WIDTH;
        int height =
                2 * MARGIN
                        + (rowCount - 1) * ROW_HEIGHT
                        + NODE_HEIGHT
                        + (note.isEmpty() ? 0 : NOTE_HEIGHT);
        StringBuilder svg = new StringBuilder();
        svg.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                        + " viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"11\">",
                width,
                height,
                width,
                height);
        svg.append(
                """
                <defs><marker id="arrow" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="7" \
                markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" fill="#555"/></marker>\
                </defs>
                <rect width="100%" height="100%" fill="#fff"/>
                """);
        graph.edges().forEach(edge -> draw(edge, svg));
        graph.nodes().forEach(node -> draw(node, svg));
        if (!note.isEmpty()) {
            add(svg, "<text x=\"%d\" y=\"%d\">%s</text>", MARGIN, height - MARGIN, escaped(note));
        }
        return svg.append("</svg>\n").toString();
    }

    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private int left(Node node) {
        int column =
                graph.direction() == Direction.BACK
                        ? columnCount - 1 - node.distance()
                        : node.distance();
        return MARGIN + column * COLUMN_WIDTH;
    }

    private int top(Node node) {
        return MARGIN + rows.get(node) * ROW_HEIGHT;
    }

    private void draw(Node node, StringBuilder svg) {
        int left = left(node);
        int top = top(node);
        add(
                svg,
                "<g><title>%s</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\""
                        + " fill=\"%s\" stroke=\"#555\" stroke-width=\"%d\"/>",
                escaped(node.title() + "\n" + node.detail()),
                left,
                top,
                NODE_WIDTH,
                NODE_HEIGHT,
                node.kind() == Kind.ACTOR ? NODE_HEIGHT / 2 : 3,
                node.kind() == Kind.ACTOR ? "#e8f0fe" : "#fff8e1",
                node.distance() == 0 ? 2 : 1);
        add(
                svg,
                "<text x=\"%d\" y=\"%d\">%s</text><text x=\"%d\" y=\"%d\" fill=\"#555\">%s</text>"
                        + "</g>",
                left + 10,
                top + 17,
                escaped(cut(node.title())),
                left + 10,
                top + 31,
                escaped(cut(node.detail())));
    }

    /** An S from the right side of one node to the left side of another. */
    private void draw(Edge edge, StringBuilder svg) {
        int x1 = left(edge.source()) + NODE_WIDTH;
        int y1 = top(edge.source()) + NODE_HEIGHT / 2;
        int x2 = left(edge.target());
        int y2 = top(edge.target()) + NODE_HEIGHT / 2;
        int middle = (x1 + x2) / 2;
        add(
                svg,
                "<path d=\"M%d %dC%d %d %d %d %d %d\" fill=\"none\" stroke=\"#555\""
                        + " marker-end=\"url(#arrow)\"/>",
                x1,
                y1,
                middle,
                y1,
                middle,
                y2,
                x2,
                y2);
        add(
                svg,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#555\">%s</text>",
                middle,
                (y1 + y2) / 2 - 4,
                escaped(edge.action()));
    }

    /** The beginning of a long text; all of it is in the title. */
    private static String cut(String text) {
        return text.codePointCount(0, text.length()) <= CHARS
                ? text
                : text.substring(0, text.offsetByCodePoints(0, CHARS - 1)) + "…";
    }

    /** Characters that XML does not allow at all are visible ones already. */
    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
