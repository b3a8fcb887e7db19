package io.volute.server.cluster;

import io.volute.versioning.value.BucketName;
import java.util.Map;
import java.util.Optional;

/**
 * Cubes of a store, of which one is placed.
 *
 * @param buckets the cubes by their buckets
 * @param deleted the cubes by their past buckets
 * @param restores the cubes by their restores
 * @param placed the only placed cube; empty when none is
 */
record TestPlaces(
        Map<String, String> buckets,
        Map<String, String> deleted,
        Map<String, String> restores,
        Optional<String> placed)
        implements RequestPlaces.Known {
    @Override
    public Optional<String> ofBucket(BucketName bucket) {
        return Optional.ofNullable(buckets.get(bucket.value()));
    }

    @Override
    public Optional<String> ofDeleted(BucketName bucket) {
        return Optional.ofNullable(deleted.get(bucket.value()));
    }

    @Override
    public Optional<String> ofRestore(String id) {
        return Optional.ofNullable(restores.get(id));
    }

    @Override
    public boolean isPlaced(String cube) {
        return placed.equals(Optional.of(cube));
    }

    @Override
    public boolean isSomePlaced() {
        return placed.isPresent();
    }
}
