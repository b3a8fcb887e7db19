package io.volute.bookkeeper;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/** Compares the clock of a node with that of ZooKeeper before the node joins a cluster. */
public final class ClockCheck {
    /**
     * The greatest difference. Requests between nodes fail far beyond it only, but a node that
     * takes over would write times that are this wrong.
     */
    static final Duration TOLERATED = Duration.ofMinutes(1);

    private ClockCheck() {}

    /**
     * Requires a clock that agrees with ZooKeeper's.
     *
     * @param nanos clock that only goes forward
     * @throws IOException when the clocks differ by more than a minute; nothing has changed then
     */
    public static void require(ClusterSettings settings, InstantSource clock, LongSupplier nanos)
            throws IOException {
        try (ZooKeeperSession session =
                new ZooKeeperSession(
                        settings.zooKeeper(), settings.session(), settings.security(), nanos)) {
            require(session, settings, clock);
        }
    }

    /** Reads the time at which ZooKeeper creates a node, which is its own. */
    static void require(ZooKeeperSession session, ClusterSettings settings, InstantSource clock)
            throws IOException {
        String wanted = settings.path() + "/clock-of-" + settings.name() + "-";
        try {
            session.ensure(settings.path(), new byte[0]);
            Instant before = clock.instant();
            String path =
                    session.repeat(
                            client ->
                                    client.create(
                                            wanted,
                                            new byte[0],
                                            session.acl(),
                                            CreateMode.EPHEMERAL_SEQUENTIAL));
            Stat stat = session.repeat(client -> client.exists(path, false));
            Instant after = clock.instant();
            session.deleteIfExists(path);
            if (stat != null) {
                compare(before, after, Instant.ofEpochMilli(stat.getCtime()));
            }
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(wanted, e);
        }
    }

    private static void compare(Instant before, Instant after, Instant there) throws IOException {
        Duration ahead = Duration.between(there, before);
        Duration behind = Duration.between(after, there);
        if (ahead.compareTo(TOLERATED) > 0) {
            throw wrong(ahead, "ahead of");
        }
        if (behind.compareTo(TOLERATED) > 0) {
            throw wrong(behind, "behind");
        }
    }

    private static IOException wrong(Duration difference, String direction) {
        return new IOException(
                "the clock of this machine is "
                        + difference.toSeconds()
                        + " s "
                        + direction
                        + " that of ZooKeeper: synchronize both with NTP, then start this node"
                        + " again. Nothing was changed.");
    }
}
