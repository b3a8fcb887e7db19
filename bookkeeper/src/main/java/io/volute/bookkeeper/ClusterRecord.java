package io.volute.bookkeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Lines of text in a node of ZooKeeper, behind a line with their format. */
final class ClusterRecord {
    private static final String FORMAT = "format 1";

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

    private static IOException damaged(String path) {
        return new IOException("the node " + path + " in ZooKeeper is damaged");
    }
}
