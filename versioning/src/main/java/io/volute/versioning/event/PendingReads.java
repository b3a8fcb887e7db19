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
     * Maximum number of events in a row, which fits into a commit. An actor with more is flushed
     * without a write.
     */
    static final int ROW_EVENTS_MAX = 512;

    /** Heap bytes of an event besides its key, and of an actor besides its introduction. */
    private static final int OBJECT_BYTES = 256;

    /** An actor may use at most 1/4 of the budget. */
    private static final int ACTOR_SHARE = 4;

    private final long actor;
    private final ActorRow introduction;
    private final int introductionBytes;
    private final ReadBudget budget;
    private final long rowBytesMax;

    /** Held while more than a row is flushed, so that others wait for the same flush. */
    private final ReentrantLock draining = new ReentrantLock();

    private boolean isIntroduced;
    private List<Event> events = new ArrayList<>(0);

    /** Bytes that the events take in rows. */
    private long rowBytes;

    /** Bytes that the events and their actor take on the heap. */
    private long heapBytes;

    private boolean isFlushing;
    private boolean isClosed;

    /** Place in the order of the budget; 0 without events. */
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
     * @param introduction identity of the actor, if it is not in the log yet
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
     * @return whether the events fill a row; the caller must then flush them and call {@link
     *     #flushed}
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

    /** Returns the heap bytes of an event. A char of a non-Latin key takes two bytes. */
    private static long heapBytes(Event event) {
        return OBJECT_BYTES + 2L * EventRow.bytesMax(event);
    }

    synchronized void flushed() {
        isFlushing = false;
    }

    synchronized int size() {
        return events.size();
    }

    /** Returns the number of rows that the events fill. */
    synchronized int rows() {
        int rows = 0;
        for (int from = 0; from < events.size(); rows++) {
            from = rowEnd(from);
        }
        return rows;
    }

    /** Returns the index behind the events that share a row with the one at {@code from}. */
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
     * Returns the events of the first row. They stay pending until {@link #logged}.
     *
     * @param max maximum number of events
     */
    synchronized Taken take(int max) {
        int count = events.isEmpty() ? 0 : Math.min(max, rowEnd(0));
        return new Taken(
                actor,
                isIntroduced ? Optional.empty() : Optional.of(introduction),
                List.copyOf(events.subList(0, count)));
    }

    /** Removes events that are in the log now. */
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

    /** Refuses further events if none is pending; returns whether it does. */
    synchronized boolean close() {
        isClosed |= events.isEmpty();
        return isClosed;
    }
}
