package io.volute.versioning.rows;

import io.volute.versioning.rows.codec.RowInput;
import io.volute.versioning.rows.codec.RowOutput;

/**
 * A row of {@code removed}: a key without a visible version.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   varint  number of the version that was removed last
 * </pre>
 *
 * @param number version in the event of the removal; the row is removed together with that event
 */
public record RemovedRow(long number) {
    private static final int LAYOUT = 1;

    public byte[] encode() {
        return new RowOutput().octet(LAYOUT).varint(number).toBytes();
    }

    public static RemovedRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "removed");
        return new RemovedRow(input.varint());
    }
}
