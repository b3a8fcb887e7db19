package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.bookkeeper.ClusterView.Owner;
import io.volute.bookkeeper.RoleRegistry.Elected;
import io.volute.bookkeeper.RoleRegistry.Seen;
import io.volute.bookkeeper.Simulation.Machine;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RoleRegistryTest extends ClusterTestCase {
    /** A role of an owner. */
    private enum Kind {
        STORE,
        CUBE
    }

    /** A node that may have a role. */
    private final class Candidate {
        final ZooKeeperSession session;
        final ClusterRegistry nodes;
        final RoleRegistry role;

        Candidate(Machine of, Kind kind) throws KeeperException, IOException {
            ClusterSettings settings = settings(of);
            session = session(of);
            nodes = new ClusterRegistry(settings, session, sim::now);
            nodes.prepare();
            nodes.place("c", "a");
            role =
                    kind == Kind.STORE
                            ? new RoleRegistry(
                                    settings,
                                    session,
                                    settings.ownerPath(),
                                    settings.leasePath(),
                                    settings.lease(),
                                    nodes.order())
                            : new RoleRegistry(
                                    settings,
                                    session,
                                    settings.ownerPath("c"),
                                    settings.leasePath("c"),
                                    settings.lease(),
                                    RoleRegistry.Order.NONE);
        }

        Seen seen() throws KeeperException, IOException {
            return RoleRegistry.read(session, List.of(role)).getFirst().seen();
        }

        Optional<Owner> owner() throws KeeperException, IOException {
            return seen().elected().map(Elected::owner);
        }

        boolean isReleased() throws KeeperException, IOException {
            return seen().renewal().orElseThrow().isReleased();
        }

        long elect() throws KeeperException, IOException {
            role.elect();
            return owner().orElseThrow().election();
        }

        long electAndConfirm() throws KeeperException, IOException {
            long election = elect();
            Elected mine = seen().elected().orElseThrow();
            assertThat(RoleRegistry.confirm(session, Map.of(role, mine))).isTrue();
            return election;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anElectedNodeAnnouncesThatItServes(Kind kind) throws InterruptedException {
        run(
                () -> {
                    Candidate node = new Candidate(machine, kind);
                    long own = node.elect();
                    node.role.announce(own);
                    assertThat(node.owner()).contains(new Owner("a", "a:1", true, own));
                });
    }

    /** The try before has changed the version of the owner's node. */
    @Test
    void anAnnouncementWhoseAnswerIsLostIsDone() throws InterruptedException {
        run(
                () -> {
                    Candidate node = new Candidate(machine, Kind.STORE);
                    long own = node.elect();
                    node.nodes.want("a");
                    zooKeeper.loseAnswer();
                    node.role.announce(own);
                    assertThat(node.owner()).contains(new Owner("a", "a:1", true, own));
                    assertThat(node.nodes.orders(event -> {}).wanted()).isEmpty();
                });
    }

    /** Otherwise the other nodes would forward requests to a node without the role. */
    @ParameterizedTest
    @EnumSource
    void aLaterSessionAnnouncesNothingForAnEarlierElection(Kind kind) throws InterruptedException {
        run(
                () -> {
                    Candidate node = new Candidate(machine, kind);
                    Candidate next = new Candidate(other, kind);
                    long own = node.elect();
                    zooKeeper.expireAtNextChange(() -> on(other, next::elect));
                    node.role.announce(own);
                    while (node.owner().isEmpty()) {
                        sim.running().sleep(SESSION / 6);
                    }
                    assertThat(node.owner())
                            .hasValueSatisfying(owner -> assertThat(owner.name()).isEqualTo("b"))
                            .map(Owner::isServing)
                            .contains(false);
                });
    }

    @Test
    void anOwnerWithoutContentIsAFailureOfOneLook() throws InterruptedException {
        run(
                () -> {
                    Candidate node = new Candidate(machine, Kind.STORE);
                    node.session.ensure("/volute/cluster/owner", null);
                    assertThatThrownBy(node::owner)
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("/volute/cluster/owner in ZooKeeper is damaged");
                });
    }

    /** Otherwise a third node would be elected, and need not wait for the end of the lease. */
    @ParameterizedTest
    @EnumSource
    void aWithdrawalThatArrivesAgainDoesNotEndTheRoleOfTheNextOwner(Kind kind)
            throws InterruptedException {
        run(
                () -> {
                    Candidate node = new Candidate(machine, kind);
                    node.role.announce(node.electAndConfirm());
                    zooKeeper.repeatNextChange(SESSION / 2);
                    node.role.withdraw();
                    assertThat(node.isReleased()).isTrue();
                    on(
                            other,
                            () -> {
                                Candidate next = new Candidate(other, kind);
                                long election = next.electAndConfirm();
                                sim.running().sleep(SESSION);
                                assertThat(next.owner()).map(Owner::election).contains(election);
                                assertThat(next.isReleased()).isFalse();
                            });
                    sim.running().sleep(2 * SESSION);
                });
    }

    @ParameterizedTest
    @EnumSource
    void aNodeWithdrawsBeforeItHasALease(Kind kind) throws InterruptedException {
        run(
                () -> {
                    Candidate node = new Candidate(machine, kind);
                    assertThat(node.elect()).isPositive();
                    node.role.withdraw();
                    assertThat(node.owner()).isEmpty();
                    assertThat(node.isReleased()).isTrue();
                });
    }

    /** The owner before can answer still. */
    @ParameterizedTest
    @EnumSource
    void aNodeWithdrawsBeforeItsLeaseWithoutAReleaseOfTheOneBefore(Kind kind)
            throws InterruptedException {
        run(
                () -> {
                    Candidate before = new Candidate(machine, kind);
                    assertThat(before.electAndConfirm()).isPositive();
                    String owner = kind == Kind.STORE ? "owner" : "cubes/c/owner";
                    before.session.deleteIfExists("/volute/cluster/" + owner);
                    Candidate next = new Candidate(other, kind);
                    assertThat(next.elect()).isPositive();
                    next.role.withdraw();
                    assertThat(next.owner()).isEmpty();
                    assertThat(next.isReleased()).isFalse();
                });
    }

    /** The session lives on, so the node of the next owner can have the same version. */
    @ParameterizedTest
    @EnumSource
    void aRenewalDoesNotCountOnTheNodeOfTheNextOwner(Kind kind) throws InterruptedException {
        run(
                () -> {
                    Candidate before = new Candidate(machine, kind);
                    assertThat(before.electAndConfirm()).isPositive();
                    Elected seen = before.seen().elected().orElseThrow();
                    String owner = kind == Kind.STORE ? "owner" : "cubes/c/owner";
                    before.session.deleteIfExists("/volute/cluster/" + owner);
                    Candidate next = new Candidate(other, kind);
                    assertThat(next.electAndConfirm()).isNotEqualTo(seen.owner().election());
                    assertThat(RoleRegistry.confirm(before.session, Map.of(before.role, seen)))
                            .isFalse();
                });
    }

    /** A later session may have been shown an older renewal of another owner. */
    @ParameterizedTest
    @EnumSource
    void aLaterSessionDoesNotConfirmAnEarlierElection(Kind kind) throws InterruptedException {
        run(
                () -> {
                    Candidate node = new Candidate(machine, kind);
                    assertThat(node.elect()).isPositive();
                    Elected mine = node.seen().elected().orElseThrow();
                    Elected earlier =
                            new Elected(
                                    mine.owner(),
                                    true,
                                    mine.version(),
                                    mine.session() - 1,
                                    mine.lease());
                    assertThat(RoleRegistry.confirm(node.session, Map.of(node.role, earlier)))
                            .isFalse();
                    assertThat(node.isReleased()).isTrue();
                });
    }
}
