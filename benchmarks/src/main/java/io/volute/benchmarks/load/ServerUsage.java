package io.volute.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a server process has used, from Linux's process accounting ({@code proc(5)}).
 *
 * @param cpuMillis user and system time since its start, in steps of 10 ms
 * @param rssPeakBytes largest resident memory since its start
 */
record ServerUsage(long cpuMillis, long rssPeakBytes) {
    /** USER_HZ is 100 on every Linux that Java runs on. */
    private static final long MILLIS_PER_TICK = 10;

    static ServerUsage of(long pid) throws IOException {
        Path directory = Path.of("/proc", Long.toString(pid));
        return new ServerUsage(
                cpuMillis(Files.readString(directory.resolve("stat"))),
                rssPeakBytes(Files.readString(directory.resolve("status"))));
    }

    /** The command's name is in brackets and may hold anything, so fields count from its end. */
    static long cpuMillis(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * MILLIS_PER_TICK;
    }

    static long rssPeakBytes(String status) {
        for (String text : status.lines().toList()) {
            if (text.startsWith("VmHWM:")) {
                return Long.parseLong(text.replaceAll("[^0-9]", "")) << 10;
            }
        }
        return 0;
    }
}
