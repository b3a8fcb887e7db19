package io.volute.versioning.event;

import static io.volute.versioning.rows.Families.EVENTS;

import io.volute.storage.CommitTime;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.History.Direction;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Walks over the events row by row, causes before effects or effects before causes. To include
 * pending events, flush the {@link EventLog} first.
 */
public final class EventScan {
    private static final long FIRST_WINDOW = 1 << 10;
    private static final int WINDOW_ROWS_MAX = 1 << 10;
    private static final byte[] OPEN_END = {};

    /** Tolerated sum of a clock step backwards and the duration of a commit. */
    private static final Duration CLOCK_SLACK = Duration.ofMinutes(10);

    private final RecordStore cube;

    public EventScan(RecordStore cube) {
        this.cube = cube;
    }

    /**
     * The events of one commit, or of reads that were flushed together.
     *
     * @param number of the row, which ascends
     * @param sequence of the row: commits before it have lower ones, states of its writes higher
     *     ones
     */
    public record Rows(long number, long sequence, List<Event> events) {
        private Rows reversed() {
            return new Rows(number, sequence, events.reversed());
        }
    }

    /** Receives rows until it returns false. */
    public interface Visitor {
        boolean goesOn(Rows rows) throws IOException;
    }

    /**
     * Returns a number below which no row has an event at or after an instant. A row gets its
     * number after its events and before its commit. So no row behind an earlier commit has older
     * events.
     */
    public long since(Instant at) {
        return search(CommitTime.lastAt(at.minus(CLOCK_SLACK)), cube.allocateId()).behind();
    }

    /**
     * Returns the sequence of a row that has at most this one, and none much later does; 0 if there
     * is none.
     */
    public long lastUpTo(long sequence) {
        return search(sequence, Long.MAX_VALUE).sequence();
    }

    /**
     * The last row with at most a sequence. Rows that are committed together may be in either
     * order.
     *
     * @param behind the number behind that of the row; 0 if there is none
     * @param sequence of the row; 0 if there is none
     */
    private record Found(long behind, long sequence) {}

    private Found search(long upTo, long numbers) {
        Found last = new Found(0, 0);
        long end = numbers;
        while (last.behind < end) {
            long middle = last.behind + (end - last.behind) / 2;
            List<Row> found = keys(middle, end, 1);
            if (found.isEmpty() || found.getFirst().record().sequence() > upTo) {
                end = middle;
            } else {
                Row row = found.getFirst();
                last = new Found(~RowKeys.suffix(row.key()) + 1, row.record().sequence());
            }
        }
        return last;
    }

    /** Visits the rows from a number on, causes first. */
    public void forward(long from, Visitor visitor) throws IOException {
        try (RecordCursor cursor = cube.scan(EVENTS, RowKeys.number(from), OPEN_END)) {
            boolean goesOn = true;
            while (goesOn && cursor.next()) {
                goesOn = visitor.goesOn(read(cursor.key(), cursor.record()));
            }
        }
    }

    /**
     * Visits the rows between two numbers, the second excluded, in either order. They must be few.
     */
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
     * Visits the rows below a number down to another, effects first, also within a row.
     *
     * @param below may be greater than the number of any row
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
            // Ids have other uses, too: where rows are sparse, the window grows.
            window = rows.size() < WINDOW_ROWS_MAX / 4 ? window * 2 : window;
        }
    }

    /**
     * Returns the next rows in a direction.
     *
     * @param from number of the first row; on the way back the number behind it
     */
    List<Rows> page(Direction direction, long from, int max) throws IOException {
        List<Rows> found = new ArrayList<>();
        Visitor visitor =
                rows -> {
                    found.add(rows);
                    return found.size() < max;
                };
        switch (direction) {
            case FORWARD -> forward(from, visitor);
            case BACK -> backward(0, from, visitor);
        }
        return found;
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
                        : RecordDetails.read(cube, EVENTS, key, record);
        return new Rows(~RowKeys.suffix(key), record.sequence(), EventRow.decode(bytes));
    }
}
