package io.volute.versioning.history;

import io.volute.versioning.History.Direction;
import io.volute.versioning.rows.KeyVersion;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A cache of interrupted walks for the next page of a trace. A walk that was evicted is repeated
 * from its start. Thread-safe.
 */
final class Traces {
    private static final int KEPT_MAX = 4;
    private static final int AT_ONCE = 1000;

    private final LinkedHashMap<Place, SoftReference<GraphWalk>> kept = new LinkedHashMap<>();

    /**
     * The position of a walk.
     *
     * @param returned number of steps that earlier pages contain
     */
    record Place(KeyVersion start, Direction direction, long returned) {
        Place further(int more) {
            return new Place(start, direction, returned + more);
        }
    }

    /**
     * Takes the walk at a position out of the cache, or repeats it from the start. The caller owns
     * it.
     */
    GraphWalk take(Place place, Supplier<GraphWalk> fromStart) throws IOException {
        Optional<GraphWalk> here = take(place);
        if (here.isPresent()) {
            return here.get();
        }
        GraphWalk walk = fromStart.get();
        long left = place.returned();
        while (left > 0) {
            walk.reach((int) Math.min(left, AT_ONCE));
            if (!walk.hasNext()) {
                return walk;
            }
            while (left > 0 && walk.next().isPresent()) {
                left--;
            }
        }
        return walk;
    }

    private synchronized Optional<GraphWalk> take(Place place) {
        return Optional.ofNullable(kept.remove(place)).map(SoftReference::get);
    }

    synchronized void keep(Place place, GraphWalk walk) {
        kept.put(place, new SoftReference<>(walk));
        if (kept.size() > KEPT_MAX) {
            kept.pollFirstEntry();
        }
    }
}
