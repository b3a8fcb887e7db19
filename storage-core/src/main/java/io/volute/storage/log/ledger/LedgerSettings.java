package io.volute.storage.log.ledger;

/**
 * The settings of segments on ledgers.
 *
 * @param windowBytes bytes of one segment that may be on their way to the bookies
 * @param mirrorBytes bytes of the local mirrors of sealed segments; the newest one always stays
 */
public record LedgerSettings(long windowBytes, long mirrorBytes) {
    private static final long COPY_BYTES_PER_SECOND = 32L << 20;

    public LedgerSettings {
        if (windowBytes < 1 || mirrorBytes < 0) {
            throw new IllegalArgumentException(
                    "a window of " + windowBytes + " bytes, mirrors of " + mirrorBytes);
        }
    }

    /** Returns the greatest rate of reads when segments are rewritten for more copies. */
    long copyBytesPerSecond() {
        return COPY_BYTES_PER_SECOND;
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
