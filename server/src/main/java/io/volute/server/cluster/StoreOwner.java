package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterView;
import io.volute.server.Server;
import io.volute.server.cluster.ClusterOrders.TakeOver;
import io.volute.server.cluster.HopSeal.Entrance;
import io.volute.server.config.ServerConfig;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.metrics.ClusterFigures;
import io.volute.server.metrics.StandbyFigures;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.startup.CubeFiles;
import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the store whenever this node is elected, and closes it when the role is lost. A take-over
 * has these steps:
 *
 * <ol>
 *   <li>The cubes claim their segment lists, fence the ledgers and recover, as at every start.
 *   <li>The listener for other nodes opens.
 *   <li>The node announces that it serves. The other nodes forward to it from now on.
 * </ol>
 *
 * One thread does this. {@link #local} is for all threads.
 */
final class StoreOwner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreOwner.class);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * What a store needs from the node.
     *
     * @param next handles requests of this node's clients by the next owner
     * @param entrance the HTTP server that clients use
     * @param reading options of the store for reading while another node has it
     */
    record NodeContext(
            ClusterMembership membership,
            OwnerLease.Counts leaseCounts,
            HopSeal seal,
            Map<String, String> environment,
            Function<Entrance, S3Handler> next,
            Supplier<HttpServer> entrance,
            Supplier<ClusterFigures> figures,
            StandbyStore.Options reading,
            FileSystem files,
            InstantSource clock,
            RandomGenerator random,
            LongSupplier nanos) {}

    /**
     * The services of the store while it is open on this node.
     *
     * @param metrics empty when metrics are disabled
     */
    record Local(Service s3, Service admin, Optional<Service> metrics) {}

    private final ServerConfig config;
    private final boolean isAdminApart;
    private final NodeContext node;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final LongAdder takeOvers = new LongAdder();
    private volatile Optional<Local> local = Optional.empty();
    private volatile Optional<Standby> standby = Optional.empty();
    private volatile Optional<Throwable> failure = Optional.empty();

    StoreOwner(ServerConfig config, NodeContext node) {
        this.config =
                config.listening(
                        HopGate.listener(config.http(), config.cluster().orElseThrow()),
                        Optional.empty(),
                        config.metrics());
        this.isAdminApart = config.adminAddress().isPresent();
        this.node = node;
        this.thread = Thread.ofPlatform().name("owner-0").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Returns the services of the store if it is open on this node. */
    Optional<Local> local() {
        return local;
    }

    /** Returns why the last take-over failed; empty if it did not. */
    Optional<Throwable> failure() {
        return failure;
    }

    /** Returns the number of times that this node has taken the store over. */
    long takeOvers() {
        return takeOvers.sum();
    }

    private void run() {
        try {
            for (long own = await(); own != 0; own = await()) {
                hold(own);
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted: this node takes nothing over any more");
        }
    }

    /** Follows the store of other nodes until this one is elected. */
    private long await() throws InterruptedException {
        CubeFiles.Means means =
                new CubeFiles.Means(node.files(), node.clock(), node.random(), node.nanos());
        try (Standby following =
                Standby.start(
                        config, means, node.reading(), this::isServedElsewhere, readiness())) {
            standby = Optional.of(following);
            return node.membership().awaitElection();
        } finally {
            standby = Optional.empty();
        }
    }

    private Standby.Readiness readiness() {
        return new Standby.Readiness() {
            @Override
            public void setReady(boolean isReady) {
                node.membership().setReady(isReady);
            }

            @Override
            public void setLags(Map<String, Long> lagSeconds) {
                node.membership().setLags(lagSeconds);
            }
        };
    }

    private boolean isServedElsewhere() {
        return node.membership().view().owner().filter(ClusterView.Owner::isServing).isPresent();
    }

    /** Returns the views of the store by the standby; empty while this node has the store. */
    Optional<StandbyViews> views() {
        return standby.map(Standby::views);
    }

    /** Returns the figures of the standby of each cube; none while this node has the store. */
    Map<String, StandbyFigures> standbys() {
        return standby.map(Standby::figures).orElse(Map.of());
    }

    private void hold(long own) throws InterruptedException {
        long begun = node.nanos().getAsLong();
        OwnerRole role = new OwnerRole(config, isAdminApart, node, own);
        Server server;
        try {
            server = Server.start(config, node.environment(), role);
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("this node cannot take the store over: {}", e.getMessage(), e);
            failure = Optional.of(e);
            standAgainLater();
            return;
        }
        End end = End.LOST;
        try {
            failure = Optional.empty();
            local = role.opened();
            node.membership().announceServing(own);
            node.membership().setReady(true);
            node.membership().setLags(Map.of());
            takeOvers.increment();
            long millis = TimeUnit.NANOSECONDS.toMillis(node.nanos().getAsLong() - begun);
            role.serves(new TakeOver(node.clock().instant(), millis));
            LOG.info("this node has the store, {} ms after its election", millis);
            end = awaitEnd(own, role);
        } catch (IOException e) {
            LOG.error("this node cannot announce itself: {}", e.getMessage(), e);
        } finally {
            local = Optional.empty();
            LOG.info("this node closes the store: {}", end.reason);
            boolean isClean = close(server, role, end);
            LOG.info("closed the store{}", isClean ? "" : ", not cleanly");
        }
        switch (end) {
            case READ_ONLY -> standAgainLater();
            case HANDED_OVER -> {
                node.membership().resign();
                node.membership().stand();
            }
            case LOST, LEAVING -> {}
        }
    }

    /** Closes the store. Requests under way end before, if another node waits for it anyway. */
    private boolean close(Server server, OwnerRole role, End end) throws InterruptedException {
        long patience = config.shutdown().toNanos();
        return switch (end) {
            case LOST, READ_ONLY -> server.stop(Duration.ZERO);
            case LEAVING -> server.stop(config.shutdown());
            case HANDED_OVER -> {
                long begun = node.nanos().getAsLong();
                boolean isDrained = role.awaitNoRequests(patience);
                long rest = Math.max(0, patience - (node.nanos().getAsLong() - begun));
                yield server.stop(Duration.ofNanos(rest)) && isDrained;
            }
        };
    }

    /** The reason why this node closes the store. */
    private enum End {
        LOST("it is no longer the owner"),
        LEAVING("it stops"),
        READ_ONLY("a write has failed, and a node that opens the store can go on"),
        HANDED_OVER("the operator has ordered it");

        private final String reason;

        End(String reason) {
            this.reason = reason;
        }
    }

    private End awaitEnd(long own, OwnerRole role) throws InterruptedException {
        while (node.membership().election() == own) {
            if (node.membership().isLeaving()) {
                return End.LEAVING;
            }
            if (!role.takesWrites()) {
                return End.READ_ONLY;
            }
            if (role.isHandedOver()) {
                return End.HANDED_OVER;
            }
            node.membership().awaitLoss(own, LOOK_NANOS);
        }
        return End.LOST;
    }

    /** Lets another node try first. */
    private void standAgainLater() throws InterruptedException {
        node.membership().resign();
        if (!closed.await(config.logStore().session().toMillis(), TimeUnit.MILLISECONDS)) {
            node.membership().stand();
        }
    }

    /** Closes the store. This node stays the owner, and another is elected when it has left. */
    @Override
    public void close() {
        closed.countDown();
        node.membership().leave();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
