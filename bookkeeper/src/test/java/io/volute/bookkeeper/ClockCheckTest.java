package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.bookkeeper.Simulation.Machine;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClockCheckTest {
    private final List<String> outcomes = new ArrayList<>();

    private static ClusterSettings settings() {
        return new ClusterSettings(
                "sim",
                "/volute",
                OwnershipModel.SESSION,
                OwnershipModel.SESSION,
                ClientSecurity.NONE,
                "node",
                "127.0.0.1:1",
                "1");
    }

    /** Checks clocks that differ from ZooKeeper's. */
    private void check(Duration... differences) throws InterruptedException {
        Simulation sim = new Simulation(1);
        SimZooKeeper zooKeeper = new SimZooKeeper(sim, OwnershipModel.SESSION.toNanos());
        Machine machine = new Machine("node");
        sim.start(
                machine,
                () -> {
                    for (Duration difference : differences) {
                        outcomes.add(outcome(sim, zooKeeper, machine, difference));
                    }
                    sim.end();
                });
        sim.run(60_000 * Simulation.MILLIS);
    }

    private static String outcome(
            Simulation sim, SimZooKeeper zooKeeper, Machine machine, Duration difference) {
        try (ZooKeeperSession session = SimNode.session(sim, zooKeeper, machine, sim::now)) {
            ClockCheck.require(
                    session,
                    settings(),
                    () -> Instant.ofEpochMilli(sim.now() / Simulation.MILLIS).plus(difference));
            return "accepted";
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    @Test
    void acceptsClocksThatAgree() throws InterruptedException {
        check(Duration.ZERO, Duration.ofSeconds(50), Duration.ofSeconds(-50));
        assertThat(outcomes).containsExactly("accepted", "accepted", "accepted");
    }

    @Test
    void refusesAClockThatIsAheadOrBehind() throws InterruptedException {
        check(Duration.ofHours(2), Duration.ofMinutes(-10));
        assertThat(outcomes)
                .anySatisfy(
                        said ->
                                assertThat(said)
                                        .contains("the clock of this machine is 7")
                                        .contains("s ahead of that of ZooKeeper")
                                        .contains("synchronize both with NTP"))
                .anySatisfy(said -> assertThat(said).contains("s behind that of ZooKeeper"))
                .hasSize(2);
    }
}
