package io.volute.versioning.history;

import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.event.MergedEvents.CubeRows;
import io.volute.versioning.history.Taint.Reached;
import io.volute.versioning.rows.Event;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * A walk through the graph of several cubes. It scans all their events, because an edge can lead
 * into any cube and the index of events is that of one. Not thread-safe.
 */
final class MergedWalk implements Walk {
    private final MergedEvents.Walk rows;
    private final Taint taint;

    /** Reached steps that were not returned yet. */
    private final Deque<Reached> reached = new ArrayDeque<>();

    private boolean isAtEnd;

    MergedWalk(MergedEvents events, Taint taint) throws IOException {
        this.rows = events.walk(taint.direction());
        this.taint = taint;
    }

    @Override
    public void reach(int count) throws IOException {
        while (!isAtEnd && reached.size() < count) {
            Optional<CubeRows> row = rows.next();
            isAtEnd = row.isEmpty();
            if (row.isPresent()) {
                for (Event event : row.get().rows().events()) {
                    taint.see(event).ifPresent(reached::add);
                }
            }
        }
    }

    @Override
    public Optional<Reached> next() {
        return Optional.ofNullable(reached.poll());
    }

    @Override
    public boolean hasNext() {
        return !reached.isEmpty();
    }
}
