package io.volute.server.cluster.hop;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The numbers of the seals that this process has opened, so that each opens once. Every process of
 * a node numbers its seals from 1 on. Numbers may come out of order, by less than {@link #WINDOW}.
 * Only sealed numbers come here, so nobody without the secret can fill the memory. Thread-safe.
 */
final class HopNumbers {
    /**
     * Requests that a later one of the same node may overtake it: 8 KiB of memory for a process.
     */
    static final int WINDOW = 1 << 16;

    private final long keptSeconds;
    private final Map<String, Seen> runs = new HashMap<>();

    /** The last numbers of one process; bit N is that of a number with this rest. */
    private static final class Seen {
        private final BitSet bits = new BitSet(WINDOW);
        private long newest;
        private long seconds;

        boolean isFirst(long number) {
            if (number <= newest - WINDOW) {
                return false;
            }
            if (number > newest) {
                long cleared = Math.max(newest, number - WINDOW);
                while (cleared < number) {
                    bits.clear(rest(++cleared));
                }
                newest = number;
            }
            boolean isFirst = !bits.get(rest(number));
            bits.set(rest(number));
            return isFirst;
        }

        private static int rest(long number) {
            return (int) (number % WINDOW);
        }
    }

    /**
     * @param keptSeconds time for which a seal could open again
     */
    HopNumbers(long keptSeconds) {
        this.keptSeconds = keptSeconds;
    }

    /**
     * Returns whether a seal opens for the first time; false if that is not known any more.
     *
     * @param run of the process that has made the seal
     * @param number of the seal, above 0
     * @param now seconds since the epoch
     */
    synchronized boolean isFirst(String run, long number, long now) {
        Seen seen = runs.get(run);
        if (seen == null) {
            runs.values().removeIf(each -> each.seconds < now - keptSeconds);
            seen = new Seen();
            runs.put(run, seen);
        }
        seen.seconds = now;
        return seen.isFirst(number);
    }
}
