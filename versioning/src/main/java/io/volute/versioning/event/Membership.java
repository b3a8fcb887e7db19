package io.volute.versioning.event;

import io.volute.storage.RecordStore;
import io.volute.versioning.event.Federation.Found;
import io.volute.versioning.event.Federation.Member;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The place of one cube in its store: its number, which makes ids unique in the store, and its view
 * of the other open cubes. Thread-safe.
 *
 * @param number of the cube; 0 for the system cube, never reused
 * @param isOpen whether the cube is open here, not the view of a cube of another node
 * @param elsewhere cubes of other nodes that are members, too
 */
public record Membership(int number, Federation store, boolean isOpen, List<Member> elsewhere) {
    /** Ids that a cube gives out are below 2 to the power of this; the number is above. */
    private static final int ID_BITS = 48;

    /** The greatest number of a cube. */
    public static final int LAST_NUMBER = (1 << 14) - 1;

    /** Creates the membership of an open cube. */
    public Membership(int number, Federation store) {
        this(number, store, true, List.of());
    }

    /** Creates the membership of a view of a cube that another node has. */
    public static Membership ofView(int number, Federation store) {
        return new Membership(number, store, false, List.of());
    }

    /**
     * Returns the membership for one request that reads the cubes of all nodes. It has every commit
     * that was acknowledged before this call.
     */
    public Membership everywhere() {
        List<Member> others =
                store.elsewhere().stream().filter(each -> each.number() != number).toList();
        return others.isEmpty() ? this : new Membership(number, store, isOpen, others);
    }

    /** Returns the membership of the only cube of a store. */
    public static Membership alone() {
        return new Membership(0, new Federation());
    }

    /** Returns the number of the cube that gave out an id of a bucket, an actor or a restore. */
    public static int cubeOf(long id) {
        return (int) (id >>> ID_BITS);
    }

    /** Returns a source of ids that are unique in the store. */
    public LongSupplier ids(RecordStore cube) {
        long high = (long) number << ID_BITS;
        return () -> high | cube.allocateId();
    }

    /** Returns the other members. */
    public List<Member> others() {
        List<Member> open = store.others(number);
        return elsewhere.isEmpty()
                ? open
                : Stream.concat(open.stream(), elsewhere.stream().filter(this::isNotOpen)).toList();
    }

    /** Returns whether this node has not opened a cube since the request began. */
    private boolean isNotOpen(Member viewed) {
        return store.member(viewed.number()).isEmpty();
    }

    /** Returns the cube that gave out an id, unless it is this one, or no member. */
    public Optional<Member> otherOf(long id) {
        int cube = cubeOf(id);
        return cube == number
                ? Optional.empty()
                : store.member(cube)
                        .or(
                                () ->
                                        elsewhere.stream()
                                                .filter(each -> each.number() == cube)
                                                .findFirst());
    }

    /** Returns the state in another member; empty when none had the bucket. */
    public Optional<Found> stateElsewhere(
            BucketName bucket, ObjectKey key, Optional<VersionSelector> version) {
        return others().stream()
                .flatMap(each -> each.states().find(bucket, key, version).stream())
                .findFirst();
    }

    /** Records a read of this cube, for writes of the same client in other cubes. */
    public void read(Caller caller, KeyVersion object, CausalStamp stamp, Instant at) {
        if (store.hasOthers()) {
            store.reads().add(caller, new ForeignReads.Read(number, object, stamp, at));
        }
    }

    /**
     * Takes the reads of a client in other cubes since its last write in this one, in their order.
     * Each is returned once.
     */
    public List<ForeignReads.Read> takeReads(Caller caller) {
        return store.hasOthers() ? store.reads().take(caller, number) : List.of();
    }
}
