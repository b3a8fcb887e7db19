package io.volute.bookkeeper;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * Counts how often bookies have left or returned, by their registrations in ZooKeeper. A bookie
 * that starts again has another registration. It looks every 4 s at most. Thread-safe.
 */
final class BookieChanges {
    private static final long LOOK_NANOS = 4_000_000_000L;

    private final ZooKeeperSession session;
    private final String path;
    private Optional<Set<String>> known = Optional.empty();
    private long lookedAt;
    private long count;

    /**
     * Creates a counter that begins at 0.
     *
     * @param path node of the registrations
     */
    BookieChanges(ZooKeeperSession session, String path) {
        this.session = session;
        this.path = path;
    }

    /** Returns the number of changes that were seen. */
    synchronized long count() throws IOException {
        long now = session.nanos();
        if (known.isPresent() && now - lookedAt < LOOK_NANOS) {
            return count;
        }
        try {
            Set<String> found = registrations();
            count += known.isEmpty() || known.get().equals(found) ? 0 : 1;
            known = Optional.of(found);
            lookedAt = now;
            return count;
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }

    private Set<String> registrations() throws KeeperException, IOException {
        Set<String> found = new TreeSet<>();
        for (String bookie : session.children(path)) {
            Stat stat = session.once(client -> client.exists(path + "/" + bookie, false));
            if (stat != null) {
                found.add(bookie + " " + stat.getCzxid());
            }
        }
        return found;
    }
}
