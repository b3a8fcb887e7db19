package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.bookkeeper.ClusterView.Owner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;

/** The roles of placed cubes beside that of the store. */
class ClusterRoleTest extends ClusterTestCase {
    private static final long LOOK = SESSION / 6;

    private void lookFor(long nanos, ClusterMembership... nodes)
            throws KeeperException, IOException {
        long limit = sim.now() + nanos;
        while (sim.now() < limit) {
            for (ClusterMembership each : nodes) {
                each.look();
            }
            sim.running().sleep(LOOK);
        }
    }

    private static boolean holdsLease(ClusterRole role) {
        return role.election() != 0 && role.holdsLease(role.election());
    }

    @Test
    void aNodeStandsForACubeOnlyWhereItIsPlacedAndTakenUp() throws InterruptedException {
        run(
                () -> {
                    ClusterMembership a = join(machine);
                    ClusterMembership b = join(other);
                    a.of("c").stand();
                    b.of("c").stand();
                    lookFor(SESSION, a, b);
                    assertThat(a.of("c").owner()).isEmpty();
                    a.place("c", "b");
                    a.place("idle", "b");
                    lookFor(SESSION, a, b);
                    assertThat(holdsLease(a.of("c"))).isFalse();
                    assertThat(holdsLease(b.of("c"))).isTrue();
                    assertThat(a.of("c").owner()).map(Owner::name).contains("b");
                    assertThat(a.of("idle").owner()).isEmpty();
                    assertThat(a.placed()).isEqualTo(Map.of("c", "b", "idle", "b"));
                    assertThat(a.view().owner()).isEmpty();
                });
    }

    /** The owner closes the cube first. Nobody waits for the end of its lease then. */
    @Test
    void anOwnerKeepsACubeThatIsPlacedElsewhereUntilItResigns() throws InterruptedException {
        run(
                () -> {
                    ClusterMembership a = join(machine);
                    ClusterMembership b = join(other);
                    a.of("c").stand();
                    b.of("c").stand();
                    a.place("c", "a");
                    lookFor(SESSION, a, b);
                    b.place("c", "b");
                    lookFor(3 * SESSION, a, b);
                    assertThat(a.placed()).isEqualTo(Map.of("c", "b"));
                    assertThat(holdsLease(a.of("c"))).isTrue();
                    assertThat(b.of("c").owner()).map(Owner::name).contains("a");
                    a.of("c").resign();
                    long resigned = sim.now();
                    assertThat(holdsLease(a.of("c"))).isFalse();
                    while (!holdsLease(b.of("c"))) {
                        b.look();
                    }
                    assertThat(sim.now() - resigned).isLessThan(SESSION / 2);
                    a.of("c").stand();
                    lookFor(SESSION, a, b);
                    assertThat(a.of("c").election()).isZero();
                });
    }

    /** The last look of a node can be older than an election, and so can a server's answer. */
    @Test
    void theOwnersOfNowHaveThoseThatNoLookHasSeen() throws InterruptedException {
        run(
                () -> {
                    ClusterMembership a = join(machine);
                    ClusterMembership b = join(other);
                    for (int i = 0; i < 20; i++) {
                        a.place("c" + i, "b");
                        b.of("c" + i).stand();
                    }
                    lookFor(SESSION, b);
                    assertThat(a.view().owner()).isEmpty();
                    assertThat(a.of("c0").owner()).isEmpty();
                    List<Owner> owners = a.ownersNow();
                    assertThat(owners).hasSize(20);
                    assertThat(owners).allMatch(each -> each.name().equals("b"));
                    assertThat(owners).noneMatch(Owner::isServing);
                    assertThat(a.of("c0").owner()).isEmpty();
                    b.of("c0").resign();
                    assertThat(a.ownersNow()).hasSize(19);
                });
    }

    /** Joins two nodes, of which the first serves the store. */
    private List<ClusterMembership> ownerAndOther() throws KeeperException, IOException {
        ClusterMembership a = join(machine);
        ClusterMembership b = join(other);
        a.store().stand();
        lookFor(SESSION, a, b);
        a.store().announceServing(a.store().election());
        b.store().stand();
        lookFor(SESSION, a, b);
        assertThat(holdsLease(a.store())).isTrue();
        assertThat(b.overdue()).isEmpty();
        return List.of(a, b);
    }

    /** The sessions of the process last on: nothing else ends its role. */
    @Test
    void anOwnerThatHasEndedIsReplacedAtTheEndOfItsLease() throws InterruptedException {
        run(
                () -> {
                    List<ClusterMembership> both = ownerAndOther();
                    ClusterMembership a = both.getFirst();
                    ClusterMembership b = both.getLast();
                    long ended = sim.now();
                    while (b.overdue().isEmpty()) {
                        b.look();
                        sim.running().sleep(LOOK / 8);
                    }
                    assertThat(b.store().won()).isZero();
                    b.refused(b.overdue().getFirst().election());
                    b.look();
                    b.look();
                    // It may open the store, and answers nothing yet.
                    assertThat(b.store().won()).isPositive();
                    assertThat(holdsLease(a.store())).isTrue();
                    while (!holdsLease(b.store())) {
                        assertThat(sim.now() - ended).isLessThan(SESSION);
                        sim.running().sleep(LOOK / 8);
                        b.look();
                    }
                    assertThat(holdsLease(a.store())).isFalse();
                    assertThat(b.view().nodes())
                            .extracting(ClusterView.Node::name)
                            .containsOnly("b");
                    // The process lives nevertheless.
                    lookFor(SESSION, a, b);
                    assertThat(a.store().election()).isZero();
                    assertThat(b.view().nodes())
                            .extracting(ClusterView.Node::name)
                            .containsExactly("a", "b");
                });
    }

    /** Only the connections of one node are refused. */
    @Test
    void anOwnerThatRenewsItsLeaseStays() throws InterruptedException {
        run(
                () -> {
                    List<ClusterMembership> both = ownerAndOther();
                    ClusterMembership a = both.getFirst();
                    ClusterMembership b = both.getLast();
                    long own = a.store().election();
                    while (b.overdue().isEmpty()) {
                        b.look();
                        sim.running().sleep(LOOK / 8);
                    }
                    a.look();
                    b.refused(own);
                    lookFor(SESSION, b, a);
                    b.refused(own);
                    lookFor(SESSION, b, a);
                    assertThat(a.store().election()).isEqualTo(own);
                    assertThat(b.store().won()).isZero();
                });
    }

    /** The owner's node can vanish while the owner has a lease: a session ends at any time. */
    @Test
    void theNextOwnerOfACubeWaitsForTheEndOfTheLease() throws InterruptedException {
        run(
                () -> {
                    ClusterMembership a = join(machine);
                    ClusterMembership b = join(other);
                    a.of("c").stand();
                    b.of("c").stand();
                    a.place("c", "a");
                    lookFor(SESSION, a, b);
                    a.look();
                    b.place("c", "b");
                    session(other).deleteIfExists(settings(other).ownerPath("c"));
                    assertThat(holdsLease(a.of("c"))).isTrue();
                    while (b.of("c").election() == 0) {
                        b.look();
                        assertThat(b.of("c").election() != 0 && holdsLease(a.of("c"))).isFalse();
                        sim.running().sleep(LOOK / 10);
                    }
                    assertThat(b.of("c").owner()).map(Owner::name).contains("b");
                });
    }

    /** A thread that waits for the role of a cube ends with it. */
    @Test
    void anElectionThatNobodyWaitsForAnyMoreIsGivenUp() throws InterruptedException {
        run(
                () -> {
                    ClusterMembership a = join(machine);
                    ClusterMembership b = join(other);
                    ClusterRole role = a.of("c");
                    role.stand();
                    a.place("c", "a");
                    a.look();
                    role.stop();
                    role.resign();
                    on(machine, () -> role.registry().elect());
                    sim.running().sleep(LOOK);
                    lookFor(LOOK, a, b);
                    assertThat(b.of("c").owner()).isEmpty();
                });
    }

    private ClusterMembership ownerOf(List<String> cubes) throws KeeperException, IOException {
        ClusterMembership a = join(machine);
        a.store().stand();
        for (String cube : cubes) {
            a.of(cube).stand();
            a.place(cube, "a");
        }
        lookFor(SESSION, a);
        assertThat(holdsLease(a.store())).isTrue();
        assertThat(cubes).allMatch(cube -> holdsLease(a.of(cube)));
        return a;
    }

    @Test
    void oneWriteRenewsAllLeases() throws InterruptedException {
        List<String> cubes = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            cubes.add("cube-" + i);
        }
        run(
                () -> {
                    ClusterMembership a = ownerOf(cubes);
                    sim.running().sleep(SESSION / 3);
                    long before = zooKeeper.changes();
                    a.look();
                    assertThat(zooKeeper.changes() - before).isEqualTo(1);
                    sim.running().sleep(SESSION / 3);
                    assertThat(cubes).allMatch(cube -> holdsLease(a.of(cube)));
                });
    }

    @Test
    void aRoleThatIsLostDoesNotEndTheLeasesOfOthers() throws InterruptedException {
        run(
                () -> {
                    ClusterMembership a = ownerOf(List.of("c", "d"));
                    sim.running().sleep(SESSION / 3);
                    zooKeeper.deleteBeforeNextChange(settings(machine).ownerPath("c"));
                    a.look();
                    sim.running().sleep(SESSION / 3);
                    assertThat(holdsLease(a.store())).isTrue();
                    assertThat(holdsLease(a.of("d"))).isTrue();
                    assertThat(holdsLease(a.of("c"))).isFalse();
                });
    }

    @Test
    void aDeletedCubeHasNoPlacementAndItsNameCanBePlacedAgain() throws InterruptedException {
        run(
                () -> {
                    ClusterMembership a = ownerOf(List.of("c", "d"));
                    long own = a.store().election();
                    assertThatThrownBy(() -> a.unplace("c", own + 1))
                            .isInstanceOf(IOException.class);
                    a.unplace("c", own);
                    a.look();
                    assertThat(a.placed()).isEqualTo(Map.of("d", "a"));
                    a.place("c", "b", 7, own);
                    a.look();
                    assertThat(a.placed()).isEqualTo(Map.of("c", "b", "d", "a"));
                    assertThat(a.placedBehind("c")).isEqualTo(7);
                });
    }

    @Test
    void aNodeThatLeavesKeepsItsRolesUntilItCloses() throws InterruptedException {
        run(
                () -> {
                    ClusterMembership a = ownerOf(List.of("c"));
                    ClusterMembership b = join(other);
                    b.of("c").stand();
                    b.place("d", "a");
                    a.leave();
                    a.of("d").stand();
                    lookFor(SESSION, a, b);
                    assertThat(holdsLease(a.of("c"))).isTrue();
                    assertThat(a.of("d").owner()).isEmpty();
                    b.place("c", "b");
                    a.close();
                    long closed = sim.now();
                    while (!holdsLease(b.of("c"))) {
                        b.look();
                    }
                    assertThat(sim.now() - closed).isLessThan(SESSION / 2);
                });
    }
}
