package io.volute.versioning.history;

import io.volute.versioning.causality.VersionNode;

/** A hash set of nodes that takes 16 to 48 bytes per node. Not thread-safe. */
public final class NodeSet {
    private static final int SLOTS_MIN = 64;

    /** Pairs of id and version. No node has the id 0, which marks an empty slot. */
    private long[] slots = new long[2 * SLOTS_MIN];

    private int size;

    /** Returns whether a node was added. */
    public boolean contains(VersionNode node) {
        return slots[slot(slots, node.id(), node.version())] != 0;
    }

    /** Adds a node; returns whether it is new. */
    public boolean add(VersionNode node) {
        int slot = slot(slots, node.id(), node.version());
        if (slots[slot] != 0) {
            return false;
        }
        put(slots, slot, node.id(), node.version());
        size++;
        // At most two thirds of the slots are used.
        if (size > slots.length / 3) {
            grow();
        }
        return true;
    }

    /** Returns the number of nodes. */
    public int size() {
        return size;
    }

    private void grow() {
        long[] larger = new long[2 * slots.length];
        for (int i = 0; i < slots.length; i += 2) {
            if (slots[i] != 0) {
                put(larger, slot(larger, slots[i], slots[i + 1]), slots[i], slots[i + 1]);
            }
        }
        slots = larger;
    }

    private static void put(long[] slots, int slot, long id, long version) {
        slots[slot] = id;
        slots[slot + 1] = version;
    }

    /** Returns the slot of a node, or else a free slot for it. */
    private static int slot(long[] slots, long id, long version) {
        long hash = (id ^ version * 0x9E3779B97F4A7C15L) * 0xD6E8FEB86659FD93L;
        int mask = slots.length / 2 - 1;
        int pair = (int) (hash >>> Integer.SIZE) & mask;
        while (slots[2 * pair] != 0 && (slots[2 * pair] != id || slots[2 * pair + 1] != version)) {
            pair = pair + 1 & mask;
        }
        return 2 * pair;
    }
}
