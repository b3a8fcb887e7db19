package io.volute.versioning.catalog;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.report.Damage;
import io.volute.versioning.Damages.State;
import io.volute.versioning.Damages.Use;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.PartRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.VersionId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Names the rows of a cube for people. Reads the index only. Used by one thread. */
final class DamageNames {
    private static final int PART_KEY_BYTES = RowKeys.NUMBER_BYTES + Short.BYTES;

    private final RecordStore cube;
    private final Map<Long, String> buckets;

    /** Keys of the rows of uploads, by number; read on first use. */
    private Optional<Map<Long, byte[]>> uploads = Optional.empty();

    /**
     * @param buckets names of buckets by id, also of deleted ones
     */
    DamageNames(RecordStore cube, Map<Long, String> buckets) {
        this.cube = cube;
        this.buckets = buckets;
    }

    /** Returns a row that is there; empty when it is gone. */
    Optional<State> name(Damage.User user) {
        return Families.all().stream()
                .filter(family -> family.id() == user.family())
                .findFirst()
                .flatMap(
                        family ->
                                cube.get(family, user.key())
                                        .map(record -> name(family, user, record)));
    }

    private State name(io.volute.storage.Family family, Damage.User user, StoredRecord record) {
        byte[] key = user.key();
        if (family.equals(Families.CURRENT)) {
            return state(Use.CURRENT, user, 0, ObjectRow.decode(record.summary()));
        }
        if (family.equals(Families.VERSIONS)) {
            ObjectRow row = ObjectRow.decode(record.summary());
            return state(Use.NONCURRENT, user, RowKeys.NUMBER_BYTES, row);
        }
        if (family.equals(Families.HISTORY) && key.length > 2 * RowKeys.NUMBER_BYTES) {
            ObjectRow row = HistoryRow.decode(record.summary()).state();
            return state(Use.HISTORY, user, RowKeys.NUMBER_BYTES, row);
        }
        if (family.equals(Families.PARTS) && key.length == PART_KEY_BYTES) {
            return part(user, record);
        }
        String bucket = "";
        String object = "";
        String words = "row of " + family.name();
        if (family.equals(Families.ENTRIES) && key.length > 2 * RowKeys.NUMBER_BYTES) {
            bucket = bucket(key);
            object = RowKeys.objectKey(key, RowKeys.objectKeyEnd(key, RowKeys.NUMBER_BYTES));
            words = "signed entry " + RowKeys.lastNumber(key);
        } else if (family.equals(Families.UPLOADS)) {
            bucket = bucket(key);
            object = RowKeys.objectKey(key, RowKeys.objectKeyEnd(key, RowKeys.NUMBER_BYTES));
            words = "multipart upload";
        } else if (family.equals(Families.REMOVED) && RowKeys.isOfKey(key)) {
            bucket = bucket(key);
            object = RowKeys.objectKey(key).value();
            words = "removed key";
        } else if (family.equals(Families.BUCKETS)) {
            bucket = new String(key, StandardCharsets.UTF_8);
            words = "settings of the bucket";
        }
        return new State(Use.ROW, bucket, object, "", 0, 0, Instant.EPOCH, words, user);
    }

    private String bucket(byte[] key) {
        long id = RowKeys.bucketId(key);
        return buckets.getOrDefault(id, "");
    }

    private State state(Use use, Damage.User user, int suffixBytes, ObjectRow row) {
        byte[] key = user.key();
        return new State(
                use,
                bucket(key),
                RowKeys.objectKey(key, RowKeys.objectKeyEnd(key, suffixBytes)),
                VersionId.format(row.number(), row.nullVersion()),
                row.number(),
                row.bytes(),
                Instant.ofEpochMilli(row.modifiedMillis()),
                row.deleteMarker() ? "delete marker" : "",
                user);
    }

    private State part(Damage.User user, StoredRecord record) {
        long upload = RowKeys.bucketId(user.key());
        int number = ByteBuffer.wrap(user.key()).getShort(RowKeys.NUMBER_BYTES) & 0xFFFF;
        byte[] row = uploads().getOrDefault(upload, new byte[0]);
        var part = PartRow.decode(record.summary());
        return new State(
                Use.UPLOAD_PART,
                row.length == 0 ? "" : bucket(row),
                row.length == 0
                        ? ""
                        : RowKeys.objectKey(row, RowKeys.objectKeyEnd(row, RowKeys.NUMBER_BYTES)),
                "",
                0,
                part.bytes(),
                part.modified(),
                "part " + number + " of a multipart upload",
                user);
    }

    private Map<Long, byte[]> uploads() {
        if (uploads.isEmpty()) {
            Map<Long, byte[]> found = new HashMap<>();
            try (RecordCursor rows = cube.scan(Families.UPLOADS, new byte[0], new byte[0])) {
                while (rows.next()) {
                    found.put(RowKeys.lastNumber(rows.key()), rows.key());
                }
            }
            uploads = Optional.of(found);
        }
        return uploads.get();
    }
}
