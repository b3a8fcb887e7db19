package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.ENTRIES;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.ChainIdentity;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.versioning.BucketName;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A chain as it lies in the store, read from its start, some entries at a time. */
final class ChainSource {
    private static final int PAGE = 256;

    private final Cube cube;
    private final ChainIdentity identity;
    private final byte[] base;

    /**
     * @param base what the keys of its rows begin with
     */
    ChainSource(Cube cube, ChainIdentity identity, byte[] base) {
        this.cube = cube;
        this.identity = identity;
        this.base = base;
    }

    /** Of a key of a bucket that had that name. */
    ChainSource(Cube cube, Bytes storeId, long bucketId, BucketName bucket, ObjectKey key) {
        this(
                cube,
                new ChainIdentity(storeId, bucketId, bucket.value(), Bytes.of(key.utf8())),
                RowKeys.current(bucketId, key));
    }

    ChainIdentity identity() {
        return identity;
    }

    long bucketId() {
        return RowKeys.bucketId(base);
    }

    ObjectKey key() {
        return RowKeys.objectKey(base);
    }

    /** Takes what lies in the rows, ascending. */
    interface Sink {
        /**
         * @param record an entry's record without its path; nothing where it cannot be read
         * @param sequence of the commit that wrote it
         * @return whether to go on
         */
        boolean next(Bytes record, long sequence) throws IOException;
    }

    void read(Sink sink) throws IOException {
        readFrom(0, sink);
    }

    /** As {@link #read}, from a sequence on. */
    void readFrom(long first, Sink sink) throws IOException {
        byte[] from = RowKeys.entry(bucketId(), key(), first);
        while (from.length > 0) {
            List<Row> page = page(from);
            for (Row row : page) {
                if (!sink.next(detail(row), row.record.sequence())) {
                    return;
                }
            }
            from = page.size() < PAGE ? new byte[0] : behind(page.getLast().key);
        }
    }

    private record Row(byte[] key, StoredRecord record) {}

    private List<Row> page(byte[] from) {
        List<Row> page = new ArrayList<>();
        try (RecordCursor cursor = cube.scan(ENTRIES, from, RowKeys.behindPrefix(base))) {
            while (page.size() < PAGE && cursor.next()) {
                page.add(new Row(cursor.key(), cursor.record()));
            }
        }
        return page;
    }

    private static byte[] behind(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /** What is damaged is for the audit to find, and no reason to end it. */
    private Bytes detail(Row row) {
        try {
            return Bytes.of(cube.readDetail(ENTRIES, row.key, row.record));
        } catch (IOException e) {
            return Bytes.EMPTY;
        }
    }

    /** Whether it had an entry as of a commit. */
    boolean isThereAt(long sequence) {
        try (RecordCursor cursor = cube.scan(ENTRIES, base, RowKeys.behindPrefix(base))) {
            return cursor.next() && cursor.record().sequence() <= sequence;
        }
    }

    /** Sequence of the last entry as of a commit, by its row. */
    Optional<Long> lastAt(long sequence) {
        Optional<Long> last = Optional.empty();
        try (RecordCursor cursor = cube.scan(ENTRIES, base, RowKeys.behindPrefix(base))) {
            while (cursor.next()) {
                if (cursor.record().sequence() <= sequence) {
                    last = Optional.of(RowKeys.lastNumber(cursor.key()));
                }
            }
        }
        return last;
    }
}
