package io.volute.versioning.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The rows of {@code event-index}: for a run of event rows, the blocks with edges from a node. All
 * bytes are in the detail.
 *
 * <pre>
 *   blocks    octet   1, the version of this layout
 *             varint  number of blocks; of each:
 *               varint  number of its first row, the first less 0, the others less the one before
 *   postings  octet   1
 *             varint  number of postings, ascending; of each:
 *               varint  (32 bits of the node's hash, 8 bits of the block) less the one before
 * </pre>
 *
 * The postings of a run are in slices by the highest octet of the hash; the 32 bits follow it. A
 * hash collision adds blocks without a matching edge, and never hides one.
 */
public final class EventIndexRow {
    /** Maximum number of blocks in a run. */
    public static final int BLOCKS_MAX = 1 << 8;

    private static final int LAYOUT = 1;
    private static final int BLOCK_BITS = 8;
    private static final int SLICE_SHIFT = 40;
    private static final int HASH_SHIFT = 24;

    private EventIndexRow() {}

    /**
     * Returns a posting, the unit that is sorted and cut into slices: a node with an edge in a
     * block.
     */
    public static long posting(long hash, int block) {
        return hash >>> HASH_SHIFT << BLOCK_BITS | block;
    }

    /** Returns the slice that a posting belongs to. */
    public static int sliceOfPosting(long posting) {
        return (int) (posting >>> SLICE_SHIFT);
    }

    /** Returns the slice with the postings of a node. */
    public static int slice(long hash) {
        return sliceOfPosting(posting(hash, 0));
    }

    /**
     * Encodes the blocks of a run.
     *
     * @param from number of the first row of each block, ascending
     */
    public static EncodedRow encodeBlocks(List<Long> from) {
        return encode(from.stream().mapToLong(Long::longValue).toArray());
    }

    public static List<Long> decodeBlocks(byte[] detail) {
        List<Long> from = new ArrayList<>();
        for (long each : decode(detail)) {
            from.add(each);
        }
        return from;
    }

    /**
     * Encodes one slice.
     *
     * @param postings postings of one slice, ascending
     */
    public static EncodedRow encodePostings(long[] postings) {
        long inSlice = (1L << SLICE_SHIFT) - 1;
        return encode(Arrays.stream(postings).map(each -> each & inSlice).toArray());
    }

    /** Returns the blocks of a node, from its slice. */
    public static BitSet decodePostings(byte[] detail, long hash) {
        long inSlice = (1L << SLICE_SHIFT) - 1;
        long wanted = (posting(hash, 0) & inSlice) >>> BLOCK_BITS;
        BitSet blocks = new BitSet(BLOCKS_MAX);
        for (long each : decode(detail)) {
            if (each >>> BLOCK_BITS == wanted) {
                blocks.set((int) each & BLOCKS_MAX - 1);
            }
        }
        return blocks;
    }

    private static EncodedRow encode(long[] ascending) {
        RowOutput output = new RowOutput().octet(LAYOUT).varint(ascending.length);
        long before = 0;
        for (long each : ascending) {
            output.varint(each - before);
            before = each;
        }
        return new EncodedRow(new byte[0], output.toBytes());
    }

    private static long[] decode(byte[] detail) {
        RowInput input = new RowInput(detail);
        input.version(LAYOUT, "event index");
        // Each number takes at least one octet.
        long[] all = new long[Math.min(input.size(), detail.length)];
        long before = 0;
        for (int i = 0; i < all.length; i++) {
            before += input.varint();
            all[i] = before;
        }
        return all;
    }
}
