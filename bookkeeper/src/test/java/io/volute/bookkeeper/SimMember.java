package io.volute.bookkeeper;

import io.volute.bookkeeper.Simulation.Machine;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.zookeeper.KeeperException;

/** One life of a node that takes part in elections, and announces that it serves when elected. */
final class SimMember {
    private static final long LOOK = ElectionModel.SESSION.toNanos() / 6;

    private final Simulation sim;
    private final SimZooKeeper zooKeeper;
    private final ClusterSettings settings;
    final Machine machine;

    /** Speed of the clock, in 1/1000 of the true time. */
    private final long clockRate;

    private final Deque<Runnable> orders = new ArrayDeque<>();
    private volatile ClusterMembership membership;
    private long announced;
    private long checked;
    int elections;

    /** An order of the operator. */
    enum Order {
        HAND_OVER,
        DRAIN
    }

    SimMember(Simulation sim, SimZooKeeper zooKeeper, String name, boolean isSlow) {
        this.sim = sim;
        this.zooKeeper = zooKeeper;
        this.machine = new Machine(name);
        this.clockRate = isSlow ? 333 : 950L + sim.random.nextInt(101);
        this.settings =
                new ClusterSettings(
                        "zookeeper",
                        "/volute",
                        ElectionModel.SESSION,
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
        membership.stand();
        while (true) {
            try {
                membership.look();
                carryOut();
            } catch (KeeperException | IOException e) {
                // The next look tries again.
            }
            sim.running().sleep(sim.random.nextLong(LOOK));
        }
    }

    private void join() throws KeeperException, IOException {
        ZooKeeperSession session = SimNode.session(sim, zooKeeper, machine, this::clock);
        boolean isJoined = false;
        try {
            ClusterMembership joined = new ClusterMembership(settings, session, this::clock);
            joined.register();
            membership = joined;
            isJoined = true;
        } finally {
            if (!isJoined) {
                session.close();
            }
        }
    }

    private void carryOut() throws IOException {
        long own = membership.election();
        if (own != 0 && own != announced) {
            elections++;
            announced = own;
            sim.running().sleep(sim.random.nextLong(LOOK));
            membership.announceServing(own);
        }
        while (!orders.isEmpty()) {
            orders.poll().run();
        }
    }

    /** Takes an order about a node, as the owner does. */
    void order(Order order, int node) {
        String name = "node-" + node;
        orders.add(
                () -> {
                    try {
                        if (order == Order.DRAIN) {
                            membership.setDrained(name, !membership.drained().contains(name));
                        } else {
                            membership.wantNext(name);
                            membership.resign();
                            membership.stand();
                        }
                    } catch (IOException e) {
                        // The order is lost.
                    }
                });
    }

    /** Returns whether this node may open the store since the last call. */
    boolean isNewOwner() {
        long own = membership == null ? 0 : membership.election();
        boolean isNew = own != 0 && own != checked;
        checked = own;
        return isNew;
    }

    /** Returns whether this node may answer requests. */
    boolean holdsLease() {
        long own = membership == null ? 0 : membership.election();
        return own != 0 && membership.holdsLease(own);
    }
}
