package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.bookkeeper.Simulation.Machine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Elections and leases in simulated schedules: three nodes, while they stop, die, are cut off from
 * ZooKeeper, and get orders. The code of the membership is that of the server. No node becomes the
 * owner while another one holds a lease. {@code -Dvolute.schedules=10000} is the long form.
 */
class ElectionModel {
    static final Duration SESSION = Duration.ofSeconds(1);
    private static final int SCHEDULES = Integer.getInteger("volute.schedules", 100);
    private static final int PLANTED_MAX = 2000;
    private static final long FIRST = Long.getLong("volute.schedule", 1);
    private static final int NODES = 3;
    private static final int FAULTS = 30;
    private static final long CHECK = 2 * Simulation.MILLIS;
    private static final long CALM = 20_000 * Simulation.MILLIS;

    /** A mistake that the model must find. */
    enum Mistake {
        NONE,
        /** An elected node does not wait for the end of the lease before. */
        NO_WAIT,
        /** The clock of a node has a third of the speed: its lease outlasts its session. */
        SLOW_CLOCK
    }

    @Test
    void noNodeBecomesTheOwnerDuringALease() {
        int elections = 0;
        for (long seed = FIRST; seed < FIRST + SCHEDULES; seed++) {
            Run run = new Run(seed, Mistake.NONE);
            run.go();
            elections += run.elections();
        }
        System.out.println(SCHEDULES + " schedules with " + elections + " elections: no violation");
        assertThat(elections).isGreaterThan(SCHEDULES);
    }

    @Test
    void findsNodesThatDoNotWaitForTheEndOfALease() {
        requireFound(Mistake.NO_WAIT, 2201);
    }

    @Test
    void findsAClockThatIsTooSlow() {
        requireFound(Mistake.SLOW_CLOCK, 1);
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
            if (mistake == Mistake.NO_WAIT) {
                zooKeeper.show(
                        "/volute/cluster/lease",
                        "format 1\nreleased\n".getBytes(StandardCharsets.UTF_8));
            }
        }

        int elections() {
            return all.stream().mapToInt(each -> each.elections).sum();
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
                        .as("a node serves when all is well again")
                        .isTrue();
            } catch (AssertionError | InterruptedException e) {
                throw new AssertionError(
                        "schedule " + seed + "; -Dvolute.schedules=1 -Dvolute.schedule=" + seed, e);
            }
        }

        private SimMember node(int number) {
            boolean isSlow = mistake == Mistake.SLOW_CLOCK && number == 0;
            SimMember member = new SimMember(sim, zooKeeper, "node-" + number, isSlow);
            all.add(member);
            return member;
        }

        /** A node that was the owner before may not have seen the election. It has no lease. */
        private boolean check() {
            for (SimMember owner : nodes) {
                boolean isNew = owner.isNewOwner();
                for (SimMember other : nodes) {
                    if (owner != other && (isNew || owner.holdsLease()) && other.holdsLease()) {
                        throw new AssertionError(
                                owner.machine
                                        + " is the owner while "
                                        + other.machine
                                        + " has a lease");
                    }
                }
            }
            return true;
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
                isChecked = nodes.stream().anyMatch(SimMember::holdsLease);
            }
            sim.end();
        }

        private void fault() {
            int number = random.nextInt(NODES);
            SimMember member = nodes.get(number);
            switch (random.nextInt(7)) {
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
                default -> member.order(SimMember.Order.DRAIN, random.nextInt(NODES));
            }
        }
    }
}
