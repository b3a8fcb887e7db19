package io.volute.versioning.rows;

/**
 * A row of {@code removed}: a key without a visible version.
 *
 * <pre>
 *   octet   2, the version of this layout; 1 ends behind the number
 *   varint  number of the version that was removed last
 *   varint  sequence of the removal, in a bucket that was moved
 * </pre>
 *
 * @param number version in the event of the removal; the row is removed together with that event
 * @param removed sequence of the removal; 0 for the record's own
 */
public record RemovedRow(long number, long removed) {
    private static final int LAYOUT = 2;
    private static final int LAYOUT_WITHOUT_SEQUENCE = 1;

    /** Creates the row of a key that vanishes with its record. */
    public RemovedRow(long number) {
        this(number, 0);
    }

    public byte[] encode() {
        RowOutput output = new RowOutput();
        output.octet(removed == 0 ? LAYOUT_WITHOUT_SEQUENCE : LAYOUT).varint(number);
        return (removed == 0 ? output : output.varint(removed)).toBytes();
    }

    public static RemovedRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        int layout = input.version(LAYOUT_WITHOUT_SEQUENCE, LAYOUT, "removed");
        return new RemovedRow(input.varint(), layout == LAYOUT ? input.varint() : 0);
    }

    /**
     * Returns the sequence of the removal.
     *
     * @param sequence sequence of the record
     */
    public long removed(long sequence) {
        return removed == 0 ? sequence : removed;
    }
}
