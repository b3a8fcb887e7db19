package io.volute.benchmarks.history;

import io.volute.benchmarks.Ticks;
import io.volute.versioning.Restore.Goal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a restore did.
 *
 * @param restored keys that it put back
 * @param exact objects that hold what they held, to the byte
 * @param millis plan and restore
 * @param readBytes by calls of the process with the store that read; -1 where the system does not
 *     tell
 */
record Recovery(long restored, int exact, long millis, long readBytes) {
    private static final String READ = "rchar: ";

    /** The expected content of the objects. */
    interface Wanted {
        byte[] content(int object);
    }

    static Recovery of(HistoryStore store, Goal goal, int objects, Wanted wanted)
            throws IOException {
        ProcessHandle worker = store.processes().getLast();
        long readBefore = counter(worker);
        long began = Ticks.nanos();
        long restored = store.restore(goal);
        long millis = TimeUnit.NANOSECONDS.toMillis(Ticks.nanos() - began);
        long read = readBefore < 0 ? -1 : counter(worker) - readBefore;
        int exact = 0;
        for (int i = 0; i < objects; i++) {
            // An object of which nothing was kept may be gone.
            Optional<byte[]> now = store.get("auditor", "k" + i);
            exact += now.isPresent() && Arrays.equals(now.get(), wanted.content(i)) ? 1 : 0;
        }
        return new Recovery(restored, exact, millis, read);
    }

    private static long counter(ProcessHandle process) throws IOException {
        Path counters = Path.of("/proc", Long.toString(process.pid()), "io");
        if (!Files.isReadable(counters)) {
            return -1;
        }
        return Files.readAllLines(counters).stream()
                .filter(line -> line.startsWith(READ))
                .mapToLong(line -> Long.parseLong(line.substring(READ.length())))
                .findFirst()
                .orElse(-1);
    }
}
