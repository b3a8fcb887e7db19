package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.bookkeeper.SimNode.Answer;
import io.volute.bookkeeper.SimNode.Request;
import io.volute.bookkeeper.Simulation.Machine;
import io.volute.bookkeeper.Simulation.Promise;
import io.volute.testkit.ledger.RegisterHistory;
import io.volute.testkit.sim.SimFileSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Claims, fencing, take-over and recovery of ledgers in simulated schedules: three servers share
 * one log, while machines stop, die and are cut off. The code of the log, of its ledgers and of the
 * segment list is that of the server. {@code -Dvolute.schedules=10000} is the long form.
 */
class OwnershipModel {
    static final Duration SESSION = Duration.ofSeconds(1);
    private static final int SCHEDULES = Integer.getInteger("volute.schedules", 40);
    private static final long FIRST = Long.getLong("volute.schedule", 1);
    private static final int PLANTED_MAX = 400;
    private static final int NODES = 3;
    private static final int CLIENTS = 3;
    private static final int KINDS = 7;
    private static final int FAULTS = 8;
    private static final int OPERATIONS = 80;
    private static final long PAUSE_MILLIS = 200;
    private static final long CALM = 20_000 * Simulation.MILLIS;

    /** A mistake that the model must find. */
    enum Mistake {
        NONE,
        /** Bookies take entries of ledgers that are fenced. */
        NO_FENCING,
        /** An entry counts before a bookie has it. */
        ACKNOWLEDGED_BEFORE_QUORUM,
        /** An owner answers reads without an append, so that it may not be the owner any more. */
        STALE_READS,
        /** Changes of the segment list do not compare the version. */
        LIST_WITHOUT_VERSION
    }

    @Test
    void historiesAreLinearizable() {
        int takeOvers = 0;
        int operations = 0;
        for (long seed = FIRST; seed < FIRST + SCHEDULES; seed++) {
            Run run = new Run(seed, Mistake.NONE);
            run.go();
            takeOvers += run.takeOvers;
            operations += run.history.operations();
        }
        System.out.println(
                SCHEDULES
                        + " schedules with "
                        + takeOvers
                        + " take-overs and "
                        + operations
                        + " operations: no violation");
        assertThat(takeOvers).isGreaterThan(SCHEDULES);
    }

    @Test
    void findsOwnersThatAreNotFenced() {
        requireFound(Mistake.NO_FENCING, 1);
    }

    @Test
    void findsAcknowledgementsBeforeTheQuorum() {
        requireFound(Mistake.ACKNOWLEDGED_BEFORE_QUORUM, 1);
    }

    @Test
    void findsStaleReads() {
        requireFound(Mistake.STALE_READS, 1);
    }

    @Test
    void findsListChangesWithoutTheExpectedVersion() {
        requireFound(Mistake.LIST_WITHOUT_VERSION, 81);
    }

    private static void requireFound(Mistake mistake, long first) {
        PlantedMistake.requireFound(
                mistake, first, PLANTED_MAX, "register-", seed -> new Run(seed, mistake).go());
    }

    /** One schedule. */
    private static final class Run {
        private final long seed;
        private final Simulation sim;
        private final SplittableRandom random;
        private final SimZooKeeper zooKeeper;
        private final SimBookKeeper bookKeeper;
        private final Mistake mistake;
        private final List<Integer> kinds = new ArrayList<>();
        private final List<SimNode> nodes = new ArrayList<>();
        private final List<SimNode> past = new ArrayList<>();
        private final Machine clients = new Machine("clients");
        private final RegisterHistory history = new RegisterHistory();
        private long lastValue;
        private int busyClients = CLIENTS;
        private int lostBookie = -1;
        private boolean isReplaced;
        private boolean isChecked;
        private int takeOvers;

        Run(long seed, Mistake mistake) {
            this.seed = seed;
            this.mistake = mistake;
            sim = new Simulation(seed);
            random = sim.random;
            zooKeeper = new SimZooKeeper(sim, SESSION.toNanos());
            bookKeeper = new SimBookKeeper(sim);
            for (int kind = 0; kind < KINDS; kind++) {
                if (seed % 2 == 0 || random.nextBoolean()) {
                    kinds.add(kind);
                }
            }
            if (kinds.isEmpty()) {
                kinds.add(0);
            }
            switch (mistake) {
                case NO_FENCING -> bookKeeper.withoutFencing();
                case ACKNOWLEDGED_BEFORE_QUORUM -> bookKeeper.acknowledgingBeforeTheQuorum();
                case LIST_WITHOUT_VERSION -> zooKeeper.ignoreVersions();
                case NONE, STALE_READS -> {}
            }
        }

        void go() {
            try {
                for (int i = 0; i < NODES; i++) {
                    nodes.add(node(i, new SimFileSystem(i)));
                }
                for (int i = 0; i < CLIENTS; i++) {
                    sim.start(clients, this::work);
                }
                sim.start(new Machine("faults"), this::disturb);
                sim.run(600_000 * Simulation.MILLIS);
                assertThat(history.violation()).isEmpty();
                assertThat(isChecked || mistake != Mistake.NONE)
                        .as("the store serves when all is well again")
                        .isTrue();
            } catch (AssertionError | InterruptedException e) {
                throw new AssertionError(
                        "schedule " + seed + "; -Dvolute.schedules=1 -Dvolute.schedule=" + seed, e);
            } finally {
                past.addAll(nodes);
                takeOvers = past.stream().mapToInt(each -> each.takeOvers).sum();
            }
        }

        private SimNode node(int number, SimFileSystem files) {
            return new SimNode(sim, zooKeeper, bookKeeper, "node-" + number, files, mistake);
        }

        private void work() {
            int node = random.nextInt(NODES);
            for (int i = 0; i < OPERATIONS; i++) {
                String key = "register-" + random.nextInt(2);
                long value = random.nextInt(5) < 2 ? ++lastValue : 0;
                if (!isDone(node, key, value, 1000) || random.nextInt(2) == 0) {
                    node = random.nextInt(NODES);
                }
                sim.running().sleep(random.nextLong(PAUSE_MILLIS) * Simulation.MILLIS);
            }
            busyClients--;
        }

        /** Makes one operation and records it; returns whether the server has done it. */
        private boolean isDone(int node, String key, long value, long timeoutMillis) {
            Promise<Answer> promise = new Promise<>();
            SimNode asked = nodes.get(node);
            long begin = sim.now();
            Request request =
                    new Request(
                            key,
                            value,
                            answer ->
                                    sim.post(
                                            asked.machine,
                                            clients,
                                            () -> promise.complete(answer, null)));
            sim.post(clients, asked.machine, () -> asked.receive(request));
            boolean isAnswered = sim.running().await(promise, timeoutMillis * Simulation.MILLIS);
            if (!isAnswered) {
                if (value != 0) {
                    history.unknownWrite(key, value, begin);
                }
                return false;
            }
            if (promise.value().isRefused()) {
                return false;
            }
            if (value == 0) {
                history.read(key, promise.value().value(), begin, sim.now());
            } else {
                history.write(key, value, begin, sim.now());
            }
            return true;
        }

        private void disturb() {
            for (int i = 0; i < FAULTS; i++) {
                sim.running().sleep(random.nextLong(2500) * Simulation.MILLIS);
                fault();
            }
            sim.running().sleep(4 * SESSION.toNanos());
            while (busyClients > 0) {
                sim.running().sleep(1000 * Simulation.MILLIS);
            }
            sim.running().sleep(CALM);
            for (int i = 0; i < 2; i++) {
                int tries = 0;
                while (!isDone(tries % NODES, "register-" + i, 0, 2000)) {
                    if (++tries > 300) {
                        return;
                    }
                    sim.running().sleep(100 * Simulation.MILLIS);
                }
            }
            isChecked = true;
            sim.end();
        }

        /**
         * Every second schedule has faults of some kinds only, so that rare ones meet more often.
         */
        private void fault() {
            int kind = kinds.get(random.nextInt(kinds.size()));
            int number = random.nextInt(NODES);
            Machine machine = nodes.get(number).machine;
            switch (kind) {
                case 0 -> sim.stop(machine, random.nextLong(4 * SESSION.toNanos()));
                case 1 -> cutForATime(machine, zooKeeper.machine);
                case 2 -> {
                    for (int i = 0; i < NODES; i++) {
                        cutForATime(machine, bookKeeper.machine(i));
                    }
                }
                case 3 -> {
                    cutForATime(machine, bookKeeper.machine(random.nextInt(NODES)));
                    cutForATime(machine, bookKeeper.machine(random.nextInt(NODES)));
                }
                case 4 -> restart(number);
                case 5 ->
                        sim.stop(
                                bookKeeper.machine(random.nextInt(NODES)),
                                random.nextLong(2 * SESSION.toNanos()));
                default -> {
                    if (lostBookie < 0) {
                        lostBookie = random.nextInt(NODES);
                        bookKeeper.lose(lostBookie);
                    } else if (!isReplaced) {
                        isReplaced = true;
                        bookKeeper.replace(lostBookie);
                    }
                }
            }
        }

        private void cutForATime(Machine one, Machine other) {
            sim.cut(one, other, random.nextLong(4 * SESSION.toNanos()));
        }

        private void restart(int number) {
            SimNode old = nodes.get(number);
            SimFileSystem left =
                    random.nextBoolean() ? old.files.afterKill() : new SimFileSystem(number);
            sim.kill(old.machine);
            past.add(old);
            nodes.set(number, node(number, left));
        }
    }
}
