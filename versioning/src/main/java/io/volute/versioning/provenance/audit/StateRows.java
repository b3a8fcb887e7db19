package io.volute.versioning.provenance.audit;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.provenance.format.Hash;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.Openings;
import io.volute.versioning.Openings.Opening;
import io.volute.versioning.body.GoneException;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.provenance.EntryRows;
import io.volute.versioning.provenance.MetadataHash;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowFormatException;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The state of one key in its rows: versions, delete markers and kept states, each with the hashes
 * that entries have. Read under the key's lock, together with the end of the chain.
 *
 * @param lastEntry sequence of the chain's last entry; -1 for none
 * @param present the current row first, if there is one, then the noncurrent ones, newest first
 * @param hasCurrent whether the first of them is the current row
 * @param kept states of the history
 * @param unreadable descriptions of rows that cannot be read
 */
record StateRows(
        long lastEntry,
        List<Found> present,
        boolean hasCurrent,
        List<Found> kept,
        List<String> unreadable) {

    /**
     * A version, delete marker or kept state.
     *
     * @param sequence of the row's last write
     * @param began begin of the state, according to the row
     * @param opening of the data key, if it is encrypted and compared
     * @param metadata hash of headers, user metadata and tags; empty when there are none
     */
    record Found(
            ObjectRow row,
            long sequence,
            long began,
            Optional<Hash> metadata,
            Hash tags,
            Hash lock,
            Hash attributes,
            Optional<Opening> opening) {
        long number() {
            return row.number();
        }
    }

    /** Reads the rows of one key. Not thread-safe. */
    private static final class Reader {
        private final RecordStore cube;
        private final ObjectKey key;
        private final String bucket;
        private final Optional<Openings> openings;
        private final List<String> unreadable = new ArrayList<>();

        Reader(RecordStore cube, String bucket, ObjectKey key, Optional<Openings> openings) {
            this.cube = cube;
            this.bucket = bucket;
            this.key = key;
            this.openings = openings;
        }

        void add(List<Found> found, Family family, byte[] rowKey, StoredRecord record) {
            try {
                ObjectRow row =
                        family.equals(HISTORY)
                                ? HistoryRow.decode(record.summary()).state()
                                : ObjectRow.decode(record.summary());
                byte[] detail =
                        row.needsDetail()
                                ? RecordDetails.read(cube, family, rowKey, record)
                                : new byte[0];
                ObjectVersion version = row.version(key, family.equals(CURRENT), "", detail);
                found.add(
                        new Found(
                                row,
                                record.sequence(),
                                row.began(record.sequence()),
                                MetadataHash.of(version.attributes()),
                                MetadataHash.ofTags(version.attributes().tags()),
                                MetadataHash.ofLock(version.attributes().lock()),
                                MetadataHash.ofAttributes(version),
                                openings.flatMap(
                                        each -> each.of(bucket, key, version.attributes()))));
            } catch (GoneException e) {
                // Retention removed the kept state during the scan.
                return;
            } catch (IOException | RowFormatException e) {
                unreadable.add("a row of " + family.name() + " cannot be read: " + e.getMessage());
            }
        }

        void addAll(List<Found> found, Family family, byte[] base) {
            try (RecordCursor cursor = cube.scan(family, base, RowKeys.behindPrefix(base))) {
                while (cursor.next()) {
                    add(found, family, cursor.key(), cursor.record());
                }
            }
        }
    }

    /**
     * Reads the state of a key; the caller holds the key's lock.
     *
     * @param bucket name of the bucket
     * @param openings compares data keys with the keyring
     */
    static StateRows read(
            RecordStore cube,
            EntryRows entries,
            long bucketId,
            String bucket,
            ObjectKey key,
            Optional<Openings> openings) {
        byte[] base = RowKeys.current(bucketId, key);
        Reader reader = new Reader(cube, bucket, key, openings);
        List<Found> present = new ArrayList<>();
        cube.get(CURRENT, base).ifPresent(row -> reader.add(present, CURRENT, base, row));
        boolean hasCurrent = !present.isEmpty();
        reader.addAll(present, VERSIONS, base);
        List<Found> kept = new ArrayList<>();
        reader.addAll(kept, HISTORY, base);
        long last = entries.last(bucketId, key).map(EntryRows.Found::sequence).orElse(-1L);
        return new StateRows(last, present, hasCurrent, kept, reader.unreadable);
    }
}
