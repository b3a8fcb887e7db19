package io.volute.versioning.rows;

import io.volute.versioning.rows.codec.RowInput;
import io.volute.versioning.rows.codec.RowOutput;

/**
 * A row of {@code removed} that is of no key: which resolution the past of buckets has that have
 * none of their own, and since when.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   varint  resolution, milliseconds
 *   varint  sequence since which it holds; 0: the record's own
 * </pre>
 *
 * @param millis 0 where the policies decide alone
 * @param since 0 when that is the record's own sequence
 */
public record ResolutionRow(long millis, long since) {
    private static final int LAYOUT = 1;

    public byte[] encode() {
        return new RowOutput().octet(LAYOUT).varint(millis).varint(since).toBytes();
    }

    public static ResolutionRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "resolution");
        return new ResolutionRow(input.varint(), input.varint());
    }

    /** Since when it holds, of a record with this sequence. */
    public long since(long sequence) {
        return since == 0 ? sequence : since;
    }
}
