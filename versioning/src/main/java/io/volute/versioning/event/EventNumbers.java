package io.volute.versioning.event;

import io.volute.storage.RecordStore;
import io.volute.versioning.state.ScopedHold;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Assigns numbers to rows, and keeps the watermark up to which all of them are visible. A commit
 * may be overtaken by another with a greater number. Thread-safe.
 */
public final class EventNumbers {
    private final RecordStore cube;

    /** Running commits, each with a number that was assigned before its own. */
    private final Map<Commit, Long> underWay = new ConcurrentHashMap<>();

    private volatile long given;

    public EventNumbers(RecordStore cube) {
        this.cube = cube;
    }

    private final class Commit implements ScopedHold {
        @Override
        public void close() {
            underWay.remove(this);
        }
    }

    /**
     * Registers a commit. Hold it from before its number is assigned until the commit has ended.
     */
    public ScopedHold hold() {
        Commit commit = new Commit();
        underWay.put(commit, given);
        return commit;
    }

    public long next() {
        long number = cube.allocateId();
        given = number;
        return number;
    }

    /** Returns the watermark: no row will be added with a number up to this one. */
    public long settled() {
        // Before the commits are read: those that begin later have greater numbers.
        long end = cube.allocateId();
        for (long before : underWay.values()) {
            end = Math.min(end, before);
        }
        return end;
    }
}
