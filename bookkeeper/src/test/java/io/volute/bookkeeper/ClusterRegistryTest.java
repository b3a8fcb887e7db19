package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.bookkeeper.ClusterRegistry.Elected;
import io.volute.bookkeeper.ClusterView.Owner;
import io.volute.bookkeeper.Simulation.Machine;
import java.io.IOException;
import java.util.Optional;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;

class ClusterRegistryTest {
    private static final long SESSION = OwnershipModel.SESSION.toNanos();

    private final Simulation sim = new Simulation(1);
    private final SimZooKeeper zooKeeper = new SimZooKeeper(sim, SESSION);
    private final Machine machine = new Machine("a");
    private final Machine other = new Machine("b");

    /** A step of a test on a machine. */
    private interface Step {
        void run() throws KeeperException, IOException;
    }

    private void on(Machine where, Step step) {
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

    private void run(Step step) throws InterruptedException {
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

    private ZooKeeperSession session(Machine of) throws IOException {
        return SimNode.session(sim, zooKeeper, of, sim::now);
    }

    private static ClusterSettings settings(Machine of) {
        return new ClusterSettings(
                "zookeeper",
                "/volute",
                OwnershipModel.SESSION,
                ClientSecurity.NONE,
                of.name,
                of.name + ":1",
                "1");
    }

    private ClusterRegistry registry(Machine of) throws IOException {
        return new ClusterRegistry(settings(of), session(of), sim::now);
    }

    private static Optional<Owner> owner(ClusterRegistry registry)
            throws KeeperException, IOException {
        return registry.elected(event -> {}).map(Elected::owner);
    }

    private static long elect(ClusterRegistry registry) throws KeeperException, IOException {
        registry.prepare();
        registry.elect();
        return owner(registry).orElseThrow().election();
    }

    @Test
    void anElectedNodeAnnouncesThatItServes() throws InterruptedException {
        run(
                () -> {
                    ClusterRegistry registry = registry(machine);
                    long own = elect(registry);
                    registry.announce(own);
                    assertThat(owner(registry)).contains(new Owner("a", "a:1", true, own));
                });
    }

    /** The try before has changed the version of the owner's node. */
    @Test
    void anAnnouncementWhoseAnswerIsLostIsDone() throws InterruptedException {
        run(
                () -> {
                    ClusterRegistry registry = registry(machine);
                    long own = elect(registry);
                    registry.want("a");
                    zooKeeper.loseAnswer();
                    registry.announce(own);
                    assertThat(owner(registry)).contains(new Owner("a", "a:1", true, own));
                    assertThat(registry.orders(event -> {}).wanted()).isEmpty();
                });
    }

    /** Otherwise the other nodes would forward requests to a node without the role. */
    @Test
    void aLaterSessionAnnouncesNothingForAnEarlierElection() throws InterruptedException {
        run(
                () -> {
                    ClusterRegistry registry = registry(machine);
                    ClusterRegistry next = registry(other);
                    long own = elect(registry);
                    zooKeeper.expireAtNextChange(() -> on(other, next::elect));
                    registry.announce(own);
                    Owner owner = owner(registry).orElseThrow();
                    assertThat(owner.name()).isEqualTo("b");
                    assertThat(owner.isServing()).isFalse();
                });
    }

    /** Somebody with access to ZooKeeper, or a later release, has made them. */
    @Test
    void hintsThatCannotBeReadAreIgnored() throws InterruptedException {
        run(
                () -> {
                    ZooKeeperSession session = session(machine);
                    ClusterMembership membership =
                            new ClusterMembership(settings(machine), session, sim::now);
                    membership.register();
                    session.ensure("/volute/cluster/nodes/without", null);
                    session.ensure("/volute/cluster/nodes/later", new byte[] {'f', '2'});
                    session.ensure("/volute/cluster/wanted", new byte[0]);
                    membership.stand();
                    for (int i = 0; i < 20 && membership.election() == 0; i++) {
                        membership.look();
                        sim.running().sleep(SESSION / 6);
                    }
                    assertThat(membership.holdsLease(membership.election())).isTrue();
                    assertThat(membership.view().nodes())
                            .singleElement()
                            .satisfies(each -> assertThat(each.name()).isEqualTo("a"));
                });
    }

    @Test
    void anOwnerWithoutContentIsAFailureOfOneLook() throws InterruptedException {
        run(
                () -> {
                    ZooKeeperSession session = session(machine);
                    ClusterRegistry registry =
                            new ClusterRegistry(settings(machine), session, sim::now);
                    registry.prepare();
                    session.ensure("/volute/cluster/owner", null);
                    assertThatThrownBy(() -> owner(registry))
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("/volute/cluster/owner in ZooKeeper is damaged");
                });
    }

    /** Otherwise a third node would be elected, and need not wait for the end of the lease. */
    @Test
    void aWithdrawalThatArrivesAgainDoesNotEndTheRoleOfTheNextOwner() throws InterruptedException {
        run(
                () -> {
                    ClusterRegistry registry = registry(machine);
                    registry.announce(electAndConfirm(registry));
                    zooKeeper.repeatNextChange(SESSION / 2);
                    registry.withdraw();
                    assertThat(registry.renewal().isReleased()).isTrue();
                    on(
                            other,
                            () -> {
                                ClusterRegistry next = registry(other);
                                long election = electAndConfirm(next);
                                sim.running().sleep(SESSION);
                                assertThat(owner(next)).map(Owner::election).contains(election);
                                assertThat(next.renewal().isReleased()).isFalse();
                            });
                    sim.running().sleep(2 * SESSION);
                });
    }

    private static long electAndConfirm(ClusterRegistry registry)
            throws KeeperException, IOException {
        long election = elect(registry);
        assertThat(registry.confirm(registry.elected(event -> {}).orElseThrow())).isTrue();
        return election;
    }

    @Test
    void aNodeWithdrawsBeforeItHasALease() throws InterruptedException {
        run(
                () -> {
                    ClusterRegistry registry = registry(machine);
                    assertThat(elect(registry)).isPositive();
                    registry.withdraw();
                    assertThat(owner(registry)).isEmpty();
                    assertThat(registry.renewal().isReleased()).isTrue();
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
