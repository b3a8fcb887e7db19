package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterView.Node;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lines of text in a node of ZooKeeper, behind a line with their format. */
final class ClusterRecord {
    private static final String FORMAT = "format 1";
    private static final String READY = "ready";
    private static final String BUILDING = "building";
    private static final Pattern LAG = Pattern.compile("lag (\\S+) ([0-9]{1,18})");

    private ClusterRecord() {}

    static byte[] encode(String... lines) {
        return (FORMAT + "\n" + String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the lines behind the format, and as many empty ones as are missing.
     *
     * @param content null if the node has none
     * @throws IOException if a later release wrote the node, or something else did
     */
    static List<String> decode(byte[] content, String path, int count) throws IOException {
        if (content == null) {
            throw damaged(path);
        }
        List<String> lines = new String(content, StandardCharsets.UTF_8).lines().toList();
        if (lines.isEmpty() || !lines.getFirst().equals(FORMAT)) {
            throw new IOException(
                    "the node "
                            + path
                            + " in ZooKeeper has another format than '"
                            + FORMAT
                            + "': a later release runs in this cluster. Start that release on this"
                            + " node, too; nothing was changed.");
        }
        if (lines.size() <= count) {
            throw damaged(path);
        }
        return lines.subList(1, lines.size());
    }

    /** Encodes the registration of a node. */
    static byte[] encode(Node node) {
        List<String> lines = new ArrayList<>();
        lines.add(node.address());
        lines.add(node.version());
        lines.add(node.isReady() ? READY : BUILDING);
        new TreeMap<>(node.lagSeconds())
                .forEach((cube, seconds) -> lines.add("lag " + cube + " " + seconds));
        return encode(lines.toArray(String[]::new));
    }

    /** Returns the node of a registration. Earlier releases write neither its state nor lags. */
    static Node node(String name, List<String> lines) {
        boolean builds = lines.size() > 2 && lines.get(2).equals(BUILDING);
        return new Node(name, lines.get(0), lines.get(1), !builds, lags(lines));
    }

    /** Returns the lags among the lines of a node; earlier releases write none. */
    static Map<String, Long> lags(List<String> lines) {
        Map<String, Long> found = new TreeMap<>();
        for (String line : lines) {
            Matcher lag = LAG.matcher(line);
            if (lag.matches()) {
                found.put(lag.group(1), Long.valueOf(lag.group(2)));
            }
        }
        return found;
    }

    private static IOException damaged(String path) {
        return new IOException("the node " + path + " in ZooKeeper is damaged");
    }
}
