package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.bookkeeper.Simulation.Machine;
import java.io.IOException;
import org.apache.zookeeper.KeeperException;

/** A test of nodes of a cluster on simulated machines, with a simulated ZooKeeper. */
abstract class ClusterTestCase {
    static final long SESSION = OwnershipModel.SESSION.toNanos();

    /** A seed whose network loses and repeats nothing. */
    private static final long SEED = 15;

    final Simulation sim = new Simulation(SEED);
    final SimZooKeeper zooKeeper = new SimZooKeeper(sim, SESSION);
    final Machine machine = new Machine("a");
    final Machine other = new Machine("b");

    /** A step of a test on a machine. */
    interface Step {
        void run() throws KeeperException, IOException;
    }

    void on(Machine where, Step step) {
        sim.start(
                where,
                () -> {
                    try {
                        step.run();
                    } catch (KeeperException | IOException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    /** Runs a step on the first machine until it is done. */
    void run(Step step) throws InterruptedException {
        boolean[] isDone = new boolean[1];
        on(
                machine,
                () -> {
                    step.run();
                    isDone[0] = true;
                    sim.end();
                });
        sim.run(60 * SESSION);
        assertThat(isDone[0]).isTrue();
    }

    ZooKeeperSession session(Machine of) throws IOException {
        return SimNode.session(sim, zooKeeper, of, sim::now);
    }

    static ClusterSettings settings(Machine of) {
        return new ClusterSettings(
                "zookeeper",
                "/volute",
                OwnershipModel.SESSION,
                OwnershipModel.SESSION.dividedBy(2),
                ClientSecurity.NONE,
                of.name,
                of.name + ":1",
                "1");
    }

    /** Registers a node. The test looks for it. */
    ClusterMembership join(Machine of) throws KeeperException, IOException {
        ClusterMembership joined = new ClusterMembership(settings(of), session(of), sim::now);
        joined.register();
        return joined;
    }
}
