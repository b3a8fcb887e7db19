package io.volute.versioning.rows;

/**
 * A row of {@code removed} that belongs to no key: the history horizon of the whole store or of a
 * bucket. A state that had ended by this sequence may have been removed.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   varint  sequence
 * </pre>
 *
 * @param sequence states that ended later are there, if they were kept at all
 */
public record HistoryHorizonRow(long sequence) {
    private static final int LAYOUT = 1;

    public byte[] encode() {
        return new RowOutput().octet(LAYOUT).varint(sequence).toBytes();
    }

    public static HistoryHorizonRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "forgotten");
        return new HistoryHorizonRow(input.varint());
    }
}
