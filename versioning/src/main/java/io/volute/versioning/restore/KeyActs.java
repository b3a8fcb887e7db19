package io.volute.versioning.restore;

import java.util.Arrays;
import java.util.Optional;

/**
 * The writes and deletes of a key since its first condemned one. Neighbours of the same kind are
 * one act, which has the sequence of the first. Takes 8 bytes per act. Not thread-safe.
 */
final class KeyActs {
    private static final int KIND_BITS = 2;
    private static final int FLAG_BITS = KIND_BITS + 1;
    private static final Kind[] KINDS = Kind.values();

    /** Sequence, kind and condemnation of each act, in this order. */
    private long[] acts = new long[1];

    private int count;

    /** Causal version of the last state that an act made. */
    private long current;

    private String why = "";
    private String follower = "";
    private boolean isClean;

    /** The effect of an act on the current state of its key. */
    enum Kind {
        /** Made a state. */
        WRITE,
        /** Removed the current version, so that an older one became current. */
        RETURN,
        /** Removed a version without a return: the only one, or perhaps a noncurrent one. */
        REMOVE
    }

    /**
     * An act.
     *
     * @param sequence lower than those of the states that it made, higher than those of earlier
     *     commits
     */
    record Act(long sequence, Kind kind, boolean isCondemned) {}

    /** Records the causal version that an act made, for {@link #isNoncurrent}. */
    void makes(long version) {
        current = Math.max(current, version);
    }

    /** Returns whether a causal version is known to be behind the current one. */
    boolean isNoncurrent(long version) {
        return version < current;
    }

    /** Adds a condemned act; returns whether it takes memory. */
    boolean condemn(long sequence, Kind kind, String what) {
        boolean isFirst = count == 0 || isClean || !follower.isEmpty();
        if (isFirst) {
            why = what;
        }
        isClean = false;
        follower = "";
        return add(sequence, kind, true);
    }

    /**
     * Adds an act that is not condemned; returns whether it takes memory.
     *
     * @param isRestore whether a restore put the key back
     */
    boolean follow(long sequence, Kind kind, String what, boolean isRestore) {
        boolean wasCondemned = count > 0 && last().isCondemned();
        isClean = isRestore || isClean && !wasCondemned;
        follower = what;
        return add(sequence, kind, false);
    }

    private boolean add(long sequence, Kind kind, boolean isCondemned) {
        if (count > 0 && last().kind() == kind && last().isCondemned() == isCondemned) {
            return false;
        }
        if (count == acts.length) {
            acts = Arrays.copyOf(acts, 2 * count);
        }
        acts[count++] = sequence << FLAG_BITS | (long) kind.ordinal() << 1 | (isCondemned ? 1 : 0);
        return true;
    }

    private Act act(int index) {
        long act = acts[index];
        return new Act(
                act >>> FLAG_BITS, KINDS[(int) (act >>> 1) & (1 << KIND_BITS) - 1], (act & 1) != 0);
    }

    private Act last() {
        return act(count - 1);
    }

    /** Returns the last act up to a sequence. */
    Optional<Act> lastUpTo(long sequence) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (act(middle).sequence() <= sequence) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? Optional.empty() : Optional.of(act(low - 1));
    }

    /** Returns whether a restore put the key back, and nothing condemned came behind it. */
    boolean isClean() {
        return isClean;
    }

    /** Returns a description of the first condemned act of the last run of them. */
    String why() {
        return why;
    }

    /** Returns a description of the last act, if it is not condemned. */
    Optional<String> follower() {
        return Optional.of(follower).filter(text -> !text.isEmpty());
    }

    /**
     * Returns the last sequence at which the state that the last condemned act made was current.
     */
    long lastCondemned() {
        for (int i = count - 1; i > 0; i--) {
            if (act(i - 1).isCondemned() && !act(i).isCondemned()) {
                return act(i).sequence() - 1;
            }
            if (act(i).isCondemned()) {
                return Long.MAX_VALUE;
            }
        }
        return Long.MAX_VALUE;
    }
}
