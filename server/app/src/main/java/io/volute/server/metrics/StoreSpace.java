package io.volute.server.metrics;

import io.volute.storage.directory.LogPlace;
import io.volute.storage.report.SpaceReport.Totals;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The space of all cubes together.
 *
 * @param capacity bytes that segments of all cubes may take, reserves included
 * @param clientFree free bytes that clients may still fill
 */
record StoreSpace(long capacity, long clientFree) {

    /**
     * Adds the space of cubes. The free space of a place is that of each cube in it, unless each
     * has a capacity of its own.
     *
     * @param places the totals of the cubes in each place
     * @param hasOwnCapacity whether {@code log.capacity} is set
     */
    static StoreSpace of(Map<LogPlace.Kind, List<Totals>> places, boolean hasOwnCapacity) {
        long capacity = 0;
        long clientFree = 0;
        for (List<Totals> cubes : places.values()) {
            capacity += cubes.stream().mapToLong(Totals::used).sum();
            capacity += free(cubes, Totals::free, hasOwnCapacity);
            clientFree += free(cubes, Totals::clientFree, hasOwnCapacity);
        }
        return new StoreSpace(capacity, clientFree);
    }

    private static long free(
            List<Totals> cubes, ToLongFunction<Totals> figure, boolean hasOwnCapacity) {
        return hasOwnCapacity
                ? cubes.stream().mapToLong(figure).sum()
                : cubes.stream().mapToLong(figure).max().orElse(0);
    }
}
