package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterView.Owner;
import io.volute.bookkeeper.LeaseWait.Renewal;
import io.volute.bookkeeper.RoleRegistry.Elected;
import io.volute.bookkeeper.RoleRegistry.Seen;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.zookeeper.KeeperException;

/**
 * One election with its lease: of the store, or of a placed cube. All is as of the last look of
 * {@link ClusterMembership} at ZooKeeper. Thread-safe.
 */
public final class ClusterRole {
    private final RoleRegistry registry;
    private final RoleState state;
    private final Runnable lookSoon;

    /** Used by the thread that looks. */
    private final LeaseWait wait;

    /** The owner whose renewal is overdue, as of the last look. */
    private volatile Optional<Owner> overdue = Optional.empty();

    /**
     * @param session time after which the servers give a node up that does not answer
     * @param lease time of a lease of this node
     * @param lookSoon makes the next look due
     */
    ClusterRole(
            RoleRegistry registry,
            LongSupplier nanos,
            Duration session,
            Duration lease,
            Runnable lookSoon) {
        this.registry = registry;
        this.state = new RoleState(nanos, lease);
        this.lookSoon = lookSoon;
        this.wait = new LeaseWait(nanos, session);
    }

    /** Returns the node that has the role, or takes it over; empty while there is none. */
    public Optional<Owner> owner() {
        return state.owner();
    }

    /** Returns the election that made this node the owner; 0 if it is not. */
    public long election() {
        return state.election();
    }

    /**
     * Returns the election that this node has won, confirmed or not; 0 if it has won none. The
     * lease of the owner before can be in force until {@link #awaitConfirmed}: this node may open
     * the store or the cube, and answers nothing.
     */
    public long won() {
        return state.won();
    }

    /** Waits until {@link #election} is the one that this node has won; false if it loses it. */
    public boolean awaitConfirmed(long own) throws InterruptedException {
        return state.awaitConfirmed(own);
    }

    /** Returns whether no other node can have been elected after that election until now. */
    public boolean holdsLease(long own) {
        return state.holdsLease(own);
    }

    /** Waits for {@link #holdsLease}; false when the election is lost or the time is over. */
    public boolean awaitLease(long own, long waitNanos) throws InterruptedException {
        return state.awaitLease(own, waitNanos);
    }

    /** Returns the time until the lease of this owner ends; zero without one. */
    public Duration leaseLeft() {
        return state.leaseLeft();
    }

    /**
     * Waits until this node has lost the role of that election, or leaves, or for a time.
     *
     * @param own 0 to wait until this node wins an election
     */
    public void awaitLoss(long own, long waitNanos) throws InterruptedException {
        state.awaitLoss(own, waitNanos);
    }

    /** Waits until a node serves; empty when none does in time. */
    public Optional<Owner> awaitServing(long waitNanos) throws InterruptedException {
        return state.awaitServing(waitNanos);
    }

    /** Waits until an election is not the current one any more, or for a time. */
    public void awaitChange(long seen, long waitNanos) throws InterruptedException {
        state.awaitChange(seen, waitNanos);
    }

    /**
     * Takes part in elections from now on. A node takes part in those of a cube only while the cube
     * is placed at it. It keeps the role when the cube is placed elsewhere, until {@link #resign}.
     */
    public void stand() {
        if (state.stand()) {
            lookSoon.run();
        }
    }

    /**
     * Takes part in no election until {@link #stand}. A role that this node has stays until {@link
     * #resign}.
     */
    public void stop() {
        if (state.stop()) {
            lookSoon.run();
        }
    }

    /** Announces that this node serves. An order for the next owner of the store is done then. */
    public void announceServing(long own) throws IOException {
        try {
            registry.announce(own);
        } catch (KeeperException e) {
            throw registry.refused(e);
        }
        lookSoon.run();
    }

    /**
     * Gives the role up, and takes part in no election until {@link #stand}. The next owner need
     * not wait for the end of the lease: close the store or the cube first.
     */
    public void resign() {
        state.resign();
        registry.withdraw();
        lookSoon.run();
    }

    RoleRegistry registry() {
        return registry;
    }

    /** Takes part in no election from now on. The owner keeps its role. */
    void leave() {
        state.leave();
    }

    void close() {
        state.close();
    }

    /** Returns whether this node takes part in an election now, as far as its caller decides it. */
    boolean canStand() {
        return state.canStand();
    }

    /** Notes that a look found no owner. Returns the time for which looks have found none. */
    long vacantNanos() {
        return state.vacantNanos();
    }

    /** Returns a time, or less if the lease of the last owner ends before. */
    long limit(long pauseNanos) {
        return wait.limit(pauseNanos);
    }

    /** Returns another node that serves in this role and has not renewed its lease in time. */
    Optional<Owner> overdue() {
        return overdue;
    }

    /** Returns the same from what ZooKeeper shows now. */
    Optional<Owner> overdue(Seen seen) {
        // A lease without a time is of an earlier release, whose renewals prove less.
        boolean isOverdue =
                seen.renewal()
                        .filter(last -> last.lease().isPresent() && wait.isOverdue(last))
                        .isPresent();
        return seen.elected()
                .filter(each -> isOverdue && !each.isMine())
                .map(Elected::owner)
                .filter(Owner::isServing);
    }

    /** Takes the last renewal that ZooKeeper shows. Returns whether that lease has ended. */
    boolean seeLease(Optional<Renewal> renewal) {
        return renewal.isPresent() && wait.see(renewal.get());
    }

    /**
     * Takes what ZooKeeper shows, and publishes it. Returns the election of this node that is to be
     * confirmed; empty if there is none, or if the lease of another one may be in force.
     */
    Optional<Elected> observe(Seen seen) {
        Optional<Elected> mine = seen.elected().filter(Elected::isMine);
        boolean isFree = seeLease(seen.renewal());
        overdue = overdue(seen);
        long own = mine.map(each -> each.owner().election()).orElse(0L);
        boolean isGivenUp = state.hasGivenUp(own);
        if (isGivenUp) {
            // The connection was lost before, or the election came after the end.
            registry.withdraw();
            lookSoon.run();
        }
        boolean isKept = own != 0 && state.election() == own;
        state.publish(seen.elected().map(Elected::owner), own, isKept ? own : 0);
        boolean hasLease = seen.renewal().isPresent();
        return mine.filter(each -> hasLease && !isGivenUp && (isKept || isFree));
    }

    /**
     * Accepts an election that a write has confirmed.
     *
     * @param begun time before that write
     */
    void confirmed(Elected mine, long begun) {
        state.confirmed(mine.owner().election(), begun);
    }
}
