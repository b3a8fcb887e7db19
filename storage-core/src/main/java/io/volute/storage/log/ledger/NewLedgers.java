package io.volute.storage.log.ledger;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.io.NoSpaceException;
import java.io.IOException;
import java.util.UUID;

/** Creates ledgers for new segments of one cube. Thread-safe. */
record NewLedgers(Ledgers ledgers, Mirrors mirrors, LedgerSettings settings, UUID cube) {

    /**
     * Creates a ledger with an empty mirror.
     *
     * @param waits whether to wait for the services for a bounded time
     * @throws CubeUnavailableException FULL when the services have no space for a ledger, BUSY when
     *     they create none for now
     */
    LedgerSegment create(long epoch, long segmentBytes, boolean waits) throws IOException {
        Ledgers.Writer writer;
        try {
            writer = ledgers.create(cube, epoch, waits);
        } catch (FencedException e) {
            throw e;
        } catch (IOException e) {
            throw NoSpaceException.isNoSpace(e)
                    ? full(e.getMessage())
                    : refused(Reason.BUSY, e.getMessage());
        }
        LedgerWindow window =
                new LedgerWindow(writer, ledgers.entryBytesMax(), settings.windowBytes());
        return new LedgerSegment(ledgers, mirrors, writer, segmentBytes, window);
    }

    /** Returns the refusal for a log without space. The log is as it was. */
    static CubeUnavailableException full(String why) {
        return refused(Reason.FULL, why);
    }

    private static CubeUnavailableException refused(Reason reason, String why) {
        return new CubeUnavailableException(
                reason,
                "no ledger for another log segment: "
                        + why
                        + ". Reads work; writes resume by themselves.");
    }
}
