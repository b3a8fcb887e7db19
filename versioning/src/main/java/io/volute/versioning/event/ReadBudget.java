package io.volute.versioning.event;

import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The heap budget for pending events of all actors, and the order in which the actors came.
 * Thread-safe.
 */
final class ReadBudget {
    private final long bytesMax;
    private final AtomicLong held = new AtomicLong();
    private final LongAdder dropped = new LongAdder();
    private final AtomicLong places = new AtomicLong();
    private final ConcurrentNavigableMap<Long, PendingReads> waiting =
            new ConcurrentSkipListMap<>();

    ReadBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    long bytesMax() {
        return bytesMax;
    }

    /** Returns the bytes of all events that are not in the log yet. */
    long held() {
        return held.get();
    }

    /** Returns the events that were dropped since start. */
    long dropped() {
        return dropped.sum();
    }

    /** Counts a dropped event. */
    void drop() {
        dropped.increment();
    }

    /**
     * Returns whether more than half of the budget is used, so that the oldest events must be
     * flushed.
     */
    boolean isHigh() {
        return held.get() > bytesMax / 2;
    }

    /**
     * Reserves bytes.
     *
     * @param isAnonymous whether the actor has no access key; 1/4 of the budget is kept for others
     * @return false when there is no room
     */
    boolean admit(long bytes, boolean isAnonymous) {
        long most = isAnonymous ? bytesMax / 4 * 3 : bytesMax;
        if (held.addAndGet(bytes) <= most) {
            return true;
        }
        held.addAndGet(-bytes);
        return false;
    }

    void release(long bytes) {
        held.addAndGet(-bytes);
    }

    /** Adds an actor that has its first event, and returns its place. */
    long enter(PendingReads reads) {
        long place = places.incrementAndGet();
        waiting.put(place, reads);
        return place;
    }

    /** Removes an actor without events. */
    void leave(long place) {
        waiting.remove(place);
    }

    /** Returns the actors with events, those that have waited longest first. */
    List<PendingReads> oldest(int max) {
        return waiting.values().stream().limit(max).toList();
    }
}
