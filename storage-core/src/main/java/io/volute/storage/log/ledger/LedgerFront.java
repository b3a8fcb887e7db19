package io.volute.storage.log.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The first bytes of a closed ledger, which every start needs. Not thread-safe. */
final class LedgerFront {
    /** Number of entries with the header and the first batch. */
    private static final int ENTRIES = 2;

    /** Bytes of them that are kept: the header, and that of the first batch. */
    private static final int BYTES_MAX = 8 << 10;

    private ByteBuffer bytes = ByteBuffer.allocate(0);

    private LedgerFront() {}

    static LedgerFront read(Ledgers ledgers, long ledgerId) throws IOException {
        LedgerFront front = new LedgerFront();
        ledgers.read(ledgerId, ENTRIES, front::add);
        return front;
    }

    private void add(ByteBuffer entry) {
        ByteBuffer content = entry.order(ByteOrder.LITTLE_ENDIAN);
        int known = bytes.limit();
        if (content.getLong() == known) {
            int more = Math.min(content.remaining(), BYTES_MAX - known);
            ByteBuffer longer = ByteBuffer.allocate(known + more);
            longer.put(bytes.rewind()).put(content.slice(content.position(), more));
            bytes = longer.flip();
        }
    }

    /**
     * Copies a range, if the entries cover it and lie behind each other.
     *
     * @return false when they do not
     */
    boolean get(ByteBuffer target, long offset, int count) {
        if (offset + count > bytes.limit()) {
            return false;
        }
        target.put(bytes.slice((int) offset, count));
        return true;
    }
}
