package io.volute.versioning.history;

import io.volute.versioning.History.Direction;
import io.volute.versioning.rows.KeyVersion;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Optional;

/**
 * A cache of interrupted walks for the next page of a trace. A walk that was evicted is repeated
 * from its start. Thread-safe.
 */
final class Traces {
    private static final int KEPT_MAX = 4;
    private static final int AT_ONCE = 1000;

    private final LinkedHashMap<Place, SoftReference<Walk>> kept = new LinkedHashMap<>();

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

    /** Begins a walk from its start. */
    @FunctionalInterface
    interface Beginning {
        Walk begin() throws IOException;
    }

    /**
     * Takes the walk at a position out of the cache, or repeats it from the start. The caller owns
     * it.
     */
    Walk take(Place place, Beginning fromStart) throws IOException {
        Optional<Walk> here = take(place);
        return here.isPresent() ? here.get() : repeated(place, fromStart);
    }

    /** Returns a walk at a position that begins at the start. */
    static Walk repeated(Place place, Beginning fromStart) throws IOException {
        Walk walk = fromStart.begin();
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

    private synchronized Optional<Walk> take(Place place) {
        return Optional.ofNullable(kept.remove(place)).map(SoftReference::get);
    }

    synchronized void keep(Place place, Walk walk) {
        kept.put(place, new SoftReference<>(walk));
        if (kept.size() > KEPT_MAX) {
            kept.pollFirstEntry();
        }
    }
}
