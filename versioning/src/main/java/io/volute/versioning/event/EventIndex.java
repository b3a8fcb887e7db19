package io.volute.versioning.event;

import static io.volute.versioning.rows.Families.EVENT_INDEX;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.History.Direction;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.EncodedRow;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventIndexRow;
import io.volute.versioning.rows.NodeHash;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;

/**
 * An index from a node of the graph to the blocks of event rows with edges from it, so that a walk
 * does not scan all events. It is built from written events, in runs of tens of thousands of rows,
 * so that no write pays for it. A walk scans the rows that have no run yet. The row with the blocks
 * of a run is written last and makes the run valid. Thread-safe.
 */
public final class EventIndex {
    /** Slices per commit. */
    private static final int COMMIT_SLICES = 32;

    private final RecordStore cube;
    private final EventNumbers numbers;
    private final Sizes sizes;

    /** Held while events are read for the index. */
    private final ReentrantLock indexing = new ReentrantLock();

    private Optional<Builder> building = Optional.empty();

    /**
     * The sizes of a run. A run ends with a block.
     *
     * @param blockRows event rows of a block
     * @param blocks maximum number of blocks
     * @param postings number of postings from which a run is full
     */
    public record Sizes(int blockRows, int blocks, int postings) {
        public static final Sizes USUAL = new Sizes(128, EventIndexRow.BLOCKS_MAX, 1 << 18);
    }

    public EventIndex(RecordStore cube, EventNumbers numbers, Sizes sizes) {
        this.cube = cube;
        this.numbers = numbers;
        this.sizes = sizes;
    }

    /**
     * A complete run.
     *
     * @param blocks number of the first event row of each block
     * @param last number of the last row
     */
    public record Run(List<Long> blocks, long last) {
        public long from(int block) {
            return blocks.get(block);
        }

        /** Returns the number behind the last row of a block. */
        public long to(int block) {
            return block + 1 < blocks.size() ? blocks.get(block + 1) : last + 1;
        }
    }

    /** The content of the next run while it grows. */
    private final class Builder {
        private final List<Long> blocks = new ArrayList<>();
        private final Set<Long> nodes = new HashSet<>();
        private long[] postings = new long[sizes.postings()];
        private int count;
        private int rows;
        private long next;

        Builder(long from) {
            next = from;
        }

        void add(EventScan.Rows row) {
            if (rows == 0) {
                blocks.add(row.number());
            }
            for (Event event : row.events()) {
                for (Direction direction : Direction.values()) {
                    NodeHash.from(direction, event).ifPresent(nodes::add);
                }
            }
            rows++;
            next = row.number() + 1;
            if (rows == sizes.blockRows()) {
                endBlock();
            }
        }

        private void endBlock() {
            if (postings.length < count + nodes.size()) {
                postings = Arrays.copyOf(postings, count + nodes.size());
            }
            for (long node : nodes) {
                postings[count++] = EventIndexRow.posting(node, blocks.size() - 1);
            }
            nodes.clear();
            rows = 0;
        }

        boolean isFull() {
            return rows == 0 && (blocks.size() == sizes.blocks() || count >= sizes.postings());
        }

        void write() throws IOException {
            long[] all = Arrays.copyOf(postings, count);
            Arrays.sort(all);
            Transaction transaction = new Transaction();
            int slices = 0;
            int begin = 0;
            while (begin < all.length) {
                int slice = EventIndexRow.sliceOfPosting(all[begin]);
                int end = begin;
                while (end < all.length && EventIndexRow.sliceOfPosting(all[end]) == slice) {
                    end++;
                }
                put(
                        transaction,
                        RowKeys.eventPostings(next - 1, slice),
                        EventIndexRow.encodePostings(Arrays.copyOfRange(all, begin, end)));
                slices++;
                if (slices % COMMIT_SLICES == 0) {
                    Commits.join(cube, transaction);
                    transaction = new Transaction();
                }
                begin = end;
            }
            Commits.join(cube, transaction);
            Transaction whole = new Transaction();
            put(whole, RowKeys.eventRun(next - 1), EventIndexRow.encodeBlocks(blocks));
            Commits.join(cube, whole);
        }

        private static void put(Transaction transaction, byte[] key, EncodedRow row) {
            transaction.put(EVENT_INDEX, key, row.summary(), row.detail(), List.of());
        }
    }

    /** Writes all runs that are full by now. Reads each event once for it. */
    public void extend() throws IOException {
        indexing.lock();
        try {
            long end = numbers.settled();
            Builder[] builder = {building.orElseGet(() -> new Builder(indexed() + 1))};
            building = Optional.empty();
            new EventScan(cube)
                    .forward(
                            builder[0].next,
                            rows -> {
                                if (rows.number() > end) {
                                    return false;
                                }
                                builder[0].add(rows);
                                if (builder[0].isFull()) {
                                    builder[0].write();
                                    builder[0] = new Builder(builder[0].next);
                                }
                                return true;
                            });
            // After a failure the next call starts behind the last written run.
            building = Optional.of(builder[0]);
        } finally {
            indexing.unlock();
        }
    }

    /** Returns the number of the last row in a run, or -1. */
    private long indexed() {
        return lasts().reduce(-1, (before, last) -> last);
    }

    /** Returns the numbers of the last rows of all runs, ascending. */
    private LongStream lasts() {
        LongStream.Builder all = LongStream.builder();
        try (RecordCursor cursor =
                cube.scan(EVENT_INDEX, RowKeys.eventRun(0), RowKeys.eventRun(Long.MAX_VALUE))) {
            while (cursor.next()) {
                all.add(~RowKeys.suffix(cursor.key()));
            }
        }
        return all.build();
    }

    /**
     * Returns the last row number of each run, ascending. A walk loads a run when it reaches it.
     */
    public List<Long> runs() {
        return lasts().boxed().toList();
    }

    /** Returns the run with this last row; empty when retention has removed it meanwhile. */
    public Optional<Run> run(long last) throws IOException {
        return detail(RowKeys.eventRun(last))
                .map(bytes -> new Run(EventIndexRow.decodeBlocks(bytes), last));
    }

    /** Returns the blocks of a run with edges from a node. The result may contain other blocks. */
    public BitSet blocks(Run run, long node) throws IOException {
        return detail(RowKeys.eventPostings(run.last(), EventIndexRow.slice(node)))
                .map(bytes -> EventIndexRow.decodePostings(bytes, node))
                .orElseGet(BitSet::new);
    }

    private Optional<byte[]> detail(byte[] key) throws IOException {
        Optional<StoredRecord> record = cube.get(EVENT_INDEX, key);
        return record.isPresent()
                ? Optional.of(RecordDetails.read(cube, EVENT_INDEX, key, record.get()))
                : Optional.empty();
    }

    /** Returns the index rows that cover only events up to a number, which have been removed. */
    public List<byte[]> rowsUpTo(long number) {
        List<byte[]> keys = new ArrayList<>();
        addKeys(keys, RowKeys.eventRun(0), RowKeys.eventRun(number + 1));
        addKeys(keys, RowKeys.eventPostings(0, 0), RowKeys.eventPostings(number + 1, 0));
        return keys;
    }

    private void addKeys(List<byte[]> keys, byte[] from, byte[] to) {
        try (RecordCursor cursor = cube.scan(EVENT_INDEX, from, to)) {
            while (cursor.next()) {
                keys.add(cursor.key());
            }
        }
    }
}
