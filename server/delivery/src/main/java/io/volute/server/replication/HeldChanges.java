package io.volute.server.replication;

import io.volute.server.Limits;
import io.volute.server.s3.replication.ReplicationMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * The keys and destination buckets of one target whose changes wait after a failure. Changes of
 * other keys and buckets pass them. Bounded: too many failing keys hold their bucket, and too many
 * buckets the target. Thread-safe.
 *
 * <p>A hold ends in {@link #release} alone. The delivery then begins anew with its oldest message,
 * so the changes of a key keep their order.
 */
final class HeldChanges {
    static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** A key of a source bucket on its way to a destination bucket. */
    private record Key(String source, String key) {
        static Key of(ReplicationMessage change) {
            return new Key(change.bucket(), change.key());
        }
    }

    /** A hold, or one that ended and whose next attempt is not decided yet. */
    private static final class Hold {
        private Duration pause = Duration.ZERO;
        private Instant retryAt = Instant.EPOCH;
        private boolean isHeld;

        void fail(Instant now) {
            pause = next(pause);
            retryAt = now.plus(pause);
            isHeld = true;
        }

        /** Returns whether the pause is over. A clock that was set back does not make it longer. */
        boolean isDue(Instant now) {
            return isOver(retryAt, now);
        }
    }

    /** The holds of a destination bucket. */
    private static final class Bucket {
        private final Hold whole = new Hold();
        private final Map<Key, Hold> keys = new HashMap<>();
    }

    private final Map<String, Bucket> buckets = new HashMap<>();
    private int keys;

    static Duration next(Duration pause) {
        Duration twice = pause.isZero() ? FIRST_PAUSE : pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    /** Returns whether a pause is over. A clock that was set back does not make it longer. */
    static boolean isOver(Instant retryAt, Instant now) {
        return !now.isBefore(retryAt) || now.isBefore(retryAt.minus(LONGEST_PAUSE));
    }

    /** Returns whether a change waits behind a failure of its bucket or key. */
    synchronized boolean holds(ReplicationMessage change) {
        Bucket bucket = buckets.get(change.destination());
        if (bucket == null) {
            return false;
        }
        Hold key = bucket.keys.get(Key.of(change));
        return bucket.whole.isHeld || key != null && key.isHeld;
    }

    /** Returns whether all changes for a destination bucket wait. */
    synchronized boolean holdsBucket(String destination) {
        Bucket bucket = buckets.get(destination);
        return bucket != null && bucket.whole.isHeld;
    }

    /**
     * Notes that a change was delivered or refused: its key works. Its bucket is forgotten with the
     * others, as many of its keys may still fail.
     */
    synchronized void succeeded(ReplicationMessage change) {
        Bucket bucket = buckets.get(change.destination());
        if (bucket != null && bucket.keys.remove(Key.of(change)) != null) {
            keys--;
        }
    }

    /**
     * Holds the key or the bucket of a change that failed.
     *
     * @return false if there are too many holds: the target has to pause
     */
    synchronized boolean failed(
            ReplicationMessage change, DeliveryException.Reach reach, Instant now) {
        if (!buckets.containsKey(change.destination())
                && buckets.size() == Limits.HELD_BUCKETS_MAX) {
            return false;
        }
        Bucket bucket = buckets.computeIfAbsent(change.destination(), name -> new Bucket());
        boolean isKnown = bucket.keys.containsKey(Key.of(change));
        boolean isOfKey =
                reach == DeliveryException.Reach.KEY
                        && (isKnown
                                || keys < Limits.HELD_KEYS_MAX
                                        && bucket.keys.size() < Limits.HELD_KEYS_OF_BUCKET_MAX);
        if (!isOfKey) {
            keys -= bucket.keys.size();
            bucket.keys.clear();
            bucket.whole.fail(now);
            return true;
        }
        keys += isKnown ? 0 : 1;
        bucket.keys.computeIfAbsent(Key.of(change), key -> new Hold()).fail(now);
        return true;
    }

    /** Ends the holds whose pause is over; returns whether there were any. */
    synchronized boolean release(Instant now) {
        boolean isReleased = false;
        for (Bucket bucket : buckets.values()) {
            isReleased |= release(bucket.whole, now);
            for (Hold key : bucket.keys.values()) {
                isReleased |= release(key, now);
            }
        }
        return isReleased;
    }

    private static boolean release(Hold hold, Instant now) {
        boolean isDue = hold.isHeld && hold.isDue(now);
        hold.isHeld &= !isDue;
        return isDue;
    }

    /** Forgets the holds that ended. Call it when there is no more change to deliver now. */
    synchronized void forgetReleased() {
        for (Bucket bucket : buckets.values()) {
            bucket.keys.values().removeIf(key -> !key.isHeld);
        }
        buckets.values().removeIf(bucket -> !bucket.whole.isHeld && bucket.keys.isEmpty());
        keys = buckets.values().stream().mapToInt(bucket -> bucket.keys.size()).sum();
    }

    synchronized boolean isEmpty() {
        return buckets.isEmpty();
    }
}
