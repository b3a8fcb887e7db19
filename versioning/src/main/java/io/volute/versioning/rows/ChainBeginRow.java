package io.volute.versioning.rows;

/**
 * A row of {@code chain-begins}: a chain whose first entries were removed.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   varint  sequence of the first entry that is there
 * </pre>
 */
public record ChainBeginRow(long first) {
    private static final int LAYOUT = 1;

    public byte[] encode() {
        return new RowOutput().octet(LAYOUT).varint(first).toBytes();
    }

    /**
     * Decodes a row.
     *
     * @throws RowFormatException when it is damaged, or of a later version
     */
    public static ChainBeginRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "chain-begins");
        return new ChainBeginRow(input.varint());
    }
}
