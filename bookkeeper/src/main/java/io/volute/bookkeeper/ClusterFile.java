package io.volute.bookkeeper;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/** Bytes in ZooKeeper that all nodes of a cluster share. Used by one thread at a time. */
public final class ClusterFile {
    /** Bytes that a node of ZooKeeper takes with its default settings, less its overhead. */
    private static final int LONGEST_BYTES = 1_000_000;

    private static final int ABSENT = -1;

    private final ZooKeeperSession session;
    private final String path;
    private volatile int version = ABSENT;

    ClusterFile(ZooKeeperSession session, String path) {
        this.session = session;
        this.path = path;
    }

    /** Returns the content; empty when there is none. */
    public Optional<byte[]> read() throws IOException {
        Stat stat = new Stat();
        try {
            byte[] content = session.repeat(client -> client.getData(path, false, stat));
            version = stat.getVersion();
            session.restrict(path);
            return Optional.of(content);
        } catch (KeeperException.NoNodeException e) {
            version = ABSENT;
            return Optional.empty();
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }

    /**
     * Writes the content, in place of that of the last {@link #read} or write.
     *
     * @return false if another node has written it meanwhile
     */
    public boolean replace(byte[] content) throws IOException {
        if (content.length > LONGEST_BYTES) {
            throw new IOException(
                    path
                            + " would have "
                            + content.length
                            + " bytes, and ZooKeeper takes "
                            + LONGEST_BYTES);
        }
        int before = version;
        try {
            if (before == ABSENT) {
                String created =
                        session.repeat(
                                client ->
                                        client.create(
                                                path,
                                                content,
                                                session.acl(),
                                                CreateMode.PERSISTENT));
                version = 0;
                return created.equals(path);
            }
            version = session.repeat(client -> client.setData(path, content, before)).getVersion();
            return true;
        } catch (KeeperException.NodeExistsException | KeeperException.BadVersionException e) {
            // This write, if the connection was lost before its answer.
            return Arrays.equals(read().orElse(new byte[0]), content);
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }
}
