package io.volute.versioning.event;

import io.volute.storage.RecordStore;
import io.volute.versioning.state.Hold;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives rows of events their numbers, and knows up to which all that there will be are there: a
 * commit may be overtaken by another whose number is greater. Thread-safe.
 */
public final class EventNumbers {
    private final RecordStore cube;

    /** Commits under way, and a number that was given before theirs. */
    private final Map<Commit, Long> underWay = new ConcurrentHashMap<>();

    private volatile long given;

    public EventNumbers(RecordStore cube) {
        this.cube = cube;
    }

    private final class Commit implements Hold {
        @Override
        public void close() {
            underWay.remove(this);
        }
    }

    /** To be held from before a number is given until its commit has ended. */
    public Hold hold() {
        Commit commit = new Commit();
        underWay.put(commit, given);
        return commit;
    }

    public long next() {
        long number = cube.allocateId();
        given = number;
        return number;
    }

    /** No row will be added with a number up to this one. */
    long settled() {
        // Before the look at the commits: those that begin behind it have greater numbers.
        long end = cube.allocateId();
        for (long before : underWay.values()) {
            end = Math.min(end, before);
        }
        return end;
    }
}
