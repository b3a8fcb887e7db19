package io.volute.versioning.event;

import static io.volute.versioning.rows.Families.EVENT_INDEX;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.History.Direction;
import io.volute.versioning.body.Details;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventIndexRow;
import io.volute.versioning.rows.NodeHash;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.rows.codec.EncodedRow;
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
 * Tells of a node of the graph in which rows of events edges go on from it, so that a walk need not
 * look at all of them. Made of the events when they are there, in runs of tens of thousands of
 * rows, so that no write pays for it; what is not in a run yet is walked through. A run is there
 * when the row with its blocks is, which is written last. Thread-safe.
 */
public final class EventIndex {
    /** Slices of one commit. */
    private static final int COMMIT_SLICES = 32;

    private final RecordStore cube;
    private final EventNumbers numbers;
    private final Sizes sizes;

    /** Whoever reads events to index them. */
    private final ReentrantLock indexing = new ReentrantLock();

    private Optional<Builder> building = Optional.empty();

    /**
     * How much a run holds; it ends with a block.
     *
     * @param postings from which on it is full
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
     * @param blocks number of the first row of each
     * @param last number of the last row
     */
    public record Run(List<Long> blocks, long last) {
        public long from(int block) {
            return blocks.get(block);
        }

        /** The number behind a block. */
        public long to(int block) {
            return block + 1 < blocks.size() ? blocks.get(block + 1) : last + 1;
        }
    }

    /** What is being gathered for the next run. */
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

    /** Indexes what makes full runs by now. Each event is read for it once. */
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
            // After a failure it begins again with what is written.
            building = Optional.of(builder[0]);
        } finally {
            indexing.unlock();
        }
    }

    /** The number of the last row in a run, or -1. */
    private long indexed() {
        return lasts().reduce(-1, (before, last) -> last);
    }

    /** The numbers of the last rows of all runs, ascending. */
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

    /** Of the runs only where they end: with the rest of each a walk begins when it is there. */
    public List<Long> runs() {
        return lasts().boxed().toList();
    }

    /** Empty when the retention has removed it in between. */
    public Optional<Run> run(long last) throws IOException {
        return detail(RowKeys.eventRun(last))
                .map(bytes -> new Run(EventIndexRow.decodeBlocks(bytes), last));
    }

    /** The blocks of a run in which edges go on from a node, and maybe others. */
    public BitSet blocks(Run run, long node) throws IOException {
        return detail(RowKeys.eventPostings(run.last(), EventIndexRow.slice(node)))
                .map(bytes -> EventIndexRow.decodePostings(bytes, node))
                .orElseGet(BitSet::new);
    }

    private Optional<byte[]> detail(byte[] key) throws IOException {
        Optional<StoredRecord> record = cube.get(EVENT_INDEX, key);
        return record.isPresent()
                ? Optional.of(Details.read(cube, EVENT_INDEX, key, record.get()))
                : Optional.empty();
    }

    /** What tells of rows up to a number, none of which is there any more. */
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
