package io.volute.server.cluster;

import io.volute.versioning.History;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the cubes of deleted buckets for requests to their past. Anybody can ask, also without a
 * credential, and a lookup needs views of all cubes, as copies between owners do. So results are
 * kept for a while, and lookups are bounded. Thread-safe.
 */
final class PastBuckets {
    /** Lookups at one time, and in a second; others see the open cubes of this node alone. */
    static final int MOST_AT_ONCE = 16;

    static final int MOST_IN_A_SECOND = 50;

    /** Time for which a result is kept. A bucket that is made meanwhile has a placement. */
    static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_KEPT = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(PastBuckets.class);

    private final LongSupplier nanos;
    private final Semaphore running = new Semaphore(MOST_AT_ONCE);

    /** The results, the oldest first. Guarded by this, as is the rest. */
    private final Map<BucketName, Found> kept = new LinkedHashMap<>();

    private long second;
    private int begun;

    private record Found(Optional<String> cube, long at) {}

    /**
     * @param nanos a clock that only goes forward
     */
    PastBuckets(LongSupplier nanos) {
        this.nanos = nanos;
        this.second = nanos.getAsLong();
    }

    /** Returns the cube of the last bucket that had a name; empty when it is not known. */
    Optional<String> cubeOf(BucketName bucket, History history) {
        Optional<Found> known = known(bucket);
        if (known.isPresent()) {
            return known.get().cube();
        }
        try {
            return mayBegin() && running.tryAcquire()
                    ? everywhere(bucket, history)
                    : history.cubeOf(bucket, false);
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("the cube of past bucket {} is not known now", bucket.value(), e);
            return Optional.empty();
        }
    }

    private Optional<String> everywhere(BucketName bucket, History history) throws IOException {
        try {
            Optional<String> cube = history.cubeOf(bucket, true);
            keep(bucket, cube);
            return cube;
        } catch (IOException | UncheckedIOException e) {
            // The owner of the right cube needs no other cube to find it.
            LOG.debug("not all cubes can be read for past bucket {}", bucket.value(), e);
            return history.cubeOf(bucket, false);
        } finally {
            running.release();
        }
    }

    private synchronized Optional<Found> known(BucketName bucket) {
        return Optional.ofNullable(kept.get(bucket))
                .filter(found -> nanos.getAsLong() - found.at() < KEPT_NANOS);
    }

    private synchronized void keep(BucketName bucket, Optional<String> cube) {
        kept.remove(bucket);
        kept.put(bucket, new Found(cube, nanos.getAsLong()));
        if (kept.size() > MOST_KEPT) {
            kept.remove(kept.keySet().iterator().next());
        }
    }

    private synchronized boolean mayBegin() {
        long now = nanos.getAsLong();
        if (now - second >= SECOND_NANOS) {
            second = now;
            begun = 0;
        }
        begun++;
        return begun <= MOST_IN_A_SECOND;
    }
}
