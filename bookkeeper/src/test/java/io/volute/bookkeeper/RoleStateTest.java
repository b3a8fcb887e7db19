package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.bookkeeper.ClusterView.Owner;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RoleStateTest {
    private static final Duration SESSION = Duration.ofSeconds(8);
    private static final long OWN = 7;
    private static final Optional<Owner> VACANT = Optional.empty();

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final RoleState state = new RoleState(now::get, SESSION.dividedBy(2));

    private static Optional<Owner> owned(long election) {
        return Optional.of(new Owner("a", "a:1", true, election));
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @BeforeEach
    void stand() {
        state.stand();
    }

    @Test
    void aNodeIsTheOwnerWhenAQuorumHasConfirmedIt() {
        state.publish(owned(OWN), 0, 0);
        assertThat(state.election()).isZero();
        state.confirmed(OWN, now.get());
        assertThat(state.election()).isEqualTo(OWN);
        assertThat(state.holdsLease(OWN)).isTrue();
    }

    /** Another node may have been elected since. */
    @Test
    void aConfirmationThatComesTooLateMakesNoOwner() {
        long begun = now.get();
        pass(Duration.ofSeconds(4));
        state.confirmed(OWN, begun);
        assertThat(state.election()).isZero();
    }

    @Test
    void aConfirmationOfAnElectionThatWasGivenUpIsIgnored() {
        state.confirmed(OWN, now.get());
        state.resign();
        state.stand();
        state.confirmed(OWN, now.get());
        assertThat(state.election()).isZero();
        assertThat(state.hasGivenUp(OWN)).isTrue();
        assertThat(state.hasGivenUp(OWN + 1)).isFalse();
        assertThat(state.hasGivenUp(0)).isFalse();
    }

    /** Otherwise the node would have a role that no thread of it serves. */
    @Test
    void anElectionAfterTheEndIsGivenUp() {
        state.stop();
        state.confirmed(OWN, now.get());
        assertThat(state.election()).isZero();
        assertThat(state.hasGivenUp(OWN)).isTrue();
        state.stand();
        assertThat(state.hasGivenUp(OWN)).isFalse();
        state.confirmed(OWN, now.get());
        assertThat(state.election()).isEqualTo(OWN);
    }

    /** The caller closes the cube before it gives the role up. */
    @Test
    void aNodeThatStopsKeepsTheRoleThatItHas() {
        state.confirmed(OWN, now.get());
        state.stop();
        assertThat(state.canStand()).isFalse();
        assertThat(state.hasGivenUp(OWN)).isFalse();
        state.publish(owned(OWN), OWN, OWN);
        pass(Duration.ofSeconds(3));
        state.confirmed(OWN, now.get());
        pass(Duration.ofSeconds(3));
        assertThat(state.holdsLease(OWN)).isTrue();
        assertThat(state.election()).isEqualTo(OWN);
        state.resign();
        assertThat(state.election()).isZero();
    }

    @Test
    void aLeaseEndsHalfASessionAfterTheWriteBegan() {
        state.publish(owned(OWN), OWN, OWN);
        long begun = now.get();
        pass(Duration.ofSeconds(1));
        state.confirmed(OWN, begun);
        assertThat(state.leaseLeft()).isEqualTo(Duration.ofSeconds(3));
        pass(Duration.ofMillis(2999));
        assertThat(state.holdsLease(OWN)).isTrue();
        assertThat(state.leaseLeft()).isEqualTo(Duration.ofMillis(1));
        pass(Duration.ofMillis(1));
        assertThat(state.holdsLease(OWN)).isFalse();
        pass(Duration.ofMillis(1));
        assertThat(state.leaseLeft()).isZero();
    }

    @Test
    void aLeaseIsThatOfOneElection() throws InterruptedException {
        state.confirmed(OWN, now.get());
        assertThat(state.holdsLease(OWN + 1)).isFalse();
        state.publish(owned(OWN + 2), OWN + 2, OWN + 2);
        assertThat(state.holdsLease(OWN + 2)).isFalse();
        assertThat(state.awaitLease(OWN, 1)).isFalse();
    }

    @Test
    void aNodeThatHasResignedIsNotTheOwner() {
        state.publish(owned(OWN), OWN, OWN);
        state.confirmed(OWN, now.get());
        state.resign();
        assertThat(state.election()).isZero();
        assertThat(state.holdsLease(OWN)).isFalse();
        assertThat(state.leaseLeft()).isZero();
        assertThat(state.canStand()).isFalse();
    }

    /** Otherwise the node would open the store again while the next owner opens it. */
    @Test
    void aLookThatBeganBeforeAResignationDoesNotBringTheRoleBack() {
        state.publish(owned(OWN), OWN, OWN);
        state.resign();
        state.stand();
        state.publish(owned(OWN), OWN, OWN);
        assertThat(state.election()).isZero();
        state.publish(owned(OWN + 1), OWN + 1, OWN + 1);
        assertThat(state.election()).isEqualTo(OWN + 1);
    }

    @Test
    void aNodeThatLeavesDoesNotStand() {
        assertThat(state.canStand()).isTrue();
        state.leave();
        assertThat(state.canStand()).isFalse();
        assertThat(state.election()).isZero();
    }

    @Test
    void theTimeWithoutAnOwnerCountsFromTheFirstLookThatFindsNone() {
        assertThat(state.vacantNanos()).isZero();
        state.publish(VACANT, 0, 0);
        pass(Duration.ofSeconds(1));
        assertThat(state.vacantNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
        state.publish(owned(OWN), 0, 0);
        pass(Duration.ofSeconds(1));
        assertThat(state.vacantNanos()).isZero();
    }

    @Test
    void onlyAServingOwnerTakesRequests() throws InterruptedException {
        Owner opening = new Owner("a", "a:1", false, OWN);
        state.publish(Optional.of(opening), 0, 0);
        assertThat(state.awaitServing(0)).isEmpty();
        state.publish(owned(OWN), 0, 0);
        assertThat(state.awaitServing(0)).map(Owner::election).contains(OWN);
        state.close();
        assertThat(state.awaitServing(0)).isEmpty();
    }
}
