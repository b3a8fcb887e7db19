package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.bookkeeper.Simulation.Machine;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.ledger.SegmentList;
import io.volute.storage.log.ledger.SegmentList.Listed;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LostAnswerTest {
    private static final Listed SEGMENT =
            new Listed(SegmentFileName.of(1, Kind.HEAD), 7, 65_536, Listed.OPEN, false);

    private final Simulation sim = new Simulation(1);
    private final SimZooKeeper zooKeeper = new SimZooKeeper(sim, OwnershipModel.SESSION.toNanos());
    private final Machine machine = new Machine("node");
    private final List<Listed> found = new ArrayList<>();

    /** The owner makes the change again and meets its own one. */
    @Test
    void aChangeWhoseAnswerIsLostIsNotThatOfAnotherOwner() throws InterruptedException {
        sim.start(machine, this::changeTheList);
        sim.run(60_000 * Simulation.MILLIS);
        assertThat(found).containsExactly(SEGMENT);
    }

    private void changeTheList() {
        try (ZooKeeperSession session = SimNode.session(sim, zooKeeper, machine, sim::now)) {
            SegmentList list = list(session);
            assertThat(list.claim().segments()).isEmpty();
            zooKeeper.loseAnswer();
            list.change(List.of(SEGMENT), List.of());
            found.addAll(list.claim().segments());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sim.end();
    }

    private static SegmentList list(ZooKeeperSession session) {
        return new ZooKeeperSegmentList(
                session, SimNode.settings("node"), "c", new UUID(0, 1), CubeNode.State.HERE);
    }
}
