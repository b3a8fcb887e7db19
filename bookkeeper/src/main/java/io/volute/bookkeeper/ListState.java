package io.volute.bookkeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The content of the node {@code log}.
 *
 * @param changes number of the last change of this epoch
 */
record ListState(long epoch, String owner, long changes) {
    private static final String FORMAT = "format 1";

    /** Returns the content of the node. */
    public byte[] encode() {
        String text = FORMAT + "\n" + epoch + "\n" + changes + "\n" + owner + "\n";
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads the content of a node.
     *
     * @param node its path, for messages
     * @throws IOException if another release wrote the node, or it is damaged
     */
    public static ListState decode(byte[] content, String node) throws IOException {
        List<String> lines = new String(content, StandardCharsets.UTF_8).lines().toList();
        if (lines.size() < 3 || !lines.get(0).equals(FORMAT)) {
            throw new IOException(
                    "the node "
                            + node
                            + " in ZooKeeper has another format than '"
                            + FORMAT
                            + "': start the release that wrote it, or a later one");
        }
        try {
            return new ListState(
                    Long.parseLong(lines.get(1)),
                    lines.size() > 3 ? lines.get(3) : "",
                    Long.parseLong(lines.get(2)));
        } catch (NumberFormatException e) {
            throw new IOException("the node " + node + " in ZooKeeper is damaged", e);
        }
    }
}
