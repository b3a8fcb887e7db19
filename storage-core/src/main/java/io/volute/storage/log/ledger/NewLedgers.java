package io.volute.storage.log.ledger;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import java.io.IOException;
import java.util.UUID;

/** Creates ledgers for new segments of one cube. Thread-safe. */
record NewLedgers(Ledgers ledgers, Mirrors mirrors, LedgerSettings settings, UUID cube) {

    /**
     * Creates a ledger with an empty mirror.
     *
     * @param waits whether to wait for the services for a bounded time
     * @throws CubeUnavailableException FULL when no ledger can be created for now
     */
    LedgerSegment create(long epoch, long segmentBytes, boolean waits) throws IOException {
        Ledgers.Writer writer;
        try {
            writer = ledgers.create(cube, epoch, waits);
        } catch (FencedException e) {
            throw e;
        } catch (IOException e) {
            throw refused(e.getMessage());
        }
        LedgerWindow window =
                new LedgerWindow(writer, ledgers.entryBytesMax(), settings.windowBytes());
        return new LedgerSegment(ledgers, mirrors, writer, segmentBytes, window);
    }

    /** Returns a refusal after which the log is as it was, and the write may be tried again. */
    static CubeUnavailableException refused(String why) {
        return new CubeUnavailableException(
                Reason.FULL,
                "no ledger for another log segment: "
                        + why
                        + ". Reads work; writes resume by themselves.");
    }
}
