package io.volute.versioning.rows;

/**
 * A row of {@code history}: a state that S3 clients no longer see. The key ends with the complement
 * of the sequence with which the state became the current one. The summary is
 *
 * <pre>
 *   octet   the version of this layout: 2; 1 has no flag HIDDEN
 *   octet   flags
 *   varint  sequence of the last write to the state, when it did not begin with it  (flag WRITTEN)
 *   varint  sequence with which it ceased to be current, if the record's own is later (flag ENDED)
 *   varint  sequence with which clients ceased to see it, if the record's is later (flag HIDDEN)
 *   the summary of the state's row in {@code current} or {@code versions}
 * </pre>
 *
 * Detail and references are the state's.
 *
 * @param written 0 when the state was last written at its begin
 * @param ended 0 for the record's own sequence
 * @param hidden 0 for the record's own sequence, which is later in a bucket that was moved
 * @param state the earlier row of the state
 */
public record HistoryRow(long written, long ended, long hidden, ObjectRow state) {
    private static final int LAYOUT = 2;
    private static final int LAYOUT_WITHOUT_HIDDEN = 1;
    private static final int WRITTEN = 1;
    private static final int ENDED = 1 << 1;
    private static final int HIDDEN = 1 << 2;

    /** Creates the row of a state that clients cease to see with its record. */
    public HistoryRow(long written, long ended, ObjectRow state) {
        this(written, ended, 0, state);
    }

    public byte[] encode() {
        RowOutput output = new RowOutput();
        output.octet(hidden == 0 ? LAYOUT_WITHOUT_HIDDEN : LAYOUT)
                .octet(
                        (written == 0 ? 0 : WRITTEN)
                                | (ended == 0 ? 0 : ENDED)
                                | (hidden == 0 ? 0 : HIDDEN));
        if (written != 0) {
            output.varint(written);
        }
        if (ended != 0) {
            output.varint(ended);
        }
        if (hidden != 0) {
            output.varint(hidden);
        }
        return output.raw(state.summary()).toBytes();
    }

    public static HistoryRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        int layout = input.version(LAYOUT_WITHOUT_HIDDEN, LAYOUT, "history");
        int flags = input.octet();
        long written = (flags & WRITTEN) == 0 ? 0 : input.varint();
        long ended = (flags & ENDED) == 0 ? 0 : input.varint();
        boolean isMoved = layout == LAYOUT && (flags & HIDDEN) != 0;
        long hidden = isMoved ? input.varint() : 0;
        return new HistoryRow(written, ended, hidden, ObjectRow.decode(input.rest()));
    }

    /** Returns the sequence of the last write to a state that began with this one. */
    public long written(long began) {
        return written == 0 ? began : written;
    }

    /**
     * Returns the sequence with which the state ceased to be current.
     *
     * @param sequence sequence of the record
     */
    public long ended(long sequence) {
        return ended == 0 ? sequence : ended;
    }

    /**
     * Returns the sequence with which clients ceased to see the state.
     *
     * @param sequence sequence of the record
     */
    public long hidden(long sequence) {
        return hidden == 0 ? sequence : hidden;
    }
}
