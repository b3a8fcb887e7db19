package io.volute.versioning.rows;

/**
 * A row of {@code batch-removals}: the number of removed entries of a batch. When all are removed,
 * both rows are.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   varint  number of removed entries
 * </pre>
 */
public record BatchRemovalRow(long entries) {
    private static final int LAYOUT = 1;

    public byte[] encode() {
        return new RowOutput().octet(LAYOUT).varint(entries).toBytes();
    }

    /**
     * Decodes a row.
     *
     * @throws RowFormatException when it is damaged, or of a later version
     */
    public static BatchRemovalRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "batch-removals");
        return new BatchRemovalRow(input.varint());
    }
}
