package io.volute.server.admin;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.History;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;

/** A made-up history that records its calls. Pages begin at the number in their token. */
final class FakeHistory implements History {
    final List<String> asked = new ArrayList<>();
    final List<KeyState> states = new ArrayList<>();
    final List<ActorInfo> actors = new ArrayList<>();
    final List<Activity> activity = new ArrayList<>();
    final List<Step> steps = new ArrayList<>();
    final Map<String, Kept> kept = new HashMap<>();
    String closed = "";
    private Optional<ActivityFilter> filter = Optional.empty();

    ActivityFilter lastFilter() {
        return filter.orElseThrow();
    }

    static <T> Page<T> page(List<T> all, Optional<String> from, int max) {
        int begin;
        try {
            begin = Integer.parseInt(from.orElse("0"));
        } catch (NumberFormatException e) {
            throw new StoreException(
                    StoreException.Reason.INVALID_ARGUMENT, "no page begins there");
        }
        int end = Math.min(all.size(), begin + max);
        return new Page<>(
                List.copyOf(all.subList(begin, end)),
                end < all.size() ? Optional.of(Integer.toString(end)) : Optional.empty());
    }

    @Override
    public Page<KeyState> states(
            Caller caller, BucketName bucket, ObjectKey key, Optional<String> from, int max) {
        asked.add(
                "states of "
                        + bucket.value()
                        + "/"
                        + key.value()
                        + " for "
                        + caller.actor().label());
        return page(states, from, max);
    }

    @Override
    public Page<ActorInfo> actors(ActorFilter filter, Optional<String> from, int max) {
        asked.add("actors " + filter.accessKey() + " " + filter.user() + " " + filter.name());
        return page(actors, from, max);
    }

    @Override
    public Page<Activity> activity(ActivityFilter filter, Optional<String> from, int max) {
        this.filter = Optional.of(filter);
        return page(activity, from, max);
    }

    @Override
    public Page<Step> trace(
            Direction direction,
            BucketName bucket,
            ObjectKey key,
            Optional<VersionSelector> version,
            Optional<String> from,
            int max,
            TraceScope scope) {
        asked.add(
                "trace "
                        + direction
                        + " "
                        + bucket.value()
                        + "/"
                        + key.value()
                        + " "
                        + version.map(Object::toString).orElse("current"));
        return page(steps, from, max);
    }

    @Override
    public Kept kept(BucketName bucket) {
        if (!kept.containsKey(bucket.value())) {
            throw new StoreException(
                    StoreException.Reason.NO_SUCH_BUCKET, "no bucket " + bucket.value());
        }
        return kept.get(bucket.value());
    }

    @Override
    public BucketSize size(BucketName bucket) throws CubeUnavailableException {
        if (bucket.value().equals(closed)) {
            throw new CubeUnavailableException(
                    CubeUnavailableException.Reason.NOT_OPEN, "cube x is not open");
        }
        return new BucketSize(2, 20, 3, 30, kept.getOrDefault(bucket.value(), new Kept(4, 40)));
    }

    @Override
    public long purge(Caller caller, BucketRef bucket, Instant before) {
        asked.add("purge " + bucket.name().value() + " " + before + " for " + caller.principal());
        return 42;
    }

    @Override
    public int shred(Caller caller, BucketRef bucket, ObjectKey key, Erasure erasure)
            throws IOException {
        asked.add(
                "shred "
                        + bucket.name().value()
                        + " "
                        + key.value()
                        + " for "
                        + caller.principal());
        SortedSet<Long> unused = erasure.run(List.of());
        return 3;
    }
}
