package io.volute.benchmarks.history;

import io.volute.benchmarks.Ticks;
import io.volute.versioning.Caller;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * What a restore did.
 *
 * @param restored keys that it put back
 * @param exact objects that hold what they held, to the byte
 * @param millis plan and restore
 * @param readBytes by calls of the process that read; -1 where the system does not tell
 */
record Recovery(long restored, int exact, long millis, long readBytes) {
    private static final Path COUNTERS = Path.of("/proc/self/io");
    private static final String READ = "rchar: ";

    /** What the objects held. */
    interface Wanted {
        byte[] content(int object);
    }

    static Recovery of(PolicyStore store, Goal goal, int objects, Wanted wanted)
            throws IOException {
        long readBefore = counter();
        long began = Ticks.nanos();
        Run run = store.restore(goal);
        long millis = TimeUnit.NANOSECONDS.toMillis(Ticks.nanos() - began);
        long read = readBefore < 0 ? -1 : counter() - readBefore;
        Caller auditor = PolicyStore.caller("auditor");
        int exact = 0;
        for (int i = 0; i < objects; i++) {
            exact += isExact(store, auditor, i, wanted.content(i)) ? 1 : 0;
        }
        return new Recovery(run.restored(), exact, millis, read);
    }

    /** An object of which nothing was kept may be gone. */
    private static boolean isExact(PolicyStore store, Caller auditor, int object, byte[] wanted)
            throws IOException {
        try {
            return Arrays.equals(store.get(auditor, "k" + object), wanted);
        } catch (StoreException e) {
            if (e.reason() != Reason.NO_SUCH_KEY) {
                throw e;
            }
            return false;
        }
    }

    private static long counter() throws IOException {
        if (!Files.isReadable(COUNTERS)) {
            return -1;
        }
        return Files.readAllLines(COUNTERS).stream()
                .filter(line -> line.startsWith(READ))
                .mapToLong(line -> Long.parseLong(line.substring(READ.length())))
                .findFirst()
                .orElse(-1);
    }
}
