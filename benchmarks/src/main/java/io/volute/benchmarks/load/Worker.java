package io.volute.benchmarks.load;

import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.http.HttpConnection;
import io.volute.benchmarks.load.Workload.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * One connection's share of a run: makes requests until its plan ends and keeps its own counts, so
 * that connections share nothing but the plan's counter. Runs on one platform thread.
 */
final class Worker implements Runnable {
    private static final int MOST_ERRORS_IN_ROW = 100;

    private final int number;
    private final Workload workload;
    private final LoadPlan plan;
    private final RequestComposer composer;
    private final HttpConnection connection;
    private final RandomGenerator random;
    private final Counts counts = new Counts();
    private final KeyCounter keyCounter = new KeyCounter();
    private int errorsInRow;

    Worker(
            int number,
            Workload workload,
            LoadPlan plan,
            RequestComposer composer,
            HttpConnection connection,
            RandomGenerator random) {
        this.number = number;
        this.workload = workload;
        this.plan = plan;
        this.composer = composer;
        this.connection = connection;
        this.random = random;
    }

    @Override
    public void run() {
        if (workload.rate > 0) {
            runAtRate(workload.rate / workload.connections);
        } else {
            runClosed();
        }
    }

    private void runClosed() {
        while (!plan.isOver(Ticks.nanos()) && errorsInRow < MOST_ERRORS_IN_ROW) {
            long begin = Ticks.nanos();
            if (!step(begin)) {
                return;
            }
        }
    }

    /**
     * Every request has a time at which it is due; its latency counts from then, whether or not the
     * connection was free: what a slow answer delays is charged to it (no coordinated omission).
     */
    private void runAtRate(double perSecond) {
        double intervalNanos = 1e9 / perSecond;
        double due = plan.beginNanos() + intervalNanos * number / workload.connections;
        while (!plan.isOver((long) due) && errorsInRow < MOST_ERRORS_IN_ROW) {
            Ticks.waitUntil((long) due);
            if (Thread.currentThread().isInterrupted() || !step((long) due)) {
                return;
            }
            due += intervalNanos;
        }
    }

    /** Makes one request; false when the plan has no more work. */
    private boolean step(long begin) {
        LoadPlan.Request request = plan.next(random);
        Operation operation = request.operation();
        long item = request.item();
        if (item < 0) {
            return false;
        }
        composer.compose(operation, item);
        try {
            keyCounter.reset();
            HttpConnection.Answer answer =
                    connection.exchange(
                            composer.head(),
                            composer.body(),
                            operation == Operation.HEAD,
                            operation == Operation.LIST ? keyCounter : HttpConnection.DISCARD);
            long end = Ticks.nanos();
            String complaint = complaint(operation, item, answer);
            if (complaint.isEmpty()) {
                plan.done(request);
                succeeded(operation, item, answer, begin, end);
            } else if (isLatencyMeasured(begin, end)) {
                failed(complaint);
            }
        } catch (IOException e) {
            long end = Ticks.nanos();
            if (!plan.isOver(end) || isLatencyMeasured(begin, end)) {
                failed(operation + ": " + e);
            }
        }
        return true;
    }

    /** At a fixed rate, what was due in time counts however late it ends: else stalls hide. */
    private boolean isLatencyMeasured(long begin, long end) {
        return plan.isMeasured(workload.rate > 0 ? begin : end);
    }

    private String complaint(Operation operation, long item, HttpConnection.Answer answer) {
        if (!answer.isSuccess()) {
            return operation + ": status " + answer.status();
        }
        if (operation == Operation.GET && answer.contentBytes() != plan.bytes(item)) {
            return "GET: " + answer.contentBytes() + " bytes came";
        }
        if (operation == Operation.LIST && keyCounter.keys() != plan.keysOnPage(item)) {
            return "LIST: " + keyCounter.keys() + " keys came, not " + plan.keysOnPage(item);
        }
        return "";
    }

    private void succeeded(
            Operation operation, long item, HttpConnection.Answer answer, long begin, long end) {
        errorsInRow = 0;
        if (isLatencyMeasured(begin, end)) {
            counts.latency.recordValue(Math.min(end - begin, Counts.LONGEST_LATENCY_NANOS));
        }
        if (!plan.isMeasured(end)) {
            return;
        }
        counts.operations++;
        switch (operation) {
            case PUT -> counts.bytes += plan.bytes(item);
            case GET -> counts.bytes += answer.contentBytes();
            case LIST -> counts.objects += keyCounter.keys();
            case MULTI_DELETE -> counts.objects += plan.keysInBatch(item);
            case HEAD, DELETE, MIXED, POPULATION -> counts.objects++;
        }
    }

    private void failed(String message) {
        counts.failed(message);
        errorsInRow++;
    }

    HttpConnection connection() {
        return connection;
    }

    Counts counts() {
        return counts;
    }

    /** Counts the entries of a listing as its bytes pass: {@code <Key>} never occurs in a key. */
    static final class KeyCounter implements HttpConnection.ContentSink {
        private static final byte[] TAG = {'<', 'K', 'e', 'y', '>'};
        private int matched;
        private int keys;

        void reset() {
            matched = 0;
            keys = 0;
        }

        int keys() {
            return keys;
        }

        @Override
        public void take(ByteBuffer piece) {
            while (piece.hasRemaining()) {
                byte b = piece.get();
                if (b == TAG[matched]) {
                    if (++matched == TAG.length) {
                        keys++;
                        matched = 0;
                    }
                } else {
                    matched = b == TAG[0] ? 1 : 0;
                }
            }
        }
    }
}
