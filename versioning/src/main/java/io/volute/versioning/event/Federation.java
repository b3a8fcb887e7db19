package io.volute.versioning.event;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.RecordStore;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/**
 * The open cubes of one store in this process, as far as the history of one leads into another.
 * Thread-safe.
 */
public final class Federation {
    private final Map<Integer, Member> members = new ConcurrentSkipListMap<>();
    private volatile Supplier<List<Member>> elsewhere = List::of;
    private volatile Supplier<Optional<CubeUnavailableException>> missing = Optional::empty;
    private final ForeignReads reads;

    /** Creates one without cubes, for the only process of a store. */
    public Federation() {
        this(new UUID(0, 0));
    }

    /**
     * Creates one without cubes.
     *
     * @param run identifies this process among all that have or had cubes of the store open
     */
    public Federation(UUID run) {
        reads = new ForeignReads(run);
    }

    /**
     * An open cube, or one of another node for one request.
     *
     * @param number its number in the store
     * @param pending writes its events before the call to its log
     * @param buckets names of its present and past buckets by id
     * @param states finds states of its keys
     */
    public record Member(
            int number,
            RecordStore cube,
            Pending pending,
            Supplier<Map<Long, String>> buckets,
            States states) {}

    /** The events of one cube that are not in its log yet. */
    @FunctionalInterface
    public interface Pending {
        void flush() throws IOException;
    }

    /** Finds states in one cube. */
    @FunctionalInterface
    public interface States {
        /**
         * Returns the newest state of a version; empty when the bucket was never in this cube.
         *
         * @param version empty for the current one
         * @throws io.volute.versioning.StoreException NO_SUCH_KEY or NO_SUCH_VERSION
         */
        Optional<Found> find(BucketName bucket, ObjectKey key, Optional<VersionSelector> version);
    }

    /**
     * A state.
     *
     * @param object its causal version
     * @param first the causal version with which its version began; another one if the version was
     *     noncurrent and returned
     * @param number number of its version
     */
    public record Found(KeyVersion object, KeyVersion first, long number) {}

    /** Adds a cube that was opened. */
    public void join(Member member) {
        members.put(member.number(), member);
    }

    /** Removes a cube that is being closed. */
    public void leave(int number) {
        members.remove(number);
    }

    /**
     * Sets what returns the cubes of other nodes, for one request. It fails with an {@link
     * java.io.UncheckedIOException} when they cannot be read now.
     */
    public void setElsewhere(Supplier<List<Member>> cubes) {
        elsewhere = cubes;
    }

    List<Member> elsewhere() {
        return elsewhere.get();
    }

    /** Sets what returns the refusal of a cube that is open nowhere; empty when all are. */
    public void setMissing(Supplier<Optional<CubeUnavailableException>> refusal) {
        missing = refusal;
    }

    /**
     * Checks that the events of no cube are missing.
     *
     * @throws UncheckedIOException NOT_OPEN with the name of a cube that is open nowhere
     */
    public void requireAll() {
        Optional<CubeUnavailableException> refusal = missing.get();
        if (refusal.isPresent()) {
            throw new UncheckedIOException(refusal.get());
        }
    }

    /** Returns whether the store may have a cube besides one of these, here or elsewhere. */
    boolean hasOthers() {
        return members.size() > 1 || reads.isShared();
    }

    List<Member> others(int number) {
        return members.values().stream().filter(each -> each.number() != number).toList();
    }

    Optional<Member> member(int number) {
        return Optional.ofNullable(members.get(number));
    }

    /** Returns the reads of clients that other cubes have as causes. */
    public ForeignReads reads() {
        return reads;
    }
}
