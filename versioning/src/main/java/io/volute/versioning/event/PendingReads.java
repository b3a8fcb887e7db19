package io.volute.versioning.event;

import io.volute.versioning.rows.ActorRow;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** The events of one actor that are not in the log yet. Thread-safe. */
public final class PendingReads {
    /**
     * Events of a row at most: of so many a commit has room. When an actor has more, they are
     * written down although it writes nothing.
     */
    static final int ROW_EVENTS_MAX = 512;

    /** Heap of an event besides its key, and of an actor besides its introduction. */
    private static final int OBJECT_BYTES = 256;

    /** One actor holds at most this share of the budget. */
    private static final int ACTOR_SHARE = 4;

    private final long actor;
    private final ActorRow introduction;
    private final int introductionBytes;
    private final ReadBudget budget;
    private final long rowBytesMax;

    /** Held while more than a row is written down: others need the same, and wait. */
    private final ReentrantLock draining = new ReentrantLock();

    private boolean isIntroduced;
    private List<Event> events = new ArrayList<>(0);

    /** Of the events in rows. */
    private long rowBytes;

    /** Of the events and their actor on the heap. */
    private long heapBytes;

    private boolean isFlushing;
    private boolean isClosed;

    /** Its place in the order of the budget; 0 without events. */
    private long place;

    /**
     * @param rowBytesMax bytes of a row of events
     */
    PendingReads(long actor, ActorRow introduction, ReadBudget budget, long rowBytesMax) {
        this.actor = actor;
        this.introduction = introduction;
        this.introductionBytes = introduction.encode().length;
        this.budget = budget;
        this.rowBytesMax = rowBytesMax;
    }

    /**
     * The first events of an actor.
     *
     * @param introduction says who the actor is, where that is not in the log yet
     * @param events oldest first
     */
    public record Taken(long actor, Optional<ActorRow> introduction, List<Event> events) {

        /** Returns an upper bound of the bytes that they take in a commit. */
        long bytesMax() {
            long bytes = introduction.map(row -> row.encode().length).orElse(0);
            for (Event event : events) {
                bytes += EventRow.bytesMax(event);
            }
            return bytes;
        }
    }

    long actor() {
        return actor;
    }

    ReentrantLock draining() {
        return draining;
    }

    /**
     * Adds an event, or counts it as dropped when there is no room for it.
     *
     * @return whether the events fill a row, and the caller has to write them down and then to call
     *     {@link #flushed}
     */
    synchronized boolean add(Event event) {
        long more = heapBytes(event);
        if (events.isEmpty()) {
            more += OBJECT_BYTES + introductionBytes;
        }
        boolean isGreedy = heapBytes + more > budget.bytesMax() / ACTOR_SHARE;
        if (isClosed || isGreedy || !budget.admit(more, introduction.accessKey().isEmpty())) {
            budget.drop();
            return false;
        }
        if (events.isEmpty()) {
            place = budget.enter(this);
        }
        events.add(event);
        heapBytes += more;
        rowBytes += EventRow.bytesMax(event);
        boolean fillsRow = events.size() >= ROW_EVENTS_MAX || rowBytes >= rowBytesMax;
        boolean isToFlush = fillsRow && !isFlushing;
        isFlushing |= isToFlush;
        return isToFlush;
    }

    /** A char of the key has two bytes where it is not Latin. */
    private static long heapBytes(Event event) {
        return OBJECT_BYTES + 2L * EventRow.bytesMax(event);
    }

    synchronized void flushed() {
        isFlushing = false;
    }

    synchronized int size() {
        return events.size();
    }

    /** Rows that all its events fill. */
    synchronized int rows() {
        int rows = 0;
        for (int from = 0; from < events.size(); rows++) {
            from = rowEnd(from);
        }
        return rows;
    }

    /** Index behind the events that go into a row with the one at {@code from}. */
    private int rowEnd(int from) {
        int end = Math.min(events.size(), from + ROW_EVENTS_MAX);
        if (rowBytes <= rowBytesMax) {
            return end;
        }
        long left = rowBytesMax;
        for (int i = from; i < end; i++) {
            left -= EventRow.bytesMax(events.get(i));
            if (left < 0 && i > from) {
                return i;
            }
        }
        return end;
    }

    /**
     * Returns the events of the first row; they stay here until they are {@link #logged}.
     *
     * @param max events
     */
    synchronized Taken take(int max) {
        int count = events.isEmpty() ? 0 : Math.min(max, rowEnd(0));
        return new Taken(
                actor,
                isIntroduced ? Optional.empty() : Optional.of(introduction),
                List.copyOf(events.subList(0, count)));
    }

    /** What was taken is in the log. */
    synchronized void logged(Taken taken) {
        isIntroduced |= taken.introduction().isPresent();
        int count = 0;
        long bytes = 0;
        while (count < Math.min(taken.events().size(), events.size())
                && taken.events().get(count) == events.get(count)) {
            rowBytes -= EventRow.bytesMax(events.get(count));
            bytes += heapBytes(events.get(count));
            count++;
        }
        if (count == 0) {
            return;
        }
        events = new ArrayList<>(events.subList(count, events.size()));
        if (events.isEmpty()) {
            bytes = heapBytes;
            budget.leave(place);
            place = 0;
        }
        heapBytes -= bytes;
        budget.release(bytes);
    }

    /** Takes no more events, if it has none; returns whether that is so. */
    synchronized boolean close() {
        isClosed |= events.isEmpty();
        return isClosed;
    }
}
