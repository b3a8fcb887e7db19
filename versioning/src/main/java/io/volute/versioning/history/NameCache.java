package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.ACTORS;

import io.volute.storage.RecordStore;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.ActorVersion;
import io.volute.versioning.History.Place;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.event.Federation;
import io.volute.versioning.event.Membership;
import io.volute.versioning.rows.ActorRow;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ActorName;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A cache of actor and bucket names for one response. Not thread-safe. */
public final class NameCache {
    private final RecordStore cube;
    private final BucketDirectory directory;
    private final Membership membership;
    private Optional<Map<Long, String>> buckets = Optional.empty();
    private final Map<Integer, Map<Long, String>> bucketsOfCubes = new HashMap<>();
    private final Map<Long, ActorInfo> actors = new HashMap<>();

    public NameCache(RecordStore cube, BucketDirectory directory, Membership membership) {
        this.cube = cube;
        this.directory = directory;
        this.membership = membership;
    }

    /** Returns a bucket's name; {@code #} and its id when the name is not known any more. */
    public String bucket(long id) {
        if (buckets.isEmpty()) {
            Map<Long, String> names = new HashMap<>(directory.namesById());
            membership.others().forEach(other -> names.putAll(other.buckets().get()));
            buckets = Optional.of(names);
        }
        return buckets.get().getOrDefault(id, "#" + id);
    }

    /** Returns whether a bucket is or was in a cube of the store. */
    boolean isIn(int cube, long bucketId) {
        if (Membership.cubeOf(bucketId) == cube) {
            return true;
        }
        Map<Long, String> names = bucketsOfCubes.computeIfAbsent(cube, this::bucketsOf);
        return names.containsKey(bucketId);
    }

    /** Returns whether a bucket is or was in several cubes of the store. */
    public boolean hasMoved(long bucketId) {
        return membership.others().stream().anyMatch(other -> isIn(other.number(), bucketId));
    }

    private Map<Long, String> bucketsOf(int number) {
        if (number == membership.number()) {
            return directory.namesById();
        }
        return membership.others().stream()
                .filter(other -> other.number() == number)
                .findFirst()
                .map(other -> other.buckets().get())
                .orElse(Map.of());
    }

    Place place(KeyVersion object) {
        return new Place(bucket(object.bucketId()), object.key(), object.version());
    }

    public ActorVersion actor(long id, long version) {
        return new ActorVersion(actor(id), version);
    }

    public ActorInfo actor(long id) {
        return actors.computeIfAbsent(
                id,
                same ->
                        membership
                                .otherOf(same)
                                .map(Federation.Member::cube)
                                .orElse(cube)
                                .get(ACTORS, RowKeys.number(same))
                                .map(record -> info(same, record.summary()))
                                .orElseGet(
                                        () ->
                                                new ActorInfo(
                                                        same,
                                                        "",
                                                        "",
                                                        Optional.empty(),
                                                        ActorName.of(""),
                                                        Instant.EPOCH)));
    }

    static ActorInfo info(long id, byte[] summary) {
        ActorRow row = ActorRow.decode(summary);
        return new ActorInfo(
                id, row.principal(), row.accessKey(), row.parent(), row.name(), row.began());
    }
}
