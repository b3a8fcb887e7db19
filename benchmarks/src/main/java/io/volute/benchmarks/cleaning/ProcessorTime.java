package io.volute.benchmarks.cleaning;

import java.time.Duration;
import java.util.Optional;

/**
 * Processor time that was taken, in steps of the system's clock: since the start of the processes,
 * or between two looks at them.
 *
 * @param store of the process that has the store
 * @param clients of this process; empty when it has the store itself, so that they are one figure
 */
record ProcessorTime(Duration store, Optional<Duration> clients) {

    static ProcessorTime of(ProcessHandle store) {
        ProcessHandle mine = ProcessHandle.current();
        return new ProcessorTime(
                taken(store), mine.equals(store) ? Optional.empty() : Optional.of(taken(mine)));
    }

    /** Returns the processor time of a process; zero if the system does not report it. */
    private static Duration taken(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Returns the processor time since an earlier sample of the same processes. */
    ProcessorTime since(ProcessorTime before) {
        return new ProcessorTime(
                store.minus(before.store),
                clients.map(now -> now.minus(before.clients.orElse(Duration.ZERO))));
    }

    static double millisPer(long operations, Duration taken) {
        return taken.toNanos() / 1e6 / Math.max(1, operations);
    }
}
