package io.volute.storage.rows;

import io.volute.storage.Family;
import io.volute.storage.Place;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.index.IndexTable;
import io.volute.storage.index.IndexUnusableException;
import io.volute.storage.index.KeyValueIndex;
import io.volute.storage.index.RunMerger;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.IndexStats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The index of a cube with typed rows. It has one table for each family, one for blobs, and one for
 * everything about the index itself:
 *
 * <pre>
 *   'f'                      format version, cube id
 *   'p'                      position, next sequence, id high water
 *   'r'                      present while the index is being rebuilt, or must be
 *   'y'                      present while the index follows the log of another owner
 *   'c'                      position at which the cube was closed cleanly; absent while open
 *   's', 'v', 'o'            see {@link AccountRows}
 *   'h' segment              see {@link DeadPageRows}
 *   'x' segment, offset      see {@link ExtentRows}
 * </pre>
 */
public final class CubeIndex implements AutoCloseable {
    /**
     * Version of the rows. An index of an earlier version is rebuilt. 2: rows of extents, dead
     * pages and origins. 3: of two copies of an entry it has that of the survivor.
     */
    private static final int FORMAT = 3;

    private static final byte[] FORMAT_KEY = {'f'};
    private static final byte[] STATE_KEY = {'p'};
    private static final byte[] REBUILD_KEY = {'r'};
    private static final byte[] STANDBY_KEY = {'y'};
    private static final byte[] CLEAN_KEY = {'c'};
    private static final byte[] NOTHING = {};

    private final KeyValueIndex index;
    private final List<Family> known;
    private final Map<Integer, IndexTable> families = new HashMap<>();
    private final Map<Integer, Family> familiesById = new HashMap<>();
    private final IndexTable blobs;
    private final IndexTable meta;
    private final AccountRows accounts;
    private final ExtentRows extents;

    /** Creates a typed index; {@link #close} closes the given one. */
    public CubeIndex(KeyValueIndex index, List<Family> known) {
        this.index = index;
        this.known = List.copyOf(known);
        List<IndexTable> tables = tables(known);
        for (int i = 0; i < known.size(); i++) {
            families.put(known.get(i).id(), tables.get(i));
            familiesById.put(known.get(i).id(), known.get(i));
        }
        this.blobs = tables.get(known.size());
        this.meta = tables.get(known.size() + 1);
        this.accounts = new AccountRows(index, meta);
        this.extents = new ExtentRows(index, meta);
    }

    /** Returns a snapshot for reading only; see {@link KeyValueIndex#snapshot}. */
    public CubeIndex snapshot() {
        return new CubeIndex(index.snapshot(), known);
    }

    /** Returns the tables in the order in which an index of these families must be opened. */
    public static List<IndexTable> tables(List<Family> known) {
        if (known.stream().map(Family::id).distinct().count() != known.size()) {
            throw new IllegalArgumentException("two families share an id: " + known);
        }
        List<IndexTable> tables = new ArrayList<>();
        known.forEach(
                family ->
                        tables.add(
                                new IndexTable(tables.size(), family.name(), family.isWalked())));
        tables.add(new IndexTable(tables.size(), "blobs", false));
        tables.add(new IndexTable(tables.size(), "meta", false));
        return List.copyOf(tables);
    }

    public IndexTable table(int family) {
        IndexTable table = families.get(family);
        if (table == null) {
            throw new IllegalArgumentException(
                    "record family " + family + " is not known to this version");
        }
        return table;
    }

    public boolean knows(int family) {
        return families.containsKey(family);
    }

    /** Returns the table of a family, which must be one of those of the cube. */
    public IndexTable table(Family family) {
        if (!family.equals(familiesById.get(family.id()))) {
            throw new IllegalArgumentException("the cube was not opened with " + family);
        }
        return table(family.id());
    }

    public Optional<RecordRow> record(RecordKey key) {
        return index.get(table(key.family()), key.key()).map(RecordRow::decode);
    }

    public Optional<RecordRow> record(Family family, byte[] key) {
        return index.get(table(family), key).map(RecordRow::decode);
    }

    public Optional<byte[]> rawRecord(RecordKey key) {
        return index.get(table(key.family()), key.key());
    }

    public Optional<byte[]> rawBlob(long id) {
        return index.get(blobs, blobKey(id));
    }

    public Optional<BlobRow> blob(long id) {
        return rawBlob(id).map(BlobRow::decode);
    }

    /** Returns whether the blob exists and its entry lies at this place. */
    public boolean isAt(long blob, Place entry) {
        return blob(blob).filter(row -> row.entry().equals(entry)).isPresent();
    }

    /** Rows in the order of their keys; empty where there is none. */
    public record Rows(List<Optional<BlobRow>> blobs, List<Optional<RecordRow>> records) {}

    /** Reads many rows at once. */
    public Rows rows(List<Long> ids, List<RecordKey> keys) {
        List<KeyValueIndex.RowKey> rowKeys = new ArrayList<>(ids.size() + keys.size());
        ids.forEach(id -> rowKeys.add(new KeyValueIndex.RowKey(blobs, blobKey(id))));
        keys.forEach(key -> rowKeys.add(new KeyValueIndex.RowKey(table(key.family()), key.key())));
        List<Optional<byte[]>> found = index.getAll(rowKeys);
        return new Rows(
                found.stream().limit(ids.size()).map(row -> row.map(BlobRow::decode)).toList(),
                found.stream().skip(ids.size()).map(row -> row.map(RecordRow::decode)).toList());
    }

    public IndexCursor records(Family family, byte[] from, byte[] to) {
        return index.cursor(table(family), from, to);
    }

    public IndexCursor allRecords(int family) {
        return index.cursor(table(family), NOTHING, NOTHING);
    }

    public IndexCursor allBlobs() {
        return index.cursor(blobs, NOTHING, NOTHING);
    }

    public IndexTable blobs() {
        return blobs;
    }

    public AccountRows accounts() {
        return accounts;
    }

    public ExtentRows extents() {
        return extents;
    }

    public DeadPageRows deadPages() {
        return new DeadPageRows(index, meta);
    }

    public List<Integer> familyIds() {
        return families.keySet().stream().sorted().toList();
    }

    public static byte[] blobKey(long id) {
        return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
    }

    public static long blobId(byte[] key) {
        return ByteBuffer.wrap(key).getLong();
    }

    public IndexState state() {
        return index.get(meta, STATE_KEY).map(IndexState::decode).orElse(IndexState.EMPTY);
    }

    public void putState(IndexBatch batch, IndexState state) {
        batch.put(meta, STATE_KEY, state.encode());
    }

    /**
     * Checks that the index can be used.
     *
     * @throws IndexUnusableException unless the index is whole, of this format and of this cube
     */
    public void checkUsable(UUID cube) throws IndexUnusableException {
        Optional<byte[]> format = index.get(meta, FORMAT_KEY);
        if (format.isEmpty()) {
            throw new IndexUnusableException("the index is empty");
        }
        RowReader row = new RowReader(format.get());
        long version = row.number();
        if (version != FORMAT) {
            throw new IndexUnusableException(
                    "the index has format " + version + ", this version writes " + FORMAT);
        }
        if (!Arrays.equals(row.rest(), identity(cube))) {
            throw new IndexUnusableException("the index belongs to another cube");
        }
        if (index.get(meta, REBUILD_KEY).isPresent()) {
            throw new IndexUnusableException("the index is incomplete or marked for a rebuild");
        }
    }

    public void putFormat(IndexBatch batch, UUID cube) {
        batch.put(meta, FORMAT_KEY, new RowWriter(24).number(FORMAT).raw(identity(cube)).toBytes());
    }

    private static byte[] identity(UUID cube) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(cube.getMostSignificantBits())
                .putLong(cube.getLeastSignificantBits())
                .array();
    }

    /** Adds the mark that makes every start rebuild the index until the mark is removed. */
    public void putRebuildMark(IndexBatch batch) {
        batch.put(meta, REBUILD_KEY, NOTHING);
    }

    public void removeRebuildMark(IndexBatch batch) {
        batch.delete(meta, REBUILD_KEY);
    }

    /** Adds the mark of an index that has of survivors only sealed ones. */
    public void putStandbyMark(IndexBatch batch) {
        batch.put(meta, STANDBY_KEY, NOTHING);
    }

    public void removeStandbyMark(IndexBatch batch) {
        batch.delete(meta, STANDBY_KEY);
    }

    /** Returns whether the index has followed the log of another owner until now. */
    public boolean isStandby() {
        return index.get(meta, STANDBY_KEY).isPresent();
    }

    public boolean closedCleanlyAt(LogPosition position) {
        byte[] here = new IndexState(position, 0, 0).encode();
        return index.get(meta, CLEAN_KEY).filter(at -> Arrays.equals(at, here)).isPresent();
    }

    /**
     * Flushes the index at a clean close, with the end of the log, so that the next start need not
     * replay.
     */
    public void flushAtEnd(IndexState last) throws IOException {
        IndexBatch batch = new IndexBatch();
        putState(batch, last);
        batch.put(meta, CLEAN_KEY, new IndexState(last.position(), 0, 0).encode());
        write(batch);
        flush();
    }

    public void removeCleanMark(IndexBatch batch) {
        batch.delete(meta, CLEAN_KEY);
    }

    public void write(IndexBatch batch) throws IOException {
        index.write(batch);
    }

    public IndexStats stats() {
        return index.stats();
    }

    public void flush() throws IOException {
        index.flush();
    }

    public RunMerger merging() {
        return index.merging();
    }

    /**
     * Returns the bytes of the file system to leave to the index. A write that frees segments
     * leaves at least the bytes of a flush.
     */
    public long neededBytes(SegmentLog.SpacePriority priority) {
        KeyValueIndex.Room room = index.room();
        return switch (priority) {
            case CLIENT -> 2 * room.flushBytes() + room.mergeBytes();
            case DELETE -> 2 * room.flushBytes();
            case LAST, CLEANER -> room.flushBytes();
        };
    }

    public boolean hasRoomToFlush() throws IOException {
        return index.hasRoomToFlush();
    }

    @Override
    public void close() {
        index.close();
    }
}
