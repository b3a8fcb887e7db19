package io.volute.versioning.read;

import static io.volute.versioning.rows.Families.HISTORY;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.PastStates.State;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.util.Optional;

/**
 * Finds versions as they are now. Of versions that S3 clients no longer see, finds the newest kept
 * state. Thread-safe.
 */
public final class LastKnownVersions implements ObjectReads.Finder {
    private final RecordStore cube;
    private final PresentVersions present;

    public LastKnownVersions(RecordStore cube) {
        this.cube = cube;
        this.present = new PresentVersions(cube);
    }

    @Override
    public Optional<State> find(BucketEntry bucket, ObjectKey key, VersionSelector selector) {
        Optional<State> visible = present.find(bucket, key, selector);
        return visible.isEmpty() && selector instanceof VersionSelector.Numbered numbered
                ? newestKept(RowKeys.current(bucket.id(), key), numbered.number())
                : visible;
    }

    /**
     * Returns the newest kept state of a version. Rows of {@code history} are sorted newest first.
     */
    private Optional<State> newestKept(byte[] base, long number) {
        byte[] from = RowKeys.versionIn(base, PastStates.NEVER - 1);
        try (RecordCursor cursor = cube.scan(HISTORY, from, PastStates.behind(base))) {
            while (cursor.next()) {
                StoredRecord record = cursor.record();
                HistoryRow row = HistoryRow.decode(record.summary());
                if (row.state().number() == number) {
                    return Optional.of(
                            new State(
                                    HISTORY,
                                    cursor.key(),
                                    record,
                                    row.state(),
                                    RowKeys.suffix(cursor.key()),
                                    row.ended(record.sequence()),
                                    false,
                                    Optional.empty()));
                }
            }
        }
        return Optional.empty();
    }
}
