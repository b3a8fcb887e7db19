package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.ACTORS;
import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.event.EventScan;
import io.volute.versioning.rows.ActorRow;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.write.Causality;
import io.volute.versioning.write.WriteBatch;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Removes actors that nothing names any more: no event, no state that is there or kept, no session.
 * Every run of a client is an actor, so that without it they would only grow. Looks through all
 * rows that can name one, hence rarely, and for many actors at once. Thread-safe.
 */
final class ActorTrim {
    /** Bounds the memory; the rest waits for the next time. */
    static final int CANDIDATES_MAX = 1 << 16;

    private static final Duration INTERVAL = Duration.ofDays(1);
    private static final byte[] OPEN_END = {};

    private final RecordStore cube;
    private final Causality causality;
    private Instant due = Instant.MIN;

    /** Behind the last one that was looked at. */
    private long next;

    ActorTrim(RecordStore cube, Causality causality) {
        this.cube = cube;
        this.causality = causality;
    }

    /**
     * Removes some of those that were first seen before an instant; returns how many. Does nothing
     * when it has done so less than a day ago.
     */
    synchronized long trim(Instant before) throws IOException {
        Instant now = causality.clock().instant();
        if (now.isBefore(due)) {
            return 0;
        }
        due = now.plus(INTERVAL);
        Set<Long> unnamed = candidates(before);
        // What an actor that has ended did last may not be written down yet.
        causality.events().flush();
        removeNamed(unnamed);
        remove(unnamed);
        return unnamed.size();
    }

    private Set<Long> candidates(Instant before) {
        Set<Long> found = new HashSet<>();
        try (RecordCursor cursor = cube.scan(ACTORS, RowKeys.number(next), OPEN_END)) {
            long last = 0;
            while (found.size() < CANDIDATES_MAX && cursor.next()) {
                last = ~RowKeys.suffix(cursor.key());
                Instant began = ActorRow.decode(cursor.record().summary()).began();
                if (began.isBefore(before) && !causality.isOpen(last)) {
                    found.add(last);
                }
            }
            next = found.size() < CANDIDATES_MAX ? 0 : last + 1;
        }
        return found;
    }

    /** A state on its way from one family to another is met in one of them. */
    private void removeNamed(Set<Long> actors) throws IOException {
        new EventScan(cube)
                .forward(
                        0,
                        rows -> {
                            rows.events().forEach(event -> removeNamed(actors, event));
                            return !actors.isEmpty();
                        });
        removeNamed(actors, CURRENT, row -> ObjectRow.decode(row).causal().actor());
        removeNamed(actors, VERSIONS, row -> ObjectRow.decode(row).causal().actor());
        removeNamed(actors, HISTORY, row -> HistoryRow.decode(row).state().causal().actor());
        removeNamed(actors, CURRENT, row -> ObjectRow.decode(row).causal().actor());
    }

    private static void removeNamed(Set<Long> actors, Event event) {
        switch (event) {
            case Event.Read read -> actors.remove(read.actor());
            case Event.Wrote wrote -> actors.remove(wrote.actor());
            case Event.Copied copied -> {}
            case Event.Kept kept -> {}
        }
    }

    private void removeNamed(Set<Long> actors, Family family, ToLongFunction<byte[]> actor) {
        if (!actors.isEmpty()) {
            try (RecordCursor cursor = cube.scan(family, OPEN_END, OPEN_END)) {
                while (cursor.next()) {
                    actors.remove(actor.applyAsLong(cursor.record().summary()));
                }
            }
        }
    }

    private void remove(Set<Long> actors) throws IOException {
        WriteBatch batch = new WriteBatch(cube);
        for (long actor : actors) {
            batch.delete(ACTORS, RowKeys.number(actor));
            if (batch.isFull()) {
                batch.commit();
                batch = new WriteBatch(cube);
            }
        }
        if (!batch.isEmpty()) {
            batch.commit();
        }
    }
}
