package io.volute.versioning.event;

import static io.volute.versioning.rows.Families.EVENTS;

import io.volute.storage.CommitTime;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.History.Direction;
import io.volute.versioning.body.Details;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Walks the events, causes before effects or the other way round, one row at a time. Whoever wants
 * what happened just now flushes the {@link EventLog} first.
 */
public final class EventScan {
    private static final long FIRST_WINDOW = 1 << 10;
    private static final int WINDOW_ROWS_MAX = 1 << 10;
    private static final byte[] OPEN_END = {};

    /** By so much a clock may be set back, or a commit may take, unnoticed. */
    private static final Duration CLOCK_SLACK = Duration.ofMinutes(10);

    private final RecordStore cube;

    public EventScan(RecordStore cube) {
        this.cube = cube;
    }

    /**
     * The events of one commit, or of reads that were written down together.
     *
     * @param number of the row, which ascends
     * @param sequence of the row: whatever was committed before it has a lower one, the states that
     *     its writes made have higher ones
     */
    public record Rows(long number, long sequence, List<Event> events) {
        private Rows reversed() {
            return new Rows(number, sequence, events.reversed());
        }
    }

    /** Is told of rows until it has had enough. */
    public interface Visitor {
        boolean goesOn(Rows rows) throws IOException;
    }

    /**
     * A number below which no row has an event of an instant or behind it. Rows are numbered after
     * their events and before their commit: behind one that was committed earlier no older ones
     * need be looked for.
     */
    public long since(Instant at) {
        long earlier = CommitTime.lastAt(at.minus(CLOCK_SLACK));
        long begin = 0;
        long end = cube.allocateId();
        while (begin < end) {
            long middle = begin + (end - begin) / 2;
            List<Row> found = keys(middle, end, 1);
            if (found.isEmpty() || found.getFirst().record().sequence() > earlier) {
                end = middle;
            } else {
                begin = ~RowKeys.suffix(found.getFirst().key()) + 1;
            }
        }
        return begin;
    }

    /** From a row number on, causes first. */
    public void forward(long from, Visitor visitor) throws IOException {
        try (RecordCursor cursor = cube.scan(EVENTS, RowKeys.number(from), OPEN_END)) {
            boolean goesOn = true;
            while (goesOn && cursor.next()) {
                goesOn = visitor.goesOn(read(cursor.key(), cursor.record()));
            }
        }
    }

    /** The few rows between two numbers, the second excluded, in either order. */
    public void block(long begin, long end, Direction direction, Visitor visitor)
            throws IOException {
        List<Row> rows = keys(begin, end, Integer.MAX_VALUE);
        boolean isForward = direction == Direction.FORWARD;
        for (Row row : isForward ? rows : rows.reversed()) {
            Rows read = read(row.key(), row.record());
            if (!visitor.goesOn(isForward ? read : read.reversed())) {
                return;
            }
        }
    }

    /**
     * From below a number down to another, effects first; the events of a row as well.
     *
     * @param below may be greater than that of any row
     */
    public void backward(long from, long below, Visitor visitor) throws IOException {
        long end = Math.min(below, cube.allocateId());
        long window = FIRST_WINDOW;
        boolean goesOn = true;
        while (goesOn && end > from) {
            long begin = Math.max(from, end - window);
            List<Row> rows = keys(begin, end, WINDOW_ROWS_MAX + 1);
            if (rows.size() > WINDOW_ROWS_MAX && window > 1) {
                window = window / 2;
                continue;
            }
            for (Row row : rows.reversed()) {
                Rows read = read(row.key(), row.record());
                if (!visitor.goesOn(read.reversed())) {
                    goesOn = false;
                    break;
                }
            }
            end = begin;
            // Numbers are given to much else: where there are few rows, look further.
            window = rows.size() < WINDOW_ROWS_MAX / 4 ? window * 2 : window;
        }
    }

    private record Row(byte[] key, StoredRecord record) {}

    private List<Row> keys(long begin, long end, int max) {
        List<Row> rows = new ArrayList<>();
        try (RecordCursor cursor = cube.scan(EVENTS, RowKeys.number(begin), RowKeys.number(end))) {
            while (rows.size() < max && cursor.next()) {
                rows.add(new Row(cursor.key(), cursor.record()));
            }
        }
        return rows;
    }

    private Rows read(byte[] key, StoredRecord record) throws IOException {
        byte[] bytes =
                record.detailBytes() == 0
                        ? record.summary()
                        : Details.read(cube, EVENTS, key, record);
        return new Rows(~RowKeys.suffix(key), record.sequence(), EventRow.decode(bytes));
    }
}
