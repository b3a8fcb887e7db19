package io.volute.versioning.provenance.audit;

import static io.volute.versioning.rows.Families.ENTRIES;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.SpiralShape;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.versioning.provenance.ChainBegins;
import io.volute.versioning.provenance.StoreSettings;
import io.volute.versioning.rows.EntryRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongPredicate;

/** A chain in the store, read in pages from its first entry. Not thread-safe. */
final class ChainSource {
    private static final int PAGE = 256;

    private final Cube cube;
    private final ChainIdentity identity;
    private final byte[] base;

    private final ChainBegins begins;

    /** Number of removals from chains before the first rows were read. */
    private final long removals;

    /** The first rows, if the search for the chain has read them. */
    private Optional<List<Row>> begin;

    private record Row(byte[] key, StoredRecord record) {}

    private ChainSource(
            Stored stored, ChainIdentity identity, byte[] base, Optional<List<Row>> begin) {
        this.cube = stored.cube;
        this.begins = stored.begins;
        this.removals = stored.removals;
        this.identity = identity;
        this.base = base;
        this.begin = begin;
    }

    /** The place of chains, with the number of removals before it was read. */
    private record Stored(Cube cube, ChainBegins begins, long removals) {
        Stored(Cube cube, ChainBegins begins) {
            this(cube, begins, begins.removals());
        }
    }

    /** Returns the store's own chain. */
    static ChainSource ofStore(Cube cube, ChainBegins begins, Bytes storeId) {
        return new ChainSource(
                cube,
                begins,
                storeId,
                StoreSettings.BUCKET.id(),
                StoreSettings.BUCKET.name(),
                StoreSettings.KEY);
    }

    /** Creates the chain of a key of a bucket that had that name. */
    ChainSource(
            Cube cube,
            ChainBegins begins,
            Bytes storeId,
            long bucketId,
            BucketName bucket,
            ObjectKey key) {
        this(
                new Stored(cube, begins),
                new ChainIdentity(storeId, bucketId, bucket.value(), Bytes.of(key.utf8())),
                RowKeys.current(bucketId, key),
                Optional.empty());
    }

    /**
     * Returns the first chain in {@code [from, to)}. One scan finds the chain and reads its first
     * rows, which suffices for most chains.
     */
    static Optional<ChainSource> first(
            Cube cube,
            ChainBegins begins,
            byte[] from,
            byte[] to,
            Function<byte[], ChainIdentity> identity) {
        Stored stored = new Stored(cube, begins);
        try (RecordCursor cursor = cube.scan(ENTRIES, from, to)) {
            if (!cursor.next()) {
                return Optional.empty();
            }
            byte[] key = cursor.key();
            byte[] base = Arrays.copyOf(key, key.length - RowKeys.NUMBER_BYTES);
            List<Row> rows = new ArrayList<>();
            do {
                rows.add(new Row(cursor.key(), cursor.record()));
            } while (rows.size() < PAGE && cursor.next() && isOf(base, cursor.key()));
            return Optional.of(
                    new ChainSource(stored, identity.apply(base), base, Optional.of(rows)));
        }
    }

    private static boolean isOf(byte[] base, byte[] key) {
        return key.length == base.length + RowKeys.NUMBER_BYTES
                && Arrays.equals(base, 0, base.length, key, 0, base.length);
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

    /** Returns the first key behind those of its rows. */
    byte[] end() {
        return RowKeys.behindPrefix(base);
    }

    /**
     * Prevents removals from the chain while it is read. From here on only this thread may use the
     * chain; it runs the result to end the hold.
     */
    Runnable hold() {
        Runnable held = begins.reading(base);
        if (begins.removals() != removals) {
            begin = Optional.empty();
        }
        return held;
    }

    /**
     * Drops the rows in memory if they may lack entries up to this one, added after the chain was
     * found.
     */
    void reachTo(long last) {
        boolean isShort =
                begin.isPresent()
                        && begin.get().size() < PAGE
                        && (begin.get().isEmpty()
                                || RowKeys.lastNumber(begin.get().getLast().key) < last);
        if (isShort) {
            begin = Optional.empty();
        }
    }

    /**
     * Returns the commit that removed the first entries; 0 when the chain is whole. The caller
     * holds the chain.
     */
    long removedAt() {
        if (begin.isEmpty()) {
            begin = Optional.of(page(base));
        }
        boolean isWhole =
                begin.get().isEmpty() || RowKeys.lastNumber(begin.get().getFirst().key) == 0;
        return isWhole ? 0 : begins.removedAt(base);
    }

    /** Receives the records of a chain, ascending. */
    interface Sink {
        /**
         * Receives a record.
         *
         * @param record an entry's record without its path; empty if it cannot be read
         * @param sequence of the commit that wrote it
         * @return whether to continue
         */
        boolean next(Bytes record, long sequence) throws IOException;
    }

    void read(Sink sink) throws IOException {
        read(sequence -> true, sink);
    }

    /** Reads the wanted entries as {@link #read(Sink)} does. The records of others are not read. */
    void read(LongPredicate isWanted, Sink sink) throws IOException {
        read(firstPage(), isWanted, sink);
    }

    /** Reads from a sequence on as {@link #read(Sink)} does. */
    void readFrom(long first, Sink sink) throws IOException {
        read(page(RowKeys.entry(bucketId(), key(), first)), sequence -> true, sink);
    }

    private void read(List<Row> first, LongPredicate isWanted, Sink sink) throws IOException {
        List<Row> page = first;
        while (!page.isEmpty()) {
            for (Row row : page) {
                if (isWanted.test(RowKeys.lastNumber(row.key))
                        && !sink.next(detail(row), row.record.sequence())) {
                    return;
                }
            }
            page = pageBehind(page);
        }
    }

    /** Receives the index rows of entries, ascending. */
    interface Rows {
        void next(long sequence, EntryRow row);
    }

    void rows(Rows rows) {
        for (List<Row> page = firstPage(); !page.isEmpty(); page = pageBehind(page)) {
            for (Row row : page) {
                rows.next(RowKeys.lastNumber(row.key), EntryRow.decode(row.record.summary()));
            }
        }
    }

    /** Returns the shape of its spiral; empty when it has no entries. */
    Optional<SpiralShape> shape() {
        return firstPage().stream()
                .findFirst()
                .map(row -> EntryRow.decode(row.record.summary()).shape());
    }

    private List<Row> firstPage() {
        return begin.orElseGet(() -> page(base));
    }

    private List<Row> pageBehind(List<Row> page) {
        if (page.size() < PAGE) {
            return List.of();
        }
        byte[] last = page.getLast().key;
        return page(Arrays.copyOf(last, last.length + 1));
    }

    private List<Row> page(byte[] from) {
        List<Row> page = new ArrayList<>();
        try (RecordCursor cursor = cube.scan(ENTRIES, from, end())) {
            while (page.size() < PAGE && cursor.next()) {
                page.add(new Row(cursor.key(), cursor.record()));
            }
        }
        return page;
    }

    /** Returns the record of an entry; empty when it is damaged, which the audit reports. */
    private Bytes detail(Row row) {
        try {
            return Bytes.of(cube.readDetail(ENTRIES, row.key, row.record));
        } catch (IOException e) {
            return Bytes.EMPTY;
        }
    }

    /** Returns whether it had an entry as of a commit. */
    boolean isThereAt(long sequence) {
        List<Row> page = firstPage();
        return !page.isEmpty() && page.getFirst().record.sequence() <= sequence;
    }

    /** Returns the last entry as of a commit, from its row. */
    Optional<ChainHead> headAt(long sequence) {
        return lastRow(sequence)
                .map(
                        row ->
                                new ChainHead(
                                        RowKeys.lastNumber(row.key),
                                        EntryRow.decode(row.record.summary()).link()));
    }

    /** Returns the sequence of the last entry as of a commit. Reads the rows up to it. */
    Optional<Long> lastAt(long sequence) {
        return lastRow(sequence).map(row -> RowKeys.lastNumber(row.key));
    }

    private Optional<Row> lastRow(long sequence) {
        Optional<Row> last = Optional.empty();
        for (List<Row> page = firstPage(); !page.isEmpty(); page = pageBehind(page)) {
            for (Row row : page) {
                if (row.record.sequence() > sequence) {
                    return last;
                }
                last = Optional.of(row);
            }
        }
        return last;
    }
}
