package io.volute.storage.log.ledger;

/**
 * The settings of segments on ledgers.
 *
 * @param windowBytes bytes of one segment that may be on their way to the bookies
 * @param mirrorBytes bytes of the local mirrors of sealed segments; the newest one always stays
 */
public record LedgerSettings(long windowBytes, long mirrorBytes) {
    public LedgerSettings {
        if (windowBytes < 1 || mirrorBytes < 0) {
            throw new IllegalArgumentException(
                    "a window of " + windowBytes + " bytes, mirrors of " + mirrorBytes);
        }
    }

    /** Returns the defaults of a server. */
    public static LedgerSettings defaults() {
        return withMirrors(64L << 30);
    }

    /** Returns the defaults with another bound of the mirrors. */
    public static LedgerSettings withMirrors(long bytes) {
        return new LedgerSettings(16L << 20, bytes);
    }
}
