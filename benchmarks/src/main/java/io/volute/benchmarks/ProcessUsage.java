package io.volute.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Resources that processes have used since their start, as the system accounts them. */
public final class ProcessUsage {
    private ProcessUsage() {}

    /** Returns user and system time in steps of 10 ms; 0 if the system does not report it. */
    public static double cpuMillis(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e6;
    }

    /** Returns the largest resident memory, see {@code proc(5)}. */
    public static long rssPeakBytes(ProcessHandle process) throws IOException {
        return rssPeakBytes(
                Files.readString(Path.of("/proc", Long.toString(process.pid()), "status")));
    }

    static long rssPeakBytes(String status) {
        return status.lines()
                .filter(text -> text.startsWith("VmHWM:"))
                .mapToLong(text -> Long.parseLong(text.replaceAll("[^0-9]", "")) << 10)
                .findFirst()
                .orElse(0);
    }
}
