package io.volute.server.cluster.exchange;

import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of the exchanges of a node since its start. Thread-safe.
 *
 * @param calls calls to another owner
 * @param failed calls without a complete answer
 * @param skipped requests that went on without the answer of an owner: their writes may lack causes
 * @param waitedNanos time that requests waited for answers
 */
public record ExchangeCounts(
        LongAdder calls, LongAdder failed, LongAdder skipped, LongAdder waitedNanos) {
    public ExchangeCounts() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
    }
}
