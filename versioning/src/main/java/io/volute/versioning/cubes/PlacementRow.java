package io.volute.versioning.cubes;

import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.codec.RowInput;
import io.volute.versioning.rows.codec.RowOutput;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import java.time.Instant;

/**
 * A row of {@code placements} in the system cube: the cube of a bucket. The key is the name of the
 * bucket. Buckets of the system cube have none.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   varint  number of the cube
 *   varint  created, milliseconds since 1970
 *   text    owner
 * </pre>
 */
record PlacementRow(int cube, Instant created, String owner) {
    private static final int LAYOUT = 1;

    byte[] encode() {
        return new RowOutput()
                .octet(LAYOUT)
                .varint(cube)
                .varint(created.toEpochMilli())
                .text(owner)
                .toBytes();
    }

    static PlacementRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "placement");
        int cube = input.size();
        Instant created = Instant.ofEpochMilli(input.varint());
        return new PlacementRow(cube, created, input.text());
    }

    /** Returns the bucket as listings show it while its cube is not open. */
    BucketInfo info(BucketName name) {
        return new BucketInfo(
                0, name, owner, created, VersioningState.UNVERSIONED, HistoryPolicy.NONE);
    }
}
