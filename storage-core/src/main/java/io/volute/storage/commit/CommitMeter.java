package io.volute.storage.commit;

import io.volute.storage.report.Distribution;
import io.volute.storage.report.WorkStats;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Measures group commits. The committing thread writes it; any thread may read it. */
final class CommitMeter {
    private final LongSupplier nanos;
    private final LongAdder commits = new LongAdder();
    private final Distribution transactions = new Distribution(1, 12);
    private final Distribution bytes = Distribution.ofBytes();
    private final Distribution times = Distribution.ofNanos();
    private long begun;
    private long written;

    /**
     * Creates a meter.
     *
     * @param nanos a clock that is read twice for each batch
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

    /**
     * Counts a batch that is durable and visible. One that wrote nothing is no batch of the log.
     */
    void committed(int count) {
        commits.add(count);
        if (written > 0) {
            transactions.record(count);
            bytes.record(written);
            times.record(nanos.getAsLong() - begun);
        }
    }

    /** Returns the number of transactions made durable. */
    public long commits() {
        return commits.sum();
    }

    public WorkStats.Commits figures(int queued) {
        return new WorkStats.Commits(transactions.counts(), bytes.counts(), times.counts(), queued);
    }
}
