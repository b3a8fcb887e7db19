package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterRole;
import io.volute.server.admin.AdminApi;
import io.volute.storage.CubeState;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens one placed cube while this node is its owner, in the server that the node runs then, and
 * closes it when the role is lost or another node shall have it. A thread of its own does this;
 * {@link #serving} is for all threads.
 */
final class CubeOwner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CubeOwner.class);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long RETRY_MILLIS = 1_000;

    private final String cube;
    private final ClusterRole role;
    private final Node node;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Optional<Serving> serving = Optional.empty();

    /** The node that the owner of a cube is on. */
    interface Node {
        /** Returns whether the cube is placed on this node. */
        boolean isHere(String cube);

        /** Returns the commit of the system cube behind which the cube was placed. */
        long placedBehind(String cube) throws IOException;

        /** Returns the server that runs now; empty while there is none. */
        Optional<OpenServer> server();

        OwnerLease.Counts leaseCounts();

        /** Returns the time that requests wait for a lease, and a hand-over for requests. */
        Duration patience();
    }

    /** A server that runs, of this node. */
    interface OpenServer {
        StoreCubes cubes();

        /** Returns the admin API, for calls of other nodes. */
        AdminApi admin();

        /**
         * Waits until the server knows the placements and users as of a commit of the system cube.
         * It has the keyring of now then.
         */
        void awaitPlacement(long sequence) throws IOException, InterruptedException;

        /** Returns whether it is being closed. */
        boolean isClosing();
    }

    CubeOwner(String cube, ClusterRole role, Node node) {
        this.cube = cube;
        this.role = role;
        this.node = node;
        this.thread = Thread.ofPlatform().name("owner-" + cube).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Returns the cube while it is open here. */
    Optional<Serving> serving() {
        return serving;
    }

    private void run() {
        try {
            while (closed.getCount() > 0) {
                tryOwn();
                boolean unused = closed.await(LOOK_NANOS, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted: this node takes cube {} over no more", cube);
        }
    }

    /** Opens the cube if it is this node's. After a failure the next look tries it again. */
    private void tryOwn() throws InterruptedException {
        try {
            if (!node.isHere(cube)) {
                giveUp();
            } else {
                role.stand();
                if (role.election() != 0) {
                    hold(role.election());
                }
            }
        } catch (RuntimeException | Error e) {
            LOG.error("cube {} cannot be served here now", cube, e);
            boolean unused = closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void giveUp() {
        role.stop();
        if (role.election() != 0) {
            role.resign();
        }
    }

    /** Serves the cube until the end of the election, or of the server. */
    private void hold(long own) throws InterruptedException {
        Optional<OpenServer> server = node.server().filter(each -> !each.isClosing());
        if (server.isEmpty()) {
            return;
        }
        StoreCubes cubes = server.get().cubes();
        try {
            server.get().awaitPlacement(node.placedBehind(cube));
            // It is open still if this node took the store over before it saw the placement.
            cubes.release(cube);
            cubes.take(cube);
        } catch (IOException | RuntimeException e) {
            LOG.error("this node cannot take cube {} over: {}", cube, e.getMessage(), e);
            boolean unused = closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
            return;
        }
        String why = "this node cannot announce itself";
        CubeGate gate = new CubeGate();
        try {
            serving = Optional.of(new Serving(own, lease(own, cubes), gate));
            role.announceServing(own);
            LOG.info("this node has cube {}", cube);
            why = awaitEnd(own, server.get());
        } catch (IOException e) {
            LOG.error("cube {}: {}", cube, e.getMessage());
        } finally {
            gate.close();
            LOG.info("this node closes cube {}: {}", cube, why);
            if (role.election() == own) {
                boolean isDrained = gate.awaitNone(node.patience().toNanos());
                LOG.debug("no request is under way: {}", isDrained);
            }
            serving = Optional.empty();
            close(server.get());
        }
    }

    private OwnerLease lease(long own, StoreCubes cubes) {
        return new OwnerLease(
                OwnerLease.Source.of(role, own, node.patience()),
                takesWrites(cubes),
                node.leaseCounts());
    }

    private BooleanSupplier takesWrites(StoreCubes cubes) {
        return () ->
                cubes.opened().stream()
                        .filter(each -> each.name().equals(cube))
                        .allMatch(each -> each.cube().state() != CubeState.READ_ONLY);
    }

    /** Returns the reason of the end. */
    private String awaitEnd(long own, OpenServer server) throws InterruptedException {
        BooleanSupplier writable = takesWrites(server.cubes());
        while (role.election() == own) {
            if (closed.getCount() == 0) {
                return "it stops";
            }
            if (!node.isHere(cube)) {
                return "another node shall have it";
            }
            if (server.isClosing()) {
                return "its server ends";
            }
            if (!writable.getAsBoolean()) {
                return "a write has failed, and it is opened again";
            }
            role.awaitLoss(own, LOOK_NANOS);
        }
        return "it is no longer the owner";
    }

    private void close(OpenServer server) {
        if (server.isClosing()) {
            // The server closes its cubes.
            return;
        }
        try {
            server.cubes().release(cube);
        } catch (IOException | RuntimeException e) {
            LOG.warn("cube {} was not closed in order", cube, e);
        }
    }

    /** Closes the cube, and gives the role up. */
    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        giveUp();
    }
}
