package io.volute.versioning.rows;

/**
 * A row of {@code removed} that belongs to no key: the resolution of buckets without one of their
 * own, and the sequence since which it holds.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   varint  resolution, milliseconds
 *   varint  sequence since which it holds; 0: the record's own
 * </pre>
 *
 * @param millis 0 when the policies alone decide
 * @param since 0 for the record's own sequence
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

    /**
     * Returns the sequence since which the resolution holds.
     *
     * @param sequence sequence of the record
     */
    public long since(long sequence) {
        return since == 0 ? sequence : since;
    }
}
