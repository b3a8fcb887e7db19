package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterRole;
import io.volute.server.Upkeep;
import io.volute.server.cluster.ClusterOrders.TakeOver;
import io.volute.server.cluster.CubeOwner.OpenServer;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.owners.SharedKeyring;
import io.volute.server.cluster.standby.FollowedCube;
import io.volute.server.config.ServerConfig;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.startup.Server;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the server of a node. While the node is elected, it has the store open. A take-over has
 * these steps:
 *
 * <ol>
 *   <li>The cubes claim their segment lists, fence the ledgers and recover, as at every start. The
 *       lease of the owner before can be in force meanwhile.
 *   <li>That lease has ended, and the election is confirmed.
 *   <li>The listener for other nodes passes requests to the server.
 *   <li>The node announces that it serves. The other nodes forward to it from now on.
 * </ol>
 *
 * <p>Otherwise, as long as some cube is placed, the server has the placed cubes that are this
 * node's. A node that only follows starts a server once and stops it, because the first start in a
 * process is the slowest. One thread does this. {@link #services} is for all threads.
 */
final class NodeServers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeServers.class);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long RETRY_MILLIS = 2_000;
    private static final Upkeep.Pauses PLACING =
            new Upkeep.Pauses(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(10));
    private static final Upkeep.Pauses RECONCILING =
            new Upkeep.Pauses(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(30));
    private static final long PLACEMENT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ServerConfig config;
    private final NodeRole.Context node;
    private final ClusterMembership membership;
    private final ClusterRole store;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final LongAdder takeOvers = new LongAdder();
    private volatile Optional<NodeRole> role = Optional.empty();
    private volatile boolean hasStore;

    // Used by the thread alone: whether this node rests behind a failure, and until when.
    private boolean isResting;
    private long restEnd;

    // Used by the thread alone: whether this process has started a server, or has failed to.
    private boolean isTrained;

    private volatile Optional<Throwable> failure = Optional.empty();

    /**
     * @param config with the listener for other nodes in place of that for clients
     */
    NodeServers(ServerConfig config, NodeRole.Context node) {
        this.config = config;
        this.node = node;
        this.membership = node.membership();
        this.store = membership.store();
        this.thread = Thread.ofPlatform().name("owner-0").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Returns the services of the server that runs now; empty while there is none. */
    Optional<NodeServices> services() {
        return role.flatMap(NodeRole::services);
    }

    /** Returns the handlers of requests of other nodes for an election of this node. */
    Optional<Handlers> hops(long election) {
        return role.flatMap(now -> now.hops(election));
    }

    /** Returns the placed cube whose owner gets a request, as far as this node knows. */
    Optional<String> routeOf(HttpHead head, RequestBody body) {
        return role.flatMap(now -> now.routeOf(head, body));
    }

    /** Answers the exchange of another owner. */
    byte[] answerExchange(byte[] question) throws IOException {
        Optional<NodeRole> now = role;
        if (now.isEmpty()) {
            throw new IOException("this node owns no cube now");
        }
        return now.get().answerExchange(question);
    }

    /** Returns whether this node has the store open. */
    boolean hasStore() {
        return hasStore;
    }

    /** Returns why the last take-over of the store failed; empty if it did not. */
    Optional<Throwable> failure() {
        return failure;
    }

    /** Returns the number of times that this node has taken the store over. */
    long takeOvers() {
        return takeOvers.sum();
    }

    private void run() {
        try {
            while (closed.getCount() > 0) {
                long own = store.won();
                if (own != 0) {
                    hold(own);
                } else if (node.placed().isSomePlaced()) {
                    serveParts();
                } else if (!isTrained) {
                    train();
                }
                standAgain();
                store.awaitLoss(0, LOOK_NANOS);
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted: this node takes nothing over any more");
        }
    }

    /**
     * Starts a server over the followed system cube once, and stops it again, so that a take-over
     * finds its classes loaded. It is the server of a node without a cube: nothing passes requests
     * to it, and no cube is open. A take-over that begins meanwhile waits for the rest: it would
     * load the same classes.
     */
    private void train() throws InterruptedException {
        try (FollowedCube system = new FollowedCube(StoreCubes.SYSTEM, node.nanos())) {
            node.cubes().copySystem(system, () -> true);
            while (isIdle() && !system.await(1, 0)) {
                standAgain();
                store.awaitLoss(0, LOOK_NANOS);
            }
            if (isIdle()) {
                isTrained = true;
                long begun = node.nanos().getAsLong();
                PartRole part = new PartRole(node, system);
                Server first = Server.start(config.silent(), node.environment(), part);
                boolean isClean = first.stop(Duration.ZERO);
                LOG.info(
                        "started and stopped a server in {} ms, to be ready for a take-over{}",
                        TimeUnit.NANOSECONDS.toMillis(node.nanos().getAsLong() - begun),
                        isClean ? "" : ", not cleanly");
            }
        } catch (IOException | RuntimeException | Error e) {
            isTrained = true;
            LOG.warn("the first take-over by this node takes longer: {}", e.getMessage(), e);
        } finally {
            node.cubes().endCopy();
        }
    }

    /** Returns whether this node only follows cubes of others. */
    private boolean isIdle() {
        return closed.getCount() > 0
                && !membership.isLeaving()
                && store.won() == 0
                && !node.placed().isSomePlaced();
    }

    /** Serves the placed cubes of this node, until it is elected or no cube is placed. */
    private void serveParts() throws InterruptedException {
        try (FollowedCube system = new FollowedCube(StoreCubes.SYSTEM, node.nanos())) {
            node.cubes().copySystem(system, () -> true);
            if (awaitSystem(system)) {
                PartRole part = new PartRole(node, system);
                Running running =
                        new Running(
                                Server.start(config, node.environment(), part),
                                Optional.of(system),
                                node.keyring());
                node.cubes().copySystem(system, running::refresh);
                isTrained = true;
                begin(part, running);
                try {
                    awaitElection();
                } finally {
                    end(running, Duration.ZERO);
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("this node cannot serve placed cubes: {}", e.getMessage(), e);
            boolean unused = closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
        } finally {
            node.cubes().endCopy();
        }
    }

    /** Waits until the standby of the system cube has a view; false if that is of no use now. */
    private boolean awaitSystem(FollowedCube system) throws InterruptedException {
        boolean isKnown = false;
        while (!isKnown && isPart()) {
            standAgain();
            isKnown = system.await(1, LOOK_NANOS);
        }
        return isKnown;
    }

    private void awaitElection() throws InterruptedException {
        while (isPart()) {
            standAgain();
            store.awaitLoss(0, LOOK_NANOS);
        }
    }

    private boolean isPart() {
        return closed.getCount() > 0
                && !membership.isLeaving()
                && store.won() == 0
                && node.placed().isSomePlaced();
    }

    /** Passes requests to a server from now on. */
    private void begin(NodeRole now, Running running) {
        role = Optional.of(now);
        node.placed().serveIn(Optional.of(running));
    }

    /** Passes no more requests to a server, and closes it. */
    private boolean end(Running running, Duration patience) {
        running.isClosing = true;
        node.placed().serveIn(Optional.empty());
        role = Optional.empty();
        boolean isClean = running.server.stop(patience);
        node.cubes().closedAll();
        return isClean;
    }

    private void hold(long own) throws InterruptedException {
        StoreRole role = new StoreRole(node, own);
        Running running;
        try {
            running =
                    new Running(
                            Server.start(config, node.environment(), role),
                            Optional.empty(),
                            node.keyring());
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("this node cannot take the store over: {}", e.getMessage(), e);
            failure = Optional.of(e);
            node.cubes().closedAll();
            standAgainLater();
            return;
        }
        End end = End.LOST;
        try {
            failure = Optional.empty();
            isTrained = true;
            role.stages().ended("server");
            if (!store.awaitConfirmed(own)) {
                return;
            }
            role.stages().ended("lease");
            begin(role, running);
            hasStore = true;
            store.announceServing(own);
            membership.setReady(true);
            membership.setLags(Map.of());
            takeOvers.increment();
            role.stages().ended("announcement");
            long millis = role.stages().millis();
            role.serves(new TakeOver(node.clock().instant(), millis));
            LOG.info(
                    "this node has the store, {} ms after its election: {}", millis, role.stages());
            try (Upkeep placing = Upkeep.start("cube-placer", PLACING, role.placer());
                    Upkeep comparing =
                            Upkeep.start("cube-reconciler", RECONCILING, role.reconciler())) {
                end = awaitEnd(own, role);
                LOG.debug("{} and {} end", placing, comparing);
            }
        } catch (IOException e) {
            LOG.error("this node cannot announce itself: {}", e.getMessage(), e);
        } finally {
            hasStore = false;
            LOG.info("this node closes the store: {}", end.reason);
            boolean isClean = close(running, role, end);
            LOG.info("closed the store{}", isClean ? "" : ", not cleanly");
        }
        switch (end) {
            case READ_ONLY -> standAgainLater();
            case HANDED_OVER -> {
                store.resign();
                store.stand();
            }
            case LOST, LEAVING -> {}
        }
    }

    /** Closes the store. Requests under way end before, if another node waits for it anyway. */
    private boolean close(Running running, StoreRole role, End end) throws InterruptedException {
        Duration patience = config.shutdown();
        return switch (end) {
            case LOST, READ_ONLY -> end(running, Duration.ZERO);
            case LEAVING -> end(running, patience);
            case HANDED_OVER -> {
                long begun = node.nanos().getAsLong();
                boolean isDrained = role.awaitNoRequests(patience);
                Duration rest = patience.minusNanos(node.nanos().getAsLong() - begun);
                yield end(running, rest.isNegative() ? Duration.ZERO : rest) && isDrained;
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

    private End awaitEnd(long own, StoreRole role) throws InterruptedException {
        while (store.election() == own) {
            if (membership.isLeaving()) {
                return End.LEAVING;
            }
            if (!role.takesWrites()) {
                return End.READ_ONLY;
            }
            if (role.isHandedOver()) {
                return End.HANDED_OVER;
            }
            store.awaitLoss(own, LOOK_NANOS);
        }
        return End.LOST;
    }

    /** Lets another node try first. Meanwhile this one serves its placed cubes. */
    private void standAgainLater() {
        store.resign();
        isResting = true;
        restEnd = node.nanos().getAsLong() + config.logStore().session().toNanos();
    }

    private void standAgain() {
        if (isResting && node.nanos().getAsLong() - restEnd >= 0) {
            isResting = false;
            store.stand();
        }
    }

    /** Closes the server. This node stays the owner, and another is elected when it has left. */
    @Override
    public void close() {
        closed.countDown();
        membership.leave();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A server in a role of this node. */
    private static final class Running implements OpenServer {
        private final Server server;
        private final Optional<FollowedCube> system;
        private final SharedKeyring keyring;
        private volatile boolean isClosing;

        /**
         * @param system the followed system cube; empty if the server has it open
         */
        Running(Server server, Optional<FollowedCube> system, SharedKeyring keyring) {
            this.server = server;
            this.system = system;
            this.keyring = keyring;
        }

        @Override
        public StoreCubes cubes() {
            return server.cubes();
        }

        @Override
        public void awaitPlacement(long sequence) throws IOException, InterruptedException {
            if (system.isPresent() && !system.get().await(sequence, PLACEMENT_NANOS)) {
                throw new IOException(
                        "the standby of the system cube on this node has not reached the"
                                + " placement");
            }
            server.refresh();
            // Behind the election: an erasure before it has not waited for this node.
            keyring.look();
        }

        /** Follows a change of the system cube; returns whether all of it was read. */
        private boolean refresh() {
            try {
                server.refresh();
                return true;
            } catch (IOException | RuntimeException e) {
                LOG.error("the users and placements of the store cannot be read", e);
                return false;
            }
        }

        @Override
        public boolean isClosing() {
            return isClosing;
        }
    }
}
