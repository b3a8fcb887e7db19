package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.bookkeeper.SimMember.Role;
import io.volute.bookkeeper.Simulation.Machine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Elections and leases in simulated schedules: three nodes, while they stop, die, are cut off from
 * ZooKeeper, and get orders. A cube is placed at one of them after the other. The code of the
 * membership is that of the server. Nodes take owners for dead that do not renew their leases, and
 * remove their nodes in ZooKeeper, although some live. No node becomes the owner of the store or of
 * the cube while another one holds its lease. {@code -Dvolute.schedules=10000} is the long form.
 */
class ElectionModel {
    static final Duration SESSION = Duration.ofSeconds(1);
    private static final int SCHEDULES = Integer.getInteger("volute.schedules", 100);
    private static final int PLANTED_MAX = 2000;
    private static final long FIRST = Long.getLong("volute.schedule", 1);
    private static final int NODES = 3;
    private static final int FAULTS = 30;
    private static final int LEASE_PARTS_MAX = 8;
    private static final long CHECK = 2 * Simulation.MILLIS;
    private static final byte[] RELEASED =
            "format 1\nreleased\nmillis 500\n".getBytes(StandardCharsets.UTF_8);
    private static final long CALM = 20_000 * Simulation.MILLIS;

    /** A mistake that the model must find. */
    enum Mistake {
        NONE,
        /** An elected node does not wait for the end of the lease before. */
        NO_WAIT,
        /** The same, of the cube alone. */
        NO_WAIT_FOR_CUBE,
        /** The clock of a node has a third of the speed: its lease outlasts its session. */
        SLOW_CLOCK,
        /** A renewal does not compare the lease: it counts on the node of the next owner. */
        BLIND_RENEWAL
    }

    @Test
    void noNodeBecomesTheOwnerDuringALease() {
        int elections = 0;
        int ofCube = 0;
        int hints = 0;
        for (long seed = FIRST; seed < FIRST + SCHEDULES; seed++) {
            Run run = new Run(seed, Mistake.NONE);
            run.go();
            elections += run.elections(member -> member.store);
            ofCube += run.elections(member -> member.cube);
            hints += run.hints();
        }
        System.out.println(
                SCHEDULES
                        + " schedules with "
                        + elections
                        + " elections of owners of the store and "
                        + ofCube
                        + " of the cube, "
                        + hints
                        + " hints that an owner has ended: no violation");
        assertThat(hints).isGreaterThan(SCHEDULES);
        assertThat(elections).isGreaterThan(SCHEDULES);
        assertThat(ofCube).isGreaterThan(2 * SCHEDULES);
    }

    @Test
    void findsNodesThatDoNotWaitForTheEndOfALease() {
        requireFound(Mistake.NO_WAIT, 1);
    }

    @Test
    void findsNodesThatDoNotWaitForTheEndOfALeaseOfACube() {
        requireFound(Mistake.NO_WAIT_FOR_CUBE, 45);
    }

    @Test
    void findsAClockThatIsTooSlow() {
        requireFound(Mistake.SLOW_CLOCK, 1);
    }

    @Test
    void findsARenewalOnTheNodeOfTheNextOwner() {
        requireFound(Mistake.BLIND_RENEWAL, 55);
    }

    private static void requireFound(Mistake mistake, long first) {
        PlantedMistake.requireFound(
                mistake, first, PLANTED_MAX, "has a lease", seed -> new Run(seed, mistake).go());
    }

    /** One schedule. */
    private static final class Run {
        private final long seed;
        private final Simulation sim;
        private final SplittableRandom random;
        private final SimZooKeeper zooKeeper;
        private final Mistake mistake;
        private final List<SimMember> nodes = new ArrayList<>();
        private final List<SimMember> all = new ArrayList<>();
        private boolean isChecked;

        Run(long seed, Mistake mistake) {
            this.seed = seed;
            this.mistake = mistake;
            sim = new Simulation(seed);
            random = sim.random;
            zooKeeper = new SimZooKeeper(sim, SESSION.toNanos());
            switch (mistake) {
                case NO_WAIT -> zooKeeper.show("/volute/cluster/lease", RELEASED);
                case NO_WAIT_FOR_CUBE -> zooKeeper.show("/volute/cluster/cubes/c/lease", RELEASED);
                case BLIND_RENEWAL -> zooKeeper.ignoreVersionsOf("/volute/cluster/lease");
                case SLOW_CLOCK, NONE -> {}
            }
        }

        int elections(Function<SimMember, Role> of) {
            return all.stream().map(of).mapToInt(each -> each.elections).sum();
        }

        int hints() {
            return all.stream().mapToInt(each -> each.hints).sum();
        }

        void go() {
            try {
                for (int i = 0; i < NODES; i++) {
                    nodes.add(node(i));
                }
                sim.start(new Machine("faults"), this::disturb);
                sim.every(new Machine("checks"), CHECK, this::check);
                sim.run(600_000 * Simulation.MILLIS);
                assertThat(isChecked || mistake != Mistake.NONE)
                        .as("nodes serve the store and the cube when all is well again")
                        .isTrue();
            } catch (AssertionError | InterruptedException e) {
                throw new AssertionError(
                        "schedule " + seed + "; -Dvolute.schedules=1 -Dvolute.schedule=" + seed, e);
            }
        }

        private SimMember node(int number) {
            boolean isSlow = mistake == Mistake.SLOW_CLOCK && number == 0;
            int parts = 2 + random.nextInt(LEASE_PARTS_MAX - 1);
            SimMember member = new SimMember(sim, zooKeeper, "node-" + number, isSlow, parts);
            all.add(member);
            return member;
        }

        private boolean check() {
            check("the store", member -> member.store);
            check("the cube", member -> member.cube);
            return true;
        }

        /** A node that was the owner before may not have seen the election. It has no lease. */
        private void check(String what, Function<SimMember, Role> of) {
            for (SimMember owner : nodes) {
                boolean isNew = of.apply(owner).isNewOwner();
                for (SimMember other : nodes) {
                    if (owner != other
                            && (isNew || of.apply(owner).holdsLease())
                            && of.apply(other).holdsLease()) {
                        throw new AssertionError(
                                owner.machine
                                        + " is the owner of "
                                        + what
                                        + " while "
                                        + other.machine
                                        + " has a lease");
                    }
                }
            }
        }

        private void disturb() {
            for (int i = 0; i < FAULTS; i++) {
                sim.running().sleep(random.nextLong(1500) * Simulation.MILLIS);
                fault();
            }
            // Messages are lost in calm times, too.
            long limit = sim.now() + CALM;
            while (!isChecked && sim.now() < limit) {
                sim.running().sleep(SESSION.toNanos());
                isChecked = isServed(member -> member.store) && isServed(member -> member.cube);
            }
            sim.end();
        }

        private boolean isServed(Function<SimMember, Role> of) {
            return nodes.stream().map(of).anyMatch(Role::holdsLease);
        }

        private void fault() {
            int number = random.nextInt(NODES);
            SimMember member = nodes.get(number);
            switch (random.nextInt(9)) {
                case 0, 1 -> sim.stop(member.machine, random.nextLong(2 * SESSION.toNanos()));
                case 2, 3 ->
                        sim.cut(
                                member.machine,
                                zooKeeper.machine,
                                random.nextLong(2 * SESSION.toNanos()));
                case 4 -> {
                    sim.kill(member.machine);
                    nodes.set(number, node(number));
                }
                case 5 -> member.order(SimMember.Order.HAND_OVER, random.nextInt(NODES));
                case 6, 7 -> member.order(SimMember.Order.PLACE, random.nextInt(NODES));
                default -> member.order(SimMember.Order.DRAIN, random.nextInt(NODES));
            }
        }
    }
}
