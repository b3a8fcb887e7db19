package io.volute.versioning.event;

import static io.volute.versioning.rows.Families.EVENTS;

import io.volute.storage.CommitTime;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.History.Direction;
import io.volute.versioning.event.EventScan.Rows;
import io.volute.versioning.event.Federation.Member;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;

/**
 * Walks over the events of all open cubes of a store, and of those of other nodes for one request,
 * in the order of their commits, which is causes before effects, or the reverse. Thread-safe.
 */
public final class MergedEvents {
    private static final byte[] OPEN_END = {};

    private final Membership own;
    private final RecordStore cube;
    private final EventLog events;

    /** Creates the view of one cube, whose events come alone while no other has any. */
    public MergedEvents(Membership own, RecordStore cube, EventLog events) {
        this.own = own;
        this.cube = cube;
        this.events = events;
    }

    /** Rows with the number of their cube. */
    public record CubeRows(int cube, Rows rows) {
        public boolean isSame(CubeRows other) {
            return cube == other.cube && rows.number() == other.rows.number();
        }
    }

    private static final Comparator<CubeRows> ORDER =
            Comparator.<CubeRows>comparingLong(row -> row.rows().sequence())
                    .thenComparingLong(row -> row.rows().number())
                    .thenComparingInt(CubeRows::cube);

    /** Receives rows until it returns false. */
    @FunctionalInterface
    public interface Visitor {
        boolean goesOn(CubeRows rows) throws IOException;
    }

    /** Returns the events for one request that reads the cubes of all nodes. */
    public MergedEvents everywhere() {
        return new MergedEvents(own.everywhere(), cube, events);
    }

    /** Returns the same as {@link #everywhere}, flushed. */
    public MergedEvents flushedEverywhere() throws IOException {
        MergedEvents all = everywhere();
        all.flush();
        return all;
    }

    /** Returns the place of the cube among those whose events these are. */
    public Membership membership() {
        return own;
    }

    /** Writes the events before this call to the logs of all open cubes. */
    public void flush() throws IOException {
        events.flush();
        for (Member other : own.others()) {
            other.pending().flush();
        }
    }

    /** Returns whether no other cube has events. */
    public boolean isAlone() {
        return own.others().stream().noneMatch(other -> hasEvents(other.cube()));
    }

    private static boolean hasEvents(RecordStore cube) {
        try (RecordCursor cursor = cube.scan(EVENTS, OPEN_END, OPEN_END)) {
            return cursor.next();
        }
    }

    /** Visits the rows that can have events at or after an instant, causes first. */
    public void since(Instant at, Visitor visitor) throws IOException {
        EventScan mine = new EventScan(cube);
        if (own.others().isEmpty()) {
            mine.forward(mine.since(at), rows -> visitor.goesOn(mine(rows)));
        } else {
            walk(Direction.FORWARD, scan -> scan.since(at)).visit(visitor);
        }
    }

    /** Visits a row that was visited before and those behind it, causes first. */
    public void from(CubeRows begin, Visitor visitor) throws IOException {
        if (own.others().isEmpty()) {
            new EventScan(cube).forward(begin.rows().number(), rows -> visitor.goesOn(mine(rows)));
        } else {
            since(
                    CommitTime.of(begin.rows().sequence()),
                    row -> ORDER.compare(row, begin) < 0 || visitor.goesOn(row));
        }
    }

    /** Visits all rows, causes first. */
    public void forward(Visitor visitor) throws IOException {
        since(Instant.EPOCH, visitor);
    }

    /** Visits all rows, effects first, also within a row. */
    public void backward(Visitor visitor) throws IOException {
        if (own.others().isEmpty()) {
            new EventScan(cube).backward(0, Long.MAX_VALUE, rows -> visitor.goesOn(mine(rows)));
        } else {
            walk(Direction.BACK).visit(visitor);
        }
    }

    private CubeRows mine(Rows rows) {
        return new CubeRows(own.number(), rows);
    }

    /** Begins a walk over all rows. */
    public Walk walk(Direction direction) throws IOException {
        return walk(direction, scan -> direction == Direction.FORWARD ? 0 : Long.MAX_VALUE);
    }

    private Walk walk(Direction direction, ToLongFunction<EventScan> from) throws IOException {
        List<Stream> streams = new ArrayList<>();
        EventScan mine = new EventScan(cube);
        streams.add(new Stream(own.number(), mine, direction, from.applyAsLong(mine)));
        for (Member other : own.others()) {
            EventScan scan = new EventScan(other.cube());
            streams.add(new Stream(other.number(), scan, direction, from.applyAsLong(scan)));
        }
        return new Walk(streams, direction);
    }

    private static Comparator<CubeRows> order(Direction direction) {
        return direction == Direction.FORWARD ? ORDER : ORDER.reversed();
    }

    /** A walk that is pulled row by row. Not thread-safe. */
    public static final class Walk {
        private final List<Stream> streams;
        private final Comparator<CubeRows> order;

        private Walk(List<Stream> streams, Direction direction) {
            this.streams = streams;
            this.order = order(direction);
        }

        /** Returns the next row; empty at the end. */
        public Optional<CubeRows> next() throws IOException {
            Optional<Stream> first = Optional.empty();
            for (Stream each : streams) {
                Optional<CubeRows> head = each.head();
                if (head.isPresent()
                        && (first.isEmpty()
                                || order.compare(head.get(), first.get().head().orElseThrow())
                                        < 0)) {
                    first = Optional.of(each);
                }
            }
            return first.isPresent() ? Optional.of(first.get().take()) : Optional.empty();
        }

        private void visit(Visitor visitor) throws IOException {
            boolean goesOn = true;
            while (goesOn) {
                Optional<CubeRows> row = next();
                goesOn = row.isPresent() && visitor.goesOn(row.get());
            }
        }
    }

    /**
     * The rows of one cube by sequence. They are stored by number, and commits overtake each other,
     * so a window of rows is sorted.
     */
    private static final class Stream {
        private static final int PAGE_ROWS = 256;

        /** More than the commits that can be under way in a cube at one time. */
        private static final int WINDOW_ROWS = 4096;

        private final int cube;
        private final EventScan scan;
        private final Direction direction;
        private final PriorityQueue<CubeRows> window;
        private long place;
        private boolean isAtEnd;

        Stream(int cube, EventScan scan, Direction direction, long from) {
            this.cube = cube;
            this.scan = scan;
            this.direction = direction;
            this.place = from;
            this.window = new PriorityQueue<>(order(direction));
        }

        Optional<CubeRows> head() throws IOException {
            while (!isAtEnd && window.size() < WINDOW_ROWS) {
                List<Rows> page = scan.page(direction, place, PAGE_ROWS);
                page.forEach(rows -> window.add(new CubeRows(cube, rows)));
                isAtEnd = page.size() < PAGE_ROWS;
                if (!page.isEmpty()) {
                    long last = page.getLast().number();
                    place = direction == Direction.FORWARD ? last + 1 : last;
                }
            }
            return Optional.ofNullable(window.peek());
        }

        CubeRows take() {
            return window.remove();
        }
    }
}
