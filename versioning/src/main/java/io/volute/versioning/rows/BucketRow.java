package io.volute.versioning.rows;

import io.volute.versioning.BucketInfo;
import io.volute.versioning.BucketInfo.VersioningState;
import io.volute.versioning.BucketName;
import io.volute.versioning.causality.HistoryPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A row of {@code buckets}; the name is the key.
 *
 * <pre>
 *   octet   2, the version of this layout; 1 has no history policy
 *   octet   versioning: 0 unversioned, 1 enabled, 2 suspended
 *   octet   history policy: 0 none, 1 open-close, 2 cycle-avoidance, 3 graph-finesse, 4 every-write
 *   varint  bucket id
 *   varint  created, milliseconds since 1970
 *   text    owner
 * </pre>
 */
public final class BucketRow {
    private static final int LAYOUT = 2;
    private static final int LAYOUT_WITHOUT_HISTORY = 1;

    private BucketRow() {}

    public static byte[] encode(BucketInfo bucket) {
        return new RowOutput()
                .octet(LAYOUT)
                .octet(bucket.versioning().ordinal())
                .octet(bucket.history().ordinal())
                .varint(bucket.id())
                .varint(bucket.created().toEpochMilli())
                .text(bucket.owner())
                .toBytes();
    }

    /**
     * @param history of buckets from before there was one
     */
    public static BucketInfo decode(byte[] key, byte[] summary, HistoryPolicy history) {
        RowInput input = new RowInput(summary);
        int layout = input.version(LAYOUT_WITHOUT_HISTORY, LAYOUT, "bucket");
        VersioningState state = constant(VersioningState.values(), input.octet(), "versioning");
        HistoryPolicy policy =
                layout == LAYOUT_WITHOUT_HISTORY
                        ? history
                        : constant(HistoryPolicy.values(), input.octet(), "history policy");
        long id = input.varint();
        Instant created = Instant.ofEpochMilli(input.varint());
        BucketName name = new BucketName(new String(key, StandardCharsets.UTF_8));
        return new BucketInfo(id, name, input.text(), created, state, policy);
    }

    private static <E> E constant(E[] values, int code, String what) {
        if (code >= values.length) {
            throw new RowFormatException(what + " " + code);
        }
        return values[code];
    }
}
