package io.volute.bookkeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * The content of the node {@code PATH/cubes/NAME}. Releases before migrations know the first form
 * only, and refuse the others.
 *
 * <pre>
 *   UUID                          the log of this cube is on ledgers
 *   incoming UUID                 a copy of the log is being made; the log is elsewhere
 *   left UUID TOKEN SERVER        the log has left for the local disk of a server
 * </pre>
 *
 * @param token name of the attempt by which the log has left; empty in the other forms
 * @param version version of the node
 */
record CubeNode(State state, UUID cube, String token, String server, int version) {

    /** The meaning of the node. */
    enum State {
        HERE,
        INCOMING,
        LEFT
    }

    static byte[] here(UUID cube) {
        return bytes(cube.toString());
    }

    static byte[] incoming(UUID cube) {
        return bytes("incoming " + cube);
    }

    static byte[] left(UUID cube, UUID token, String server) {
        return bytes("left " + cube + " " + token + " " + server);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Reads the node of a cube; empty when no server has opened the cube before. */
    static Optional<CubeNode> read(ZooKeeperSession session, String path) throws IOException {
        Stat stat = new Stat();
        try {
            byte[] content = session.repeat(client -> client.getData(path, false, stat));
            return Optional.of(decode(content, path, stat.getVersion()));
        } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }

    static CubeNode decode(byte[] content, String path, int version) throws IOException {
        String[] words = new String(content, StandardCharsets.UTF_8).split(" ", 4);
        try {
            if (words.length == 1) {
                return new CubeNode(State.HERE, UUID.fromString(words[0]), "", "", version);
            }
            UUID cube = UUID.fromString(words[1]);
            if (words.length == 2 && words[0].equals("incoming")) {
                return new CubeNode(State.INCOMING, cube, "", "", version);
            }
            if (words.length == 4 && words[0].equals("left")) {
                return new CubeNode(State.LEFT, cube, words[2], words[3], version);
            }
        } catch (IllegalArgumentException e) {
            throw unknown(path, e);
        }
        throw unknown(path, null);
    }

    private static IOException unknown(String path, IllegalArgumentException cause) {
        return new IOException(
                "the node "
                        + path
                        + " in ZooKeeper is not of a cube, or a later release wrote it: correct"
                        + " log.bookkeeper.path, or start that release",
                cause);
    }

    /**
     * Requires that the log is on ledgers, or that a copy of it is.
     *
     * @param name name of the cube
     */
    void require(String name, String path, UUID expected, State wanted) throws IOException {
        if (!cube.equals(expected)) {
            throw new IOException(
                    "the cube "
                            + name
                            + " is claimed by another store: "
                            + path
                            + " in ZooKeeper has the cube "
                            + cube
                            + ", this data directory "
                            + expected
                            + ". Choose another log.bookkeeper.path, or start with the data"
                            + " directory of that store.");
        }
        if (state != wanted) {
            throw elsewhere(name);
        }
    }

    /** Returns the refusal of a cube whose log is not what a caller needs. */
    IOException elsewhere(String name) {
        return new IOException(
                switch (state) {
                    case HERE ->
                            "the log of cube "
                                    + name
                                    + " is on BookKeeper already: this data directory is an old"
                                    + " copy. Start with a new one that has the keys only, and"
                                    + " log.store = bookkeeper.";
                    case INCOMING ->
                            "the log of cube "
                                    + name
                                    + " is being copied to BookKeeper by another server: wait until"
                                    + " volute cube show there reports the store bookkeeper";
                    case LEFT ->
                            "the log of cube "
                                    + name
                                    + " has left BookKeeper for the local disk of the server "
                                    + server
                                    + ": start that server. To move it back, use volute cube"
                                    + " migrate there.";
                });
    }
}
