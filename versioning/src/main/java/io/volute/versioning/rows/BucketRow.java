package io.volute.versioning.rows;

import io.volute.versioning.BucketInfo;
import io.volute.versioning.BucketInfo.VersioningState;
import io.volute.versioning.BucketName;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A row of {@code buckets}; the name is the key.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   octet   versioning: 0 unversioned, 1 enabled, 2 suspended
 *   varint  bucket id
 *   varint  created, milliseconds since 1970
 *   text    owner
 * </pre>
 */
public final class BucketRow {
    private static final int LAYOUT = 1;

    private BucketRow() {}

    public static byte[] encode(BucketInfo bucket) {
        return new RowOutput()
                .octet(LAYOUT)
                .octet(bucket.versioning().ordinal())
                .varint(bucket.id())
                .varint(bucket.created().toEpochMilli())
                .text(bucket.owner())
                .toBytes();
    }

    public static BucketInfo decode(byte[] key, byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "bucket");
        int state = input.octet();
        if (state >= VersioningState.values().length) {
            throw new RowFormatException("versioning state " + state);
        }
        long id = input.varint();
        Instant created = Instant.ofEpochMilli(input.varint());
        BucketName name = new BucketName(new String(key, StandardCharsets.UTF_8));
        return new BucketInfo(id, name, input.text(), created, VersioningState.values()[state]);
    }
}
