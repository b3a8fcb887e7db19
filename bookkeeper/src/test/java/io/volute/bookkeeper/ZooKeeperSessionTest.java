package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.Watcher;
import org.junit.jupiter.api.Test;

class ZooKeeperSessionTest extends ClusterTestCase {
    private static final String PATH = "/node";

    private final AtomicInteger events = new AtomicInteger();
    private final Watcher watcher = event -> events.incrementAndGet();

    @Test
    void aNodeIsWatchedOnceUntilItChanges() throws InterruptedException {
        run(
                () -> {
                    ZooKeeperSession session = session(machine);
                    session.watch(PATH, watcher);
                    session.watch(PATH, watcher);
                    assertThat(zooKeeper.watchCalls()).isEqualTo(1);
                    session.ensure(PATH, new byte[0]);
                    sim.running().sleep(SESSION);
                    assertThat(events).hasValue(1);
                    session.watch(PATH, watcher);
                    assertThat(zooKeeper.watchCalls()).isEqualTo(2);
                    session.deleteIfExists(PATH);
                    sim.running().sleep(SESSION);
                    assertThat(events).hasValue(2);
                });
    }

    /** The servers forget the watches of a session that has ended. */
    @Test
    void aLaterSessionWatchesAgain() throws InterruptedException {
        run(
                () -> {
                    ZooKeeperSession session = session(machine);
                    session.watch(PATH, watcher);
                    long before = session.id();
                    sim.cut(machine, zooKeeper.machine, 2 * SESSION);
                    sim.running().sleep(3 * SESSION);
                    assertThat(session.id()).isNotEqualTo(before);
                    session.watch(PATH, watcher);
                    session.ensure(PATH, new byte[0]);
                    sim.running().sleep(SESSION);
                    assertThat(events).hasValue(1);
                });
    }
}
