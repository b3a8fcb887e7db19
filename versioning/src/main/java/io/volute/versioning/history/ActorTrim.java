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
 * Removes actors without reference: no event, no present or kept state, no open session. Every run
 * of a client is an actor, so their number would grow without bound. A run scans all rows that can
 * refer to an actor, so it is rare and handles many actors at once. Thread-safe.
 */
final class ActorTrim {
    /** Maximum number of actors in memory per run; later runs take the rest. */
    static final int CANDIDATES_MAX = 1 << 16;

    private static final Duration INTERVAL = Duration.ofDays(1);
    private static final byte[] OPEN_END = {};

    private final RecordStore cube;
    private final Causality causality;
    private Instant due = Instant.MIN;

    /** Id behind the last actor that a run examined. */
    private long next;

    ActorTrim(RecordStore cube, Causality causality) {
        this.cube = cube;
        this.causality = causality;
    }

    /**
     * Removes unreferenced actors whose first event is older than an instant; returns their number.
     * Does nothing less than a day after the last run.
     */
    synchronized long trim(Instant before) throws IOException {
        Instant now = causality.clock().instant();
        if (now.isBefore(due)) {
            return 0;
        }
        due = now.plus(INTERVAL);
        Set<Long> unnamed = candidates(before);
        // The last events of an ended actor may still be pending.
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

    /**
     * Removes the referenced actors from a set. {@code current} is scanned twice: so a state that
     * moves between families is seen in one of them.
     */
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
            case Event.Restored restored -> {}
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
