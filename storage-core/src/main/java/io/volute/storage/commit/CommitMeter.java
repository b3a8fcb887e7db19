package io.volute.storage.commit;

import io.volute.storage.report.CubeWork;
import io.volute.storage.report.Distribution;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Measures group commits. Written by the committing thread, read by any. */
final class CommitMeter {
    private final LongSupplier nanos;
    private final LongAdder commits = new LongAdder();
    private final Distribution transactions = new Distribution(1, 12);
    private final Distribution bytes = Distribution.ofBytes();
    private final Distribution times = Distribution.ofNanos();
    private long begun;
    private long written;

    /**
     * @param nanos a clock that is read twice a batch
     */
    CommitMeter(LongSupplier nanos) {
        this.nanos = nanos;
    }

    void begin() {
        begun = nanos.getAsLong();
        written = 0;
    }

    void wrote(long batchBytes) {
        written = batchBytes;
    }

    /** The batch is durable and visible; one that wrote nothing is no batch of the log. */
    void committed(int count) {
        commits.add(count);
        if (written > 0) {
            transactions.record(count);
            bytes.record(written);
            times.record(nanos.getAsLong() - begun);
        }
    }

    /** Transactions made durable. */
    public long commits() {
        return commits.sum();
    }

    public CubeWork.Commits figures(int queued) {
        return new CubeWork.Commits(transactions.counts(), bytes.counts(), times.counts(), queued);
    }
}
