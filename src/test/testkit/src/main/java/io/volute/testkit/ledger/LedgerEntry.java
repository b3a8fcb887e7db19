package io.volute.testkit.ledger;

import java.util.Optional;

/**
 * One write that a client sent.
 *
 * @param sequence position of the intent in the ledger: it was sent after all lower ones
 * @param digest of the body, or empty for a delete
 * @param outcome the answer that the client received
 * @param ended position in the ledger after which it can have no more effect; {@link
 *     Long#MAX_VALUE} while that may still happen
 */
record LedgerEntry(
        long sequence,
        String client,
        String key,
        Optional<String> digest,
        Outcome outcome,
        long ended) {

    /** The answer that the client received. */
    enum Outcome {
        /** Success. */
        ACKNOWLEDGED,
        /** A refusal after which nothing can have changed. */
        REFUSED,
        /** No answer, or one that leaves the effect open. */
        UNKNOWN
    }

    LedgerEntry with(Outcome newOutcome, long newEnded) {
        return new LedgerEntry(sequence, client, key, digest, newOutcome, newEnded);
    }
}
