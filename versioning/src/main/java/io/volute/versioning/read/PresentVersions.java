package io.volute.versioning.read;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.Family;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.PastStates.State;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.util.Optional;

/** Finds versions as they are now. Thread-safe. */
final class PresentVersions implements ObjectReads.Finder {
    private final RecordStore cube;

    public PresentVersions(RecordStore cube) {
        this.cube = cube;
    }

    @Override
    public Optional<State> find(BucketEntry bucket, ObjectKey key, VersionSelector selector) {
        byte[] currentKey = RowKeys.current(bucket.id(), key);
        Optional<StoredRecord> record = cube.get(CURRENT, currentKey);
        for (int attempt = 1;
                attempt <= RecordDetails.ATTEMPTS_MAX && record.isPresent();
                attempt++) {
            StoredRecord newest = record.get();
            State current = state(CURRENT, currentKey, newest);
            long number = wanted(selector, current.row());
            if (number == current.row().number()) {
                return Optional.of(current);
            }
            if (number <= 0 || number > current.row().number()) {
                return Optional.empty();
            }
            byte[] versionKey = RowKeys.version(bucket.id(), key, number);
            Optional<StoredRecord> noncurrent = cube.get(VERSIONS, versionKey);
            if (noncurrent.isPresent()) {
                return Optional.of(state(VERSIONS, versionKey, noncurrent.get()));
            }
            // It may have become the current one between the two lookups.
            record = cube.get(CURRENT, currentKey);
            if (record.isPresent() && record.get().sequence() == newest.sequence()) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static long wanted(VersionSelector selector, ObjectRow current) {
        return switch (selector) {
            case VersionSelector.Latest latest -> current.number();
            case VersionSelector.NullVersion nullVersion ->
                    current.nullVersion() ? current.number() : current.nullBehind();
            case VersionSelector.Numbered numbered -> numbered.number();
        };
    }

    private static State state(Family family, byte[] rowKey, StoredRecord record) {
        ObjectRow row = ObjectRow.decode(record.summary());
        return new State(
                family,
                rowKey,
                record,
                row,
                row.began(record.sequence()),
                PastStates.NEVER,
                family.equals(CURRENT),
                Optional.empty());
    }
}
