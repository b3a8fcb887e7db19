package io.volute.versioning.cubes;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.CausalityStats;
import io.volute.versioning.CausalityStats.Outcomes;
import io.volute.versioning.History;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;

/**
 * The history of all cubes. That of a bucket is in its cube; actors, activities and traces span the
 * cubes of all nodes. Cubes of other nodes are read from views. Thread-safe.
 */
record CubedHistory(CubeRegistry cubes, CubeBuckets buckets) implements History {
    private CubeRouting anywhere() {
        return buckets.routing().anywhere();
    }

    /** Calls the cube of a key of a present bucket, or of a key that a past bucket had. */
    private static <T> T in(
            CubeRouting routing, BucketRef bucket, ObjectKey key, CubeSlot.Call<T> call)
            throws IOException {
        List<CubeSlot> homes = routing.lastHomes(bucket.name());
        if (routing.slotOf(bucket.name()).isPresent()) {
            return routing.read(bucket, key, call);
        }
        CubeSlot has = homes.getFirst();
        for (CubeSlot slot : homes) {
            has = routing.on(slot, each -> each.history().has(bucket.name(), key)) ? slot : has;
        }
        return routing.on(has, call);
    }

    /** Adds what the cubes of a present or past bucket return. */
    private static <T> T sum(
            CubeRouting routing, BucketRef bucket, CubeSlot.Call<T> call, BinaryOperator<T> sum)
            throws IOException {
        return routing.attemptRead(
                bucket,
                row -> {
                    List<T> all = new ArrayList<>();
                    for (CubeSlot slot : routing.lastHomes(bucket.name())) {
                        all.add(routing.on(slot, call));
                    }
                    return all.stream().reduce(sum).orElseThrow();
                });
    }

    private History system() throws CubeUnavailableException {
        return cubes.first().catalog().history();
    }

    @Override
    public Page<KeyState> states(
            Caller caller, BucketName bucket, ObjectKey key, Optional<String> from, int max)
            throws IOException {
        return in(
                anywhere(),
                bucket,
                key,
                catalog -> catalog.history().states(caller, bucket, key, from, max));
    }

    @Override
    public Page<ActorInfo> actors(ActorFilter filter, Optional<String> from, int max)
            throws IOException {
        return system().actors(filter, from, max);
    }

    @Override
    public Page<Activity> activity(ActivityFilter filter, Optional<String> from, int max)
            throws IOException {
        return system().activity(filter, from, max);
    }

    @Override
    public Page<Step> trace(
            Direction direction,
            BucketName bucket,
            ObjectKey key,
            Optional<VersionSelector> version,
            Optional<String> from,
            int max,
            TraceScope scope)
            throws IOException {
        return in(
                anywhere(),
                bucket,
                key,
                catalog ->
                        catalog.history().trace(direction, bucket, key, version, from, max, scope));
    }

    @Override
    public Optional<String> cubeOf(BucketName deleted, boolean isEverywhere) throws IOException {
        List<CubeSlot> had =
                isEverywhere
                        ? anywhere().hadLast(deleted)
                        : CubeRouting.lastOf(
                                cubes.slots().stream()
                                        .filter(slot -> slot.open().isPresent())
                                        .toList(),
                                slot -> slot.call(each -> each.buckets().findLast(deleted)));
        return had.stream().findFirst().map(CubeSlot::name);
    }

    @Override
    public CausalityStats stats() {
        return cubes.opened().stream()
                .map(open -> open.store().history().stats())
                .reduce(CausalityStats.dropped(cubes.reads().dropped()), CubedHistory::sum);
    }

    private static CausalityStats sum(CausalityStats one, CausalityStats other) {
        Map<HistoryPolicy, Outcomes> outcomes = new EnumMap<>(HistoryPolicy.class);
        outcomes.putAll(one.byPolicy());
        other.byPolicy()
                .forEach(
                        (policy, more) ->
                                outcomes.merge(
                                        policy,
                                        more,
                                        (a, b) ->
                                                new Outcomes(
                                                        a.duplicates() + b.duplicates(),
                                                        a.added() + b.added(),
                                                        a.frozen() + b.frozen())));
        return new CausalityStats(
                outcomes,
                one.readable() + other.readable(),
                one.kept() + other.kept(),
                one.events() + other.events(),
                one.actors() + other.actors(),
                one.pendingBytes() + other.pendingBytes(),
                one.droppedReads() + other.droppedReads());
    }

    @Override
    public Kept kept(BucketName bucket) {
        try {
            return sum(
                    anywhere(),
                    bucket,
                    catalog -> catalog.history().kept(bucket),
                    (one, other) ->
                            new Kept(one.states() + other.states(), one.bytes() + other.bytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public BucketSize size(BucketName bucket) throws IOException {
        return sum(anywhere(), bucket, catalog -> catalog.history().size(bucket), BucketSize::plus);
    }

    @Override
    public long purge(Caller caller, BucketRef bucket, Instant before) throws IOException {
        return sum(
                buckets.routing(),
                bucket,
                each -> each.history().purge(caller, bucket, before),
                Long::sum);
    }

    @Override
    public int shred(Caller caller, BucketRef bucket, ObjectKey key, Erasure erasure)
            throws IOException {
        return in(
                buckets.routing(),
                bucket,
                key,
                (Catalog each) -> each.history().shred(caller, bucket, key, erasure));
    }
}
