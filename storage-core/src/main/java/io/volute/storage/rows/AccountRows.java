package io.volute.storage.rows;

import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.index.IndexTable;
import io.volute.storage.index.KeyValueIndex;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The rows of the segment accounts:
 *
 * <pre>
 *   's' segment              live bytes, dead bytes, applied end of a survivor (else 0)
 *   'v' segment, victim's    1 (once: number of victims), bytes of tombstones
 *   'o' survivor, origin's   nothing
 * </pre>
 */
public final class AccountRows {
    private static final byte ACCOUNT = 's';
    private static final byte VICTIM = 'v';
    private static final byte ORIGIN = 'o';
    private static final byte[] NOTHING = {};

    private final KeyValueIndex index;
    private final IndexTable meta;

    AccountRows(KeyValueIndex index, IndexTable meta) {
        this.index = index;
        this.meta = meta;
    }

    public void put(IndexBatch batch, long segment, long live, long dead, long applied) {
        batch.put(
                meta,
                key(ACCOUNT, segment),
                new RowWriter(24).number(live).number(dead).number(applied).toBytes());
    }

    public void delete(IndexBatch batch, long segment) {
        batch.delete(meta, key(ACCOUNT, segment));
    }

    public void putVictims(IndexBatch batch, long segment, long victim, long tombstones) {
        batch.put(
                meta,
                key(VICTIM, segment, victim),
                new RowWriter(16).number(1).number(tombstones).toBytes());
    }

    public void deleteVictims(IndexBatch batch, long segment, long victim) {
        batch.delete(meta, key(VICTIM, segment, victim));
    }

    public void putOrigin(IndexBatch batch, long survivor, long origin) {
        batch.put(meta, key(ORIGIN, survivor, origin), NOTHING);
    }

    public void deleteOrigin(IndexBatch batch, long survivor, long origin) {
        batch.delete(meta, key(ORIGIN, survivor, origin));
    }

    /** A visitor of the stored accounting rows. */
    public interface Visitor {
        void account(long segment, long live, long dead, long applied);

        void victims(long segment, long victim, long tombstones);

        void origin(long survivor, long origin);
    }

    public void visit(Visitor visitor) {
        try (IndexCursor cursor =
                index.cursor(meta, new byte[] {ORIGIN}, new byte[] {VICTIM + 1})) {
            while (cursor.next()) {
                ByteBuffer key = ByteBuffer.wrap(cursor.key());
                RowReader row = new RowReader(cursor.value());
                byte kind = key.get();
                if (kind == ORIGIN) {
                    visitor.origin(key.getLong(), key.getLong());
                } else if (kind == ACCOUNT) {
                    visitor.account(key.getLong(), row.number(), row.number(), row.number());
                } else if (kind == VICTIM) {
                    visitor.victims(key.getLong(), key.getLong(), tombstones(row));
                }
            }
        }
    }

    private static long tombstones(RowReader victims) {
        victims.number();
        return victims.number();
    }

    /**
     * The accounting rows of one segment.
     *
     * @param victims bytes of tombstones by the segment of their victims
     */
    public record Account(long live, long dead, Map<Long, Long> victims) {

        public long tombstones() {
            return victims.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    public Account account(long segment) {
        Map<Long, Long> victims = new HashMap<>();
        try (IndexCursor rows =
                index.cursor(meta, key(VICTIM, segment), key(VICTIM, segment + 1))) {
            while (rows.next()) {
                victims.put(
                        ByteBuffer.wrap(rows.key()).getLong(1 + Long.BYTES),
                        tombstones(new RowReader(rows.value())));
            }
        }
        Optional<byte[]> balance = index.get(meta, key(ACCOUNT, segment));
        if (balance.isEmpty()) {
            return new Account(0, 0, victims);
        }
        RowReader row = new RowReader(balance.get());
        return new Account(row.number(), row.number(), victims);
    }

    private static byte[] key(byte kind, long... segments) {
        ByteBuffer key = ByteBuffer.allocate(1 + Long.BYTES * segments.length).put(kind);
        for (long segment : segments) {
            key.putLong(segment);
        }
        return key.array();
    }
}
