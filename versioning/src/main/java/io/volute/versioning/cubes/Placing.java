package io.volute.versioning.cubes;

import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreCubes.Placement;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Chooses the cubes of new buckets. Thread-safe. */
record Placing(CubeRegistry cubes, Placement rule) {
    /**
     * Returns the cube of a new bucket.
     *
     * @param wanted the name that the creator chose
     * @param buckets counts the buckets of a cube
     * @throws io.volute.versioning.StoreException INVALID_ARGUMENT when there is no such cube
     */
    CubeSlot of(Optional<String> wanted, ToLongFunction<CubeSlot> buckets) {
        if (wanted.isPresent()) {
            return cubes.require(wanted.get());
        }
        return switch (rule) {
            case DEFAULT -> cubes.system();
            case SPREAD ->
                    cubes.slots().stream()
                            .filter(slot -> slot.isWritable() || slot.phase() == Phase.ELSEWHERE)
                            .min(
                                    Comparator.comparingLong(buckets)
                                            .thenComparingInt(CubeSlot::number))
                            .orElse(cubes.system());
        };
    }
}
