package io.volute.system.bookkeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * The owners of the store and of placed cubes, and the lags of standbys that ZooKeeper has
 * registered.
 */
final class OwnerNodes implements AutoCloseable {
    private static final int SESSION_MILLIS = 10_000;
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final String CLUSTER = "/volute/cluster";

    private final ZooKeeper zooKeeper;

    private OwnerNodes(ZooKeeper zooKeeper) {
        this.zooKeeper = zooKeeper;
    }

    /**
     * The owner of the store or of a cube.
     *
     * @param name of the node
     * @param isServing whether the store or the cube is open
     * @param election number of the election; each one has another
     */
    record Owner(String name, boolean isServing, long election) {
        /** Returns the number of a node of {@link ClusterNodes}. */
        int number() {
            return Integer.parseInt(name.substring("node".length()));
        }
    }

    static OwnerNodes at(String address) throws IOException {
        return new OwnerNodes(new ZooKeeper(address, SESSION_MILLIS, event -> {}));
    }

    /** Returns the owner of a placed cube; empty if there is none, or no answer. */
    Optional<Owner> of(String cube) {
        return owner(CLUSTER + "/cubes/" + cube);
    }

    /** Waits until a node has the store open; returns it. */
    Owner awaitStore() {
        return awaitServing("the store", () -> owner(CLUSTER));
    }

    private Optional<Owner> owner(String path) {
        Stat stat = new Stat();
        return lines(path + "/owner", stat)
                .map(all -> new Owner(all.get(1), all.get(3).equals("serving"), stat.getCzxid()));
    }

    /** Waits until the session of this owner of a cube has ended. */
    void awaitEnd(String cube, Owner owner) {
        awaitEnd(owner, () -> of(cube));
    }

    /** Waits until the session of this owner of the store has ended. */
    void awaitEnd(Owner store) {
        awaitEnd(store, () -> owner(CLUSTER));
    }

    private static void awaitEnd(Owner owner, Supplier<Optional<Owner>> now) {
        await(
                "end of " + owner,
                () -> now.get().filter(each -> each.election() == owner.election()).isEmpty());
    }

    /** Waits until a node has the cube open; returns it. */
    Owner awaitServing(String cube) {
        return awaitServing(cube, () -> of(cube));
    }

    private static Owner awaitServing(String what, Supplier<Optional<Owner>> now) {
        AtomicReference<Owner> found = new AtomicReference<>();
        await(
                "owner of " + what,
                () -> {
                    now.get().filter(Owner::isServing).ifPresent(found::set);
                    return found.get() != null;
                });
        return found.get();
    }

    /** Waits until a node follows the log of the cube, at most a second behind. */
    void awaitFollows(String node, String cube) {
        await(
                node + " follows " + cube,
                () ->
                        lines(CLUSTER + "/nodes/" + node, new Stat())
                                .filter(
                                        all ->
                                                all.contains("lag " + cube + " 0")
                                                        || all.contains("lag " + cube + " 1"))
                                .isPresent());
    }

    private static void await(String what, BooleanSupplier condition) {
        long limit = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - limit > 0) {
                throw new AssertionError(what + ": not within " + LIMIT);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private Optional<List<String>> lines(String path, Stat stat) {
        try {
            byte[] content = zooKeeper.getData(path, false, stat);
            return Optional.of(new String(content, StandardCharsets.UTF_8).lines().toList());
        } catch (KeeperException.NoNodeException | KeeperException.ConnectionLossException e) {
            return Optional.empty();
        } catch (KeeperException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
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
