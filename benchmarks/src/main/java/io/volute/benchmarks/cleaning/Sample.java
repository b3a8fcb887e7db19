package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.ProcessUsage;
import io.volute.benchmarks.cleaning.store.MeasuredStore;
import io.volute.benchmarks.cleaning.store.WrittenBytes;
import io.volute.storage.io.WriteCause;
import java.io.IOException;

/**
 * What overwriting for some seconds has shown.
 *
 * @param storeMillis processor time of the process that has the store
 * @param clientMillis processor time of this process; NaN when it has the store itself
 */
record Sample(
        Stopwatch.Times times, WrittenBytes written, double storeMillis, double clientMillis) {

    static Sample take(MeasuredStore store, Overwriting objects, double seconds)
            throws IOException, InterruptedException {
        WrittenBytes before = store.written();
        double storeBefore = ProcessUsage.cpuMillis(store.process());
        double clientsBefore = ProcessUsage.cpuMillis(ProcessHandle.current());
        Stopwatch.Times times = objects.overwriteFor(seconds);
        double clients = ProcessUsage.cpuMillis(ProcessHandle.current()) - clientsBefore;
        return new Sample(
                times,
                store.written().since(before),
                ProcessUsage.cpuMillis(store.process()) - storeBefore,
                store.process().equals(ProcessHandle.current()) ? Double.NaN : clients);
    }

    double writesPerSecond() {
        return times.writes() / times.seconds();
    }

    double storeMillisPerWrite() {
        return storeMillis / Math.max(1, times.writes());
    }

    double clientMillisPerWrite() {
        return clientMillis / Math.max(1, times.writes());
    }

    double cleaningPerNew() {
        return written.amplification(WriteCause.CLEANING);
    }
}
