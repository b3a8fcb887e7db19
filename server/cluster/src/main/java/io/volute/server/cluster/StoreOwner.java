package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterRole;
import io.volute.server.Upkeep;
import io.volute.server.admin.AdminApi;
import io.volute.server.cluster.ClusterOrders.TakeOver;
import io.volute.server.cluster.CubeOwner.OpenServer;
import io.volute.server.cluster.hop.HopGate.Handlers;
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
 * Runs the server of a node for as long as the node runs, and opens the store in it while the node
 * is elected. {@link CubeOwner} does the same for a placed cube, which a take-over of the store
 * does not touch. A take-over has these steps:
 *
 * <ol>
 *   <li>The system cube claims its segment list, fences the ledgers and recovers, as at every
 *       start. The lease of the owner before can be in force until then.
 *   <li>The server reads users, placements and the keyring again, and opens the cubes that have no
 *       owner of their own.
 *   <li>The lease of the owner before has ended, and the election is confirmed.
 *   <li>The server handles requests for the store.
 *   <li>The node announces that it serves. The other nodes forward to it from now on.
 * </ol>
 *
 * <p>One thread does this. {@link #services} is for all threads.
 */
final class StoreOwner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreOwner.class);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long RETRY_MILLIS = 2_000;
    private static final Upkeep.Pauses PLACING =
            new Upkeep.Pauses(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(10));
    private static final Upkeep.Pauses RECONCILING =
            new Upkeep.Pauses(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(30));
    private static final long PLACEMENT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Time that a take-over waits for cubes besides the system cube. Others open later. */
    private static final Duration CUBES_WAIT = Duration.ofSeconds(10);

    private final ServerConfig config;
    private final NodeRole.Context node;
    private final ClusterMembership membership;
    private final ClusterRole store;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final LongAdder takeOvers = new LongAdder();
    private volatile Optional<Running> server = Optional.empty();

    // Used by the thread alone: whether this node rests after a failure, and until when.
    private boolean isResting;
    private long restEnd;

    private volatile Optional<Throwable> failure = Optional.empty();

    /**
     * @param config with the listener for other nodes in place of that for clients
     */
    StoreOwner(ServerConfig config, NodeRole.Context node) {
        this.config = config;
        this.node = node;
        this.membership = node.membership();
        this.store = membership.store();
        this.thread = Thread.ofPlatform().name("owner-0").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private Optional<NodeRole> role() {
        return server.map(now -> now.role);
    }

    /** Returns the services of the server; empty while there is none. */
    Optional<NodeServices> services() {
        return role().flatMap(NodeRole::services);
    }

    /** Returns the handlers of requests of other nodes for an election of this node. */
    Optional<Handlers> hops(long election) {
        return role().flatMap(now -> now.hops(election));
    }

    /** Returns the placed cube whose owner gets a request, as far as this node knows. */
    Optional<String> routeOf(HttpHead head, RequestBody body) {
        return role().flatMap(now -> now.routeOf(head, body));
    }

    /** Answers the exchange of another owner. */
    byte[] answerExchange(byte[] question) throws IOException {
        return role().orElseThrow(() -> new IOException("this node owns no cube now"))
                .answerExchange(question);
    }

    /** Returns whether this node serves the store. */
    boolean hasStore() {
        return role().filter(NodeRole::hasStore).isPresent();
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
                } else if (server.isEmpty()
                        && !membership.isLeaving()
                        && node.cubes().system().await(1, 0)) {
                    tryStart();
                }
                standAgain();
                store.awaitLoss(0, LOOK_NANOS);
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted: this node takes nothing over any more");
        } finally {
            boolean isClean = stop();
            LOG.debug("closed the server{}", isClean ? "" : ", not cleanly");
        }
    }

    /** Starts the server over the followed system cube. After a failure the next look does. */
    private void tryStart() throws InterruptedException {
        try {
            Running unused = start(false);
            LOG.info("the server of this node runs, and another node has the store");
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("this node cannot serve placed cubes: {}", e.getMessage(), e);
            boolean unused = closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Starts the server, and passes requests to it from now on.
     *
     * @param isElected whether it begins with the system cube
     */
    private Running start(boolean isElected) throws IOException {
        NodeRole role = new NodeRole(node, isElected);
        Running now = new Running(Server.start(config, node.environment(), role), role, node);
        node.cubes().whenSystemChanges(now::follow);
        server = Optional.of(now);
        node.placed().serveIn(Optional.of(now));
        return now;
    }

    /** Passes no more requests to the server, and closes it with all cubes. */
    private boolean stop() {
        Optional<Running> last = server;
        last.ifPresent(now -> now.isClosing = true);
        node.placed().serveIn(Optional.empty());
        server = Optional.empty();
        boolean isClean = last.isEmpty() || last.get().server.stop(Duration.ZERO);
        node.cubes().closeSystem();
        return isClean;
    }

    private void hold(long own) throws InterruptedException {
        TakeOverStages stages = new TakeOverStages(node.nanos());
        StoreTerm term;
        try {
            term = take(own, stages);
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("this node cannot take the store over: {}", e.getMessage(), e);
            failure = Optional.of(e);
            boolean unused = release();
            standAgainLater();
            return;
        }
        End end = End.LOST;
        try {
            failure = Optional.empty();
            if (!store.awaitConfirmed(own)) {
                return;
            }
            stages.ended("lease");
            role().orElseThrow().serve(Optional.of(term));
            store.announceServing(own);
            membership.setReady(true);
            membership.setLags(Map.of());
            takeOvers.increment();
            stages.ended("announcement");
            long millis = stages.millis();
            term.serves(new TakeOver(node.clock().instant(), millis));
            LOG.info("this node has the store, {} ms after its election: {}", millis, stages);
            try (Upkeep placing = Upkeep.start("cube-placer", PLACING, term.placer());
                    Upkeep comparing =
                            Upkeep.start("cube-reconciler", RECONCILING, term.reconciler())) {
                end = awaitEnd(own, term);
                LOG.debug("{} and {} end", placing, comparing);
            }
        } catch (IOException e) {
            LOG.error("this node cannot announce itself: {}", e.getMessage(), e);
        } finally {
            LOG.info("this node closes the store: {}", end.reason);
            boolean isClean = close(term, end);
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

    /** Opens the store in the server, which is started if it does not run. */
    private StoreTerm take(long own, TakeOverStages stages)
            throws IOException, InterruptedException {
        if (server.isPresent()) {
            node.cubes().openSystem();
            stages.ended("system cube");
        } else {
            Running unused = start(true);
            stages.ended("server");
        }
        StoreCubes cubes = server.orElseThrow().takeStore();
        stages.ended("store");
        return new StoreTerm(node, own, cubes, stages);
    }

    /** Closes the store. Requests under way end before, if another node waits for it anyway. */
    private boolean close(StoreTerm term, End end) throws InterruptedException {
        CubeGate gate = term.serving().gate();
        gate.close();
        boolean isDrained =
                switch (end) {
                    case LOST, READ_ONLY -> true;
                    case LEAVING, HANDED_OVER -> gate.awaitNone(config.shutdown().toNanos());
                };
        boolean isClean =
                switch (end) {
                    case LOST, HANDED_OVER -> release();
                    // A cube in which a write failed can have lost a bucket to another one.
                    case LEAVING, READ_ONLY -> stop();
                };
        return isClean && isDrained;
    }

    /**
     * Closes the store, and leaves the placed cubes open. If a bucket of those may be in another
     * cube than the server knows, the server is closed, too.
     */
    private boolean release() {
        boolean isClean = server.isEmpty() || server.get().leaveStore();
        node.cubes().closeSystem();
        if (server.isPresent() && server.get().cubes().moves().areUndecided()) {
            LOG.warn("the server starts again: the cube of a bucket that moved is not known");
            return stop() && isClean;
        }
        return isClean;
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

    private End awaitEnd(long own, StoreTerm term) throws InterruptedException {
        while (store.election() == own) {
            if (membership.isLeaving()) {
                return End.LEAVING;
            }
            if (!term.isWritable()) {
                return End.READ_ONLY;
            }
            if (term.serving().gate().isClosed()) {
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

    /** The server of this node. */
    private static final class Running implements OpenServer {
        private final Server server;
        private final NodeRole role;
        private final NodeRole.Context node;
        private volatile boolean isClosing;

        Running(Server server, NodeRole role, NodeRole.Context node) {
            this.server = server;
            this.role = role;
            this.node = node;
        }

        @Override
        public StoreCubes cubes() {
            return server.cubes();
        }

        @Override
        public AdminApi admin() {
            return server.admin();
        }

        /** Opens the store over the system cube, which is open on this node. */
        StoreCubes takeStore() throws IOException, InterruptedException {
            node.keyring().takeStore();
            server.takeStore();
            node.cubes().system().completeHere();
            cubes().awaitOpened(CUBES_WAIT);
            return cubes();
        }

        /** Closes the store; returns whether it was in order. */
        boolean leaveStore() {
            role.serve(Optional.empty());
            node.keyring().leaveStore();
            // Reads of the users wait for the standby in place of meeting a closed cube.
            node.cubes().system().leave();
            try {
                cubes().release(StoreCubes.SYSTEM);
                return true;
            } catch (IOException | RuntimeException e) {
                LOG.warn("the store was not closed in order", e);
                return false;
            }
        }

        @Override
        public void awaitPlacement(long sequence) throws IOException, InterruptedException {
            if (!node.cubes().system().await(sequence, PLACEMENT_NANOS)) {
                throw new IOException(
                        "the standby of the system cube on this node has not reached the"
                                + " placement");
            }
            server.refresh();
            // After the election: an erasure before it has not waited for this node.
            node.keyring().look();
        }

        /** Follows a change of the system cube; returns whether all of it was read. */
        private boolean follow() {
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
