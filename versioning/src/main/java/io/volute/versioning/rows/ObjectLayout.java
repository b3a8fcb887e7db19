package io.volute.versioning.rows;

import java.util.stream.IntStream;

/**
 * The first octet of a row of an object: 1 has no causal stamp. From 2 on each bit above adds one
 * thing: 1 a lock, 2 the body in the detail, 4 the sequence that the record would have.
 *
 * @param octet 1 to 9
 */
record ObjectLayout(int octet) {
    public static final ObjectLayout PLAIN = new ObjectLayout(2);

    private static final int WITHOUT_STAMP = 1;
    private static final int LAST = 9;
    private static final int LOCK = 1;
    private static final int BODY = 1 << 1;
    private static final int SETTLED = 1 << 2;
    private static final ObjectLayout[] ALL =
            IntStream.rangeClosed(0, LAST).mapToObj(ObjectLayout::new).toArray(ObjectLayout[]::new);

    /**
     * Reads the first octet of a summary.
     *
     * @throws RowFormatException if this program does not know the layout
     */
    public static ObjectLayout read(RowInput input) {
        return ALL[input.version(WITHOUT_STAMP, LAST, "object")];
    }

    public boolean hasStamp() {
        return octet != WITHOUT_STAMP;
    }

    public boolean hasLock() {
        return has(LOCK);
    }

    public boolean holdsBody() {
        return has(BODY);
    }

    public boolean isSettled() {
        return has(SETTLED);
    }

    private boolean has(int bit) {
        return hasStamp() && (octet - PLAIN.octet & bit) != 0;
    }

    /** Returns the layout with a lock, or without one. */
    public ObjectLayout locked(boolean isLocked) {
        return with(LOCK, isLocked);
    }

    public ObjectLayout withBody() {
        return with(BODY, true);
    }

    /** Returns the layout with a causal stamp, and with the sequence or without it. */
    public ObjectLayout settled(boolean isSettled) {
        return with(SETTLED, isSettled);
    }

    private ObjectLayout with(int bit, boolean isSet) {
        int bits = hasStamp() ? octet - PLAIN.octet : 0;
        return ALL[PLAIN.octet + (isSet ? bits | bit : bits & ~bit)];
    }
}
