package io.volute.server.auth.sigv4;

import io.volute.server.Limits;
import io.volute.server.s3.request.ClientNetwork;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Slows the guessing of secrets. Failures are counted for a network of clients, for an access key,
 * and for both together; a caller with too many failures is refused before its signature is
 * checked. An access key that has been used well from a network within {@link
 * Limits#KNOWN_CALLER_SECONDS} is never refused from there, and a network without failures never
 * because of others: guessing does not lock out legitimate callers. Takes a fixed amount of memory;
 * counters that share a slot count together. Thread-safe without locks.
 */
public final class FailedSignatures {
    private static final int SLOT_BITS = 13;
    private static final long MILLIS = 1000;

    /** Milliseconds until one failure is forgotten, and until as many as there may be are. */
    private static final long OF_CALLER = Limits.FAILED_SIGNATURE_SECONDS * MILLIS;

    private static final long MOST_OF_CALLER = Limits.FAILED_SIGNATURES_MAX * OF_CALLER;
    private static final long MOST_OF_NETWORK = Limits.FAILED_SIGNATURES_OF_ADDRESS_MAX * MILLIS;
    private static final long MOST_OF_KEY = Limits.FAILED_SIGNATURES_OF_KEY_MAX * MILLIS;

    private final long seed;
    private final boolean isLimited;

    /** The time of each slot, in milliseconds, at which its failures are forgotten. */
    private final AtomicLongArray callers = new AtomicLongArray(1 << SLOT_BITS);

    private final AtomicLongArray networks = new AtomicLongArray(1 << SLOT_BITS);
    private final AtomicLongArray keys = new AtomicLongArray(1 << SLOT_BITS);

    /** Half of a hash and the minute, for each slot with a valid signature. */
    private final AtomicLongArray known = new AtomicLongArray(1 << SLOT_BITS);

    /**
     * @param seed makes the sharing of slots unpredictable
     */
    public FailedSignatures(long seed) {
        this(seed, true);
    }

    private FailedSignatures(long seed, boolean isLimited) {
        this.seed = seed;
        this.isLimited = isLimited;
    }

    /** Creates an instance that refuses no caller. */
    public static FailedSignatures unlimited() {
        return new FailedSignatures(0, false);
    }

    /**
     * Returns whether a signature is worth being looked at.
     *
     * @param address of the client
     * @param now milliseconds
     */
    boolean mayTry(String address, String accessKey, long now) {
        long caller = caller(address, accessKey);
        boolean isKnown =
                known.get(slot(caller)) >>> Integer.SIZE == caller >>> Integer.SIZE
                        && minutes(now) - (int) known.get(slot(caller))
                                <= Limits.KNOWN_CALLER_SECONDS / 60;
        if (isKnown || !isLimited) {
            return true;
        }
        long ofCaller = callers.get(slot(caller)) - now;
        long ofNetwork = networks.get(slot(network(address))) - now;
        long ofKey = keys.get(slot(key(accessKey))) - now;
        return ofCaller <= MOST_OF_CALLER - OF_CALLER
                && ofNetwork <= MOST_OF_NETWORK - MILLIS
                && (ofCaller <= 0 || ofKey <= MOST_OF_KEY - MILLIS);
    }

    /** Counts an invalid signature, or an unknown access key. */
    void failed(String address, String accessKey, long now) {
        count(callers, caller(address, accessKey), OF_CALLER, MOST_OF_CALLER, now);
        count(networks, network(address), MILLIS, MOST_OF_NETWORK, now);
        count(keys, key(accessKey), MILLIS, MOST_OF_KEY, now);
    }

    /**
     * Adds a failure, never beyond the bound. Failures of known callers, who are not limited, count
     * against the other callers of their network.
     */
    private static void count(AtomicLongArray slots, long hash, long millis, long most, long now) {
        slots.accumulateAndGet(
                slot(hash),
                millis,
                (until, more) -> Math.min(Math.max(until, now) + more, now + most));
    }

    /** A signature held. */
    void held(String address, String accessKey, long now) {
        long caller = caller(address, accessKey);
        long entry = caller >>> Integer.SIZE << Integer.SIZE | minutes(now);
        if (known.get(slot(caller)) != entry) {
            known.set(slot(caller), entry);
        }
    }

    private static int minutes(long millis) {
        return (int) (millis / (60 * MILLIS));
    }

    private static int slot(long hash) {
        return (int) hash & (1 << SLOT_BITS) - 1;
    }

    private long network(String address) {
        return mixed(ClientNetwork.hash(address));
    }

    private long key(String accessKey) {
        return mixed(accessKey.hashCode());
    }

    private long caller(String address, String accessKey) {
        return mixed(network(address) + accessKey.hashCode());
    }

    /** The last steps of MurmurHash3, with the seed. */
    private long mixed(long value) {
        long hash = value ^ seed;
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }
}
