package io.volute.provenance.anchor;

import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps those with the lowest chain ids of any number of heads, so many as there is room for. Flat:
 * {@value #BYTES_EACH} bytes a head at most. Not thread-safe.
 *
 * <pre>
 * slot    h32 chain id | u64 sequence | h32 link
 * order   slot numbers; once full, a heap with the highest id on top
 * </pre>
 */
final class LowestHeads {
    /** A slot, its number, and as much again while the numbers are moved to a longer array. */
    static final int BYTES_EACH = 80;

    private static final int SEQUENCE = Hash.BYTES;
    private static final int LINK = SEQUENCE + Long.BYTES;
    private static final int SLOT_BYTES = LINK + Hash.BYTES;
    private static final int BLOCK_SLOTS = 1 << 10;

    private final int capacity;
    private final List<byte[]> blocks = new ArrayList<>();
    private final byte[] offered = new byte[Hash.BYTES];
    private int[] order = new int[0];
    private int size;

    LowestHeads(int capacity) {
        this.capacity = capacity;
    }

    /** Keeps a head unless there is no room for it and all that are kept are lower. */
    void offer(Hash chainId, ChainHead head) {
        if (size < capacity) {
            if (size == order.length) {
                order = Arrays.copyOf(order, (int) Math.min(capacity, Math.max(16, size * 2L)));
            }
            order[size] = size;
            put(size++, chainId, head);
            if (size == capacity) {
                heapify();
            }
            return;
        }
        chainId.copyTo(offered, 0);
        if (compare(offered, 0, block(order[0]), at(order[0])) < 0) {
            put(order[0], chainId, head);
            sink(0, size);
        }
    }

    /** Hands them to the visitor, ascending, and is empty then. */
    void drain(Heads.Visitor visitor) throws IOException {
        if (size < capacity) {
            heapify();
        }
        for (int end = size - 1; end > 0; end--) {
            int highest = order[0];
            order[0] = order[end];
            order[end] = highest;
            sink(0, end);
        }
        int count = size;
        size = 0;
        for (int i = 0; i < count; i++) {
            byte[] block = block(order[i]);
            int at = at(order[i]);
            long sequence = ByteBuffer.wrap(block).getLong(at + SEQUENCE);
            ChainHead head = new ChainHead(sequence, Hash.at(block, at + LINK));
            visitor.head(Hash.at(block, at), head);
        }
    }

    private byte[] block(int slot) {
        return blocks.get(slot / BLOCK_SLOTS);
    }

    private static int at(int slot) {
        return slot % BLOCK_SLOTS * SLOT_BYTES;
    }

    private void put(int slot, Hash chainId, ChainHead head) {
        if (slot / BLOCK_SLOTS == blocks.size()) {
            blocks.add(new byte[Math.min(BLOCK_SLOTS, capacity - slot) * SLOT_BYTES]);
        }
        byte[] block = block(slot);
        int at = at(slot);
        chainId.copyTo(block, at);
        ByteBuffer.wrap(block).putLong(at + SEQUENCE, head.sequence());
        head.link().copyTo(block, at + LINK);
    }

    private static int compare(byte[] some, int at, byte[] others, int otherAt) {
        return Arrays.compareUnsigned(
                some, at, at + Hash.BYTES, others, otherAt, otherAt + Hash.BYTES);
    }

    private boolean isLower(int slot, int other) {
        return compare(block(slot), at(slot), block(other), at(other)) < 0;
    }

    private void heapify() {
        for (int i = size / 2 - 1; i >= 0; i--) {
            sink(i, size);
        }
    }

    private void sink(int from, int end) {
        int slot = order[from];
        int index = from;
        for (int child = 2 * index + 1; child < end; child = 2 * index + 1) {
            if (child + 1 < end && isLower(order[child], order[child + 1])) {
                child++;
            }
            if (!isLower(slot, order[child])) {
                break;
            }
            order[index] = order[child];
            index = child;
        }
        order[index] = slot;
    }
}
