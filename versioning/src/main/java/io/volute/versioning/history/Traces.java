package io.volute.versioning.history;

import io.volute.versioning.History.Direction;
import io.volute.versioning.rows.KeyVersion;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The walks whose next page may be asked for. One that is not kept any more is done again from its
 * beginning, up to there. Thread-safe.
 */
final class Traces {
    private static final int KEPT_MAX = 4;
    private static final int AT_ONCE = 1000;

    private final LinkedHashMap<Place, SoftReference<GraphWalk>> kept = new LinkedHashMap<>();

    /**
     * Where a walk is.
     *
     * @param told steps that pages have told
     */
    record Place(KeyVersion start, Direction direction, long told) {
        Place further(int more) {
            return new Place(start, direction, told + more);
        }
    }

    /** A walk at that place. Whoever takes one has it for himself. */
    GraphWalk take(Place place, Supplier<GraphWalk> fromStart) throws IOException {
        Optional<GraphWalk> here = take(place);
        if (here.isPresent()) {
            return here.get();
        }
        GraphWalk walk = fromStart.get();
        long left = place.told();
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
