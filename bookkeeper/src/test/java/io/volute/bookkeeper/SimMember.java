package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterView.Node;
import io.volute.bookkeeper.Simulation.Machine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.zookeeper.KeeperException;

/**
 * One life of a node that takes part in the elections of the store and of a cube, and announces
 * that it serves when elected. It gives the cube up when that is placed elsewhere.
 */
final class SimMember {
    /** The cube that is placed. */
    static final String CUBE = "c";

    private static final long LOOK = ElectionModel.SESSION.toNanos() / 6;

    private final Simulation sim;
    private final SimZooKeeper zooKeeper;
    private final ClusterSettings settings;
    private final long pause;
    final Machine machine;

    /** Speed of the clock, in 1/1000 of the true time. */
    private final long clockRate;

    private final Deque<Runnable> orders = new ArrayDeque<>();
    private volatile ClusterMembership membership;
    int hints;
    final Role store = new Role();
    final Role cube = new Role();

    /** An order of the operator. */
    enum Order {
        HAND_OVER,
        DRAIN,
        PLACE
    }

    /** The elections of this node for one role. */
    static final class Role {
        private volatile ClusterRole role;
        private long announced;
        private long checked;
        int elections;

        /** Returns whether this node may open the store or the cube since the last call. */
        boolean isNewOwner() {
            long own = election();
            boolean isNew = own != 0 && own != checked;
            checked = own;
            return isNew;
        }

        /** Returns whether this node may answer requests. */
        boolean holdsLease() {
            long own = election();
            return own != 0 && role.holdsLease(own);
        }

        private long election() {
            return role == null ? 0 : role.election();
        }
    }

    /**
     * @param parts of a session, of which a lease is one
     */
    SimMember(Simulation sim, SimZooKeeper zooKeeper, String name, boolean isSlow, int parts) {
        this.sim = sim;
        this.zooKeeper = zooKeeper;
        this.machine = new Machine(name);
        Duration lease = ElectionModel.SESSION.dividedBy(parts);
        this.pause = Math.min(LOOK, lease.toNanos() / 3);
        this.clockRate = isSlow ? 333 : 950L + sim.random.nextInt(101);
        this.settings =
                new ClusterSettings(
                        "zookeeper",
                        "/volute",
                        ElectionModel.SESSION,
                        lease,
                        ClientSecurity.NONE,
                        name,
                        name + ":1",
                        "1");
        sim.start(machine, this::live);
    }

    private long clock() {
        return sim.now() / 1000 * clockRate;
    }

    private void live() {
        while (membership == null) {
            try {
                join();
            } catch (KeeperException | IOException e) {
                sim.running().sleep(LOOK);
            }
        }
        store.role.stand();
        cube.role.stand();
        while (true) {
            try {
                membership.look();
                suspect();
                carryOut();
            } catch (KeeperException | IOException e) {
                // The next look tries again.
            }
            sim.running().sleep(sim.random.nextLong(pause));
        }
    }

    /** Takes owners for dead that do not renew their leases, rightly or not. */
    private void suspect() {
        for (ClusterView.Owner each : membership.overdue()) {
            if (sim.random.nextBoolean()) {
                hints++;
                membership.refused(each.election());
            }
        }
    }

    private void join() throws KeeperException, IOException {
        ZooKeeperSession session = SimNode.session(sim, zooKeeper, machine, this::clock);
        boolean isJoined = false;
        try {
            ClusterMembership joined = new ClusterMembership(settings, session, this::clock);
            joined.register();
            store.role = joined.store();
            cube.role = joined.of(CUBE);
            membership = joined;
            isJoined = true;
        } finally {
            if (!isJoined) {
                session.close();
            }
        }
    }

    private void carryOut() throws IOException {
        announce(store);
        announce(cube);
        String place = membership.placed().getOrDefault(CUBE, settings.name());
        if (cube.election() != 0 && !place.equals(settings.name())) {
            // It closes the cube.
            sim.running().sleep(sim.random.nextLong(2 * LOOK));
            cube.role.resign();
            cube.role.stand();
        }
        if (store.holdsLease()) {
            placeAgain(place);
        }
        while (!orders.isEmpty()) {
            orders.poll().run();
        }
    }

    private void announce(Role taken) throws IOException {
        long own = taken.election();
        if (own != 0 && own != taken.announced) {
            taken.elections++;
            taken.announced = own;
            sim.running().sleep(sim.random.nextLong(LOOK));
            taken.role.announceServing(own);
        }
    }

    /** Places the cube, at first and when its node is gone. */
    private void placeAgain(String place) throws IOException {
        List<String> names = membership.view().nodes().stream().map(Node::name).toList();
        boolean isGone = !names.contains(place) && !names.isEmpty();
        if (isGone || !membership.placed().containsKey(CUBE)) {
            membership.place(CUBE, isGone ? names.getFirst() : place);
        }
    }

    /** Takes an order about a node, as the owner does. */
    void order(Order order, int node) {
        String name = "node-" + node;
        orders.add(
                () -> {
                    try {
                        carryOut(order, name);
                    } catch (IOException e) {
                        // The order is lost.
                    }
                });
    }

    private void carryOut(Order order, String name) throws IOException {
        switch (order) {
            case DRAIN -> membership.setDrained(name, !membership.drained().contains(name));
            case HAND_OVER -> {
                membership.wantNext(name);
                store.role.resign();
                store.role.stand();
            }
            case PLACE -> membership.place(CUBE, name);
        }
    }
}
