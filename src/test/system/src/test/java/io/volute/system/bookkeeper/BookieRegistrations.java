package io.volute.system.bookkeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** The bookies that ZooKeeper has registered as writable. */
final class BookieRegistrations implements AutoCloseable {
    private static final int SESSION_MILLIS = 10_000;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final String ROOT = "/volute";

    private final ZooKeeper zooKeeper;

    private BookieRegistrations(ZooKeeper zooKeeper) {
        this.zooKeeper = zooKeeper;
    }

    static BookieRegistrations at(String address) throws IOException {
        return new BookieRegistrations(new ZooKeeper(address, SESSION_MILLIS, event -> {}));
    }

    /**
     * Waits for the registration of a bookie; returns false if it is missing at the limit.
     *
     * @param old a registration of an earlier process, which does not count; 0 for none
     */
    boolean await(String bookie, long old, Duration limit) throws IOException {
        long end = System.nanoTime() + limit.toNanos();
        do {
            long now = of(bookie);
            if (now != 0 && now != old) {
                return true;
            }
            LockSupport.parkNanos(POLL_NANOS);
        } while (System.nanoTime() - end < 0);
        return false;
    }

    /** Returns the id of the registration of a bookie; 0 without one, or without an answer. */
    long of(String bookie) throws IOException {
        try {
            Stat found = zooKeeper.exists(ROOT + "/ledgers/available/" + bookie, false);
            return found == null ? 0 : found.getCzxid();
        } catch (KeeperException.ConnectionLossException e) {
            return 0;
        } catch (KeeperException e) {
            throw new IOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Forgets all stores: removes what is beside the ledgers. */
    void clearBesidesLedgers() throws IOException {
        try {
            for (String each : zooKeeper.getChildren(ROOT, false)) {
                if (!each.equals("ledgers")) {
                    ZKUtil.deleteRecursive(zooKeeper, ROOT + "/" + each);
                }
            }
        } catch (KeeperException e) {
            throw new IOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            zooKeeper.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
