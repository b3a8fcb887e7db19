package io.volute.bookkeeper;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/** Bytes that all nodes of a cluster share. Thread-safe. */
public interface ClusterFile {
    /** The version of a file that does not exist. */
    int ABSENT = -1;

    /** Bytes that a node of ZooKeeper takes with its default settings, less its overhead. */
    int LONGEST_BYTES = 1_000_000;

    /**
     * The content of one version.
     *
     * @param version a number that each change increases
     */
    record Content(byte[] bytes, int version) {}

    /** Returns the content that all changes before this call have left; empty for none. */
    Optional<Content> read() throws IOException;

    /** Returns the version that all changes before this call have left, or {@link #ABSENT}. */
    int version() throws IOException;

    /**
     * Writes the content.
     *
     * @param content at most {@link #LONGEST_BYTES}
     * @param version that it takes the place of; {@link #ABSENT} creates the file
     * @return the new version; empty if the file has another one, and is not changed
     */
    OptionalInt replace(byte[] content, int version) throws IOException;

    /** A file that is a node of ZooKeeper. */
    final class InZooKeeper implements ClusterFile {
        private final ZooKeeperSession session;
        private final String path;

        InZooKeeper(ZooKeeperSession session, String path) {
            this.session = session;
            this.path = path;
        }

        @Override
        public Optional<Content> read() throws IOException {
            Stat stat = new Stat();
            try {
                session.catchUp(path);
                byte[] bytes = session.repeat(client -> client.getData(path, false, stat));
                session.restrict(path);
                return Optional.of(new Content(bytes, stat.getVersion()));
            } catch (KeeperException.NoNodeException e) {
                return Optional.empty();
            } catch (KeeperException e) {
                throw ZooKeeperSession.refused(path, e);
            }
        }

        @Override
        public int version() throws IOException {
            try {
                session.catchUp(path);
                Stat stat = session.repeat(client -> client.exists(path, false));
                return stat == null ? ABSENT : stat.getVersion();
            } catch (KeeperException e) {
                throw ZooKeeperSession.refused(path, e);
            }
        }

        @Override
        public OptionalInt replace(byte[] content, int version) throws IOException {
            if (content.length > LONGEST_BYTES) {
                throw new IOException(
                        path
                                + " would have "
                                + content.length
                                + " bytes, and ZooKeeper takes "
                                + LONGEST_BYTES);
            }
            try {
                return OptionalInt.of(version == ABSENT ? create(content) : set(content, version));
            } catch (KeeperException.NodeExistsException | KeeperException.BadVersionException e) {
                // This write, if the connection was lost before its answer.
                return read().filter(now -> Arrays.equals(now.bytes(), content)).stream()
                        .mapToInt(Content::version)
                        .findFirst();
            } catch (KeeperException.NoNodeException e) {
                return OptionalInt.empty();
            } catch (KeeperException e) {
                throw ZooKeeperSession.refused(path, e);
            }
        }

        private int create(byte[] content) throws KeeperException, IOException {
            String created =
                    session.repeat(
                            client ->
                                    client.create(
                                            path, content, session.acl(), CreateMode.PERSISTENT));
            if (!created.equals(path)) {
                throw new IOException("ZooKeeper created " + created + " in place of " + path);
            }
            return 0;
        }

        private int set(byte[] content, int version) throws KeeperException, IOException {
            return session.repeat(client -> client.setData(path, content, version)).getVersion();
        }
    }
}
