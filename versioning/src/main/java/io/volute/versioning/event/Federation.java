package io.volute.versioning.event;

import io.volute.storage.RecordStore;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/** The open cubes of one store, as far as the history of one leads into another. Thread-safe. */
public final class Federation {
    private final Map<Integer, Member> members = new ConcurrentSkipListMap<>();
    private final ForeignReads reads = new ForeignReads();

    /**
     * An open cube.
     *
     * @param number its number in the store
     * @param buckets names of its present and past buckets by id
     * @param states finds states of its keys
     */
    public record Member(
            int number,
            RecordStore cube,
            EventLog events,
            Supplier<Map<Long, String>> buckets,
            States states) {}

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
     * @param number number of its version
     */
    public record Found(KeyVersion object, long number) {}

    /** Adds a cube that was opened. */
    public void join(Member member) {
        members.put(member.number(), member);
    }

    /** Removes a cube that is being closed. */
    public void leave(int number) {
        members.remove(number);
    }

    boolean hasOthers() {
        return members.size() > 1;
    }

    List<Member> others(int number) {
        return members.values().stream().filter(each -> each.number() != number).toList();
    }

    Optional<Member> member(int number) {
        return Optional.ofNullable(members.get(number));
    }

    ForeignReads reads() {
        return reads;
    }
}
