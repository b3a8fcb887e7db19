package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClusterRegistryTest extends ClusterTestCase {
    /** Somebody with access to ZooKeeper, or a later release, has made them. */
    @Test
    void hintsThatCannotBeReadAreIgnored() throws InterruptedException {
        run(
                () -> {
                    ZooKeeperSession session = session(machine);
                    ClusterMembership membership =
                            new ClusterMembership(settings(machine), session, sim::now);
                    membership.register();
                    membership.place("c", "a");
                    session.ensure("/volute/cluster/nodes/without", null);
                    session.ensure("/volute/cluster/nodes/later", new byte[] {'f', '2'});
                    session.ensure("/volute/cluster/wanted", new byte[0]);
                    session.ensure("/volute/cluster/cubes/without", null);
                    session.ensure("/volute/cluster/cubes/without/node", null);
                    session.ensure("/volute/cluster/cubes/without/owner", null);
                    session.ensure("/volute/cluster/cubes/without/lease", null);
                    ClusterRole store = membership.store();
                    store.stand();
                    for (int i = 0; i < 20 && store.election() == 0; i++) {
                        membership.look();
                        sim.running().sleep(SESSION / 6);
                    }
                    assertThat(store.holdsLease(store.election())).isTrue();
                    assertThat(membership.placed()).isEqualTo(Map.of("c", "a"));
                    assertThat(membership.view().nodes())
                            .singleElement()
                            .satisfies(each -> assertThat(each.name()).isEqualTo("a"));
                });
    }

    /** ZooKeeper extends all sessions when it returns after it was away for longer than one. */
    @Test
    void aReadinessThatCouldNotBeWrittenIsWrittenLater() throws InterruptedException {
        run(
                () -> {
                    ZooKeeperSession session = session(machine);
                    ClusterMembership membership =
                            new ClusterMembership(settings(machine), session, sim::now);
                    membership.register();
                    long id = session.id();
                    sim.cut(machine, zooKeeper.machine, 2 * SESSION);
                    sim.stop(zooKeeper.machine, 3 * SESSION);
                    membership.setReady(true);
                    assertThatThrownBy(membership::look).isInstanceOf(IOException.class);
                    sim.running().sleep(3 * SESSION);
                    membership.look();
                    membership.look();
                    assertThat(session.id()).isEqualTo(id);
                    assertThat(membership.view().nodes())
                            .singleElement()
                            .satisfies(each -> assertThat(each.isReady()).isTrue());
                });
    }
}
