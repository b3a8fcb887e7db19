package io.volute.versioning.event;

import static io.volute.versioning.rows.Families.EVENTS;

import io.volute.storage.Cube;
import io.volute.storage.Transaction;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.EncodedRow;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.List;

/** Writes rows of events as they are written with a commit. */
public final class EventRows {
    private EventRows() {}

    public static void write(Cube cube, long number, List<Event> events) throws IOException {
        EncodedRow row = EventRow.encode(events);
        Commits.join(
                cube,
                new Transaction()
                        .put(
                                EVENTS,
                                RowKeys.number(number),
                                row.summary(),
                                row.detail(),
                                List.of()));
    }
}
