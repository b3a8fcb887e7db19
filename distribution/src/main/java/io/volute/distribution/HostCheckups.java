package io.volute.distribution;

import io.volute.admin.output.AnswerFormat;
import io.volute.server.auditlog.AuditScan;
import io.volute.server.config.ServerConfig;
import io.volute.server.http.HttpSettings.TlsFiles;
import io.volute.server.startup.AuditLogs;
import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks the resources of the machine for a process: files, memory and time. */
final class HostCheckups {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Path MEMORY = Path.of("/proc/meminfo");

    private static final Pattern OPEN_FILES = Pattern.compile("Max open files +(\\S+)");
    private static final Pattern TOTAL = Pattern.compile("MemTotal: +(\\d+) kB");
    private static final Pattern AVAILABLE = Pattern.compile("MemAvailable: +(\\d+) kB");

    /** Segments, index files and libraries. */
    private static final long OWN_FILES = 2048;

    private static final long FEW_FILES = 1024;

    /** Heap and buffers that ./volute gives to the process. */
    private static final long PROCESS_BYTES = 1L << 30;

    private static final Duration DRIFT_MAX = Duration.ofMillis(100);
    private static final Duration CLOCK_WARN = Duration.ofSeconds(5);

    /** From here on requests are refused; Limits of the server. */
    private static final Duration CLOCK_FAIL = Duration.ofMinutes(15);

    private HostCheckups() {}

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    static Checkup openFiles(ServerConfig config) {
        return openFiles(read(LIMITS), config.http().caps().connections());
    }

    /**
     * @param limits as /proc/self/limits has them; empty where there are none
     */
    static Checkup openFiles(String limits, int connections) {
        Matcher found = OPEN_FILES.matcher(limits);
        String name = "open files";
        if (!found.find()) {
            return Checkup.ok(name, "this system does not tell its limit");
        }
        if (found.group(1).equals("unlimited")) {
            return Checkup.ok(name, "no limit");
        }
        long most = Long.parseLong(found.group(1));
        long needed = connections + OWN_FILES;
        String advice =
                "raise it to "
                        + needed
                        + " (ulimit -n, or LimitNOFILE= of the systemd unit), or lower"
                        + " limits.connections";
        if (most < FEW_FILES) {
            return Checkup.fail(name, "at most " + most, advice);
        }
        return most < needed
                ? Checkup.warn(name, "at most " + most, advice)
                : Checkup.ok(name, "at most " + most);
    }

    /** Looks whether there is a store in the data directory at all. */
    static Checkup store(Path directory) {
        return Files.exists(directory.resolve("volute.mark"))
                        || Files.exists(directory.resolve("volute.mark.copy"))
                ? Checkup.ok("data directory", directory + " has a store")
                : Checkup.warn(
                        "data directory",
                        directory + " has no store yet",
                        "if the server has another one, name it: --config FILE, or --data DIR; the"
                                + " server's ready message shows it");
    }

    /**
     * Looks for missing and changed lines of the audit log. A running server may remove its oldest
     * file meanwhile, so a problem counts when a second look finds it.
     */
    static Optional<Checkup> auditLog(FileSystem files, ServerConfig config) {
        String name = "audit log";
        if (!config.auditLog().isOn()) {
            return Optional.empty();
        }
        Path directory = config.auditLog().directory();
        try {
            List<String> problems = List.of();
            for (int look = 0; look == 0 || look == 1 && !problems.isEmpty(); look++) {
                problems = AuditScan.of(files, config.dataDirectory(), directory).problems();
            }
            if (problems.isEmpty() && !files.exists(directory)) {
                return Optional.empty();
            }
            return Optional.of(
                    problems.isEmpty()
                            ? Checkup.ok(name, "nothing is missing in " + directory)
                            : Checkup.fail(name, String.join("; ", problems), AuditLogs.PUT_BACK));
        } catch (IOException e) {
            return Optional.of(
                    Checkup.warn(
                            name,
                            directory + " cannot be read: " + e,
                            "run volute doctor as the user of the server"));
        }
    }

    static Checkup certificate(TlsFiles files, Instant now) {
        String name = "certificate";
        try {
            TlsFiles.Dates dates = files.dates(now);
            if (dates.problem().isEmpty()) {
                return Checkup.ok(name, "it is valid until " + dates.end());
            }
            return dates.isInvalid()
                    ? Checkup.fail(name, dates.problem(), "renew it: clients refuse the server")
                    : Checkup.warn(name, dates.problem(), "renew it");
        } catch (IOException e) {
            return Checkup.fail(name, e.getMessage(), "volute config check shows all");
        }
    }

    static Checkup memory(ServerConfig config) {
        return memory(
                read(MEMORY),
                PROCESS_BYTES
                        + config.memory().imageBytes()
                        + config.log().blockCacheBytes()
                        + config.log().writeBufferBytes());
    }

    /**
     * @param figures as /proc/meminfo has them; empty where there are none
     */
    static Checkup memory(String figures, long needed) {
        Matcher total = TOTAL.matcher(figures);
        Matcher available = AVAILABLE.matcher(figures);
        if (!total.find() || !available.find()) {
            return Checkup.ok("memory", "this system does not tell");
        }
        long all = Long.parseLong(total.group(1)) << 10;
        long free = Long.parseLong(available.group(1)) << 10;
        String found =
                AnswerFormat.bytes(free)
                        + " of "
                        + AnswerFormat.bytes(all)
                        + " are available; the server takes up to "
                        + AnswerFormat.bytes(needed);
        if (all < needed) {
            return Checkup.fail(
                    "memory",
                    found,
                    "lower -Xmx and -XX:MaxDirectMemorySize (VOLUTE_JAVA_OPTS), limits.buffers,"
                            + " memory.images.bytes and index.block-cache, or add memory");
        }
        return free < needed
                ? Checkup.warn("memory", found, "unless a server runs here already, make room")
                : Checkup.ok("memory", found);
    }

    /**
     * @param wall that passed by the clock
     * @param monotonic that passed
     */
    static Checkup drift(Duration wall, Duration monotonic) {
        Duration off = wall.minus(monotonic).abs();
        return off.compareTo(DRIFT_MAX) > 0
                ? Checkup.warn(
                        "clock",
                        "the clock was moved by " + off.toMillis() + " ms meanwhile",
                        "let chrony or ntpd slew it: histories are read by time")
                : Checkup.ok("clock", "the clock is steady");
    }

    /**
     * @param off by how much the server's clock differs from ours
     */
    static Checkup serverClock(Duration off) {
        String found = "the server's clock is within " + (off.abs().toSeconds() + 1) + " s of ours";
        if (off.abs().compareTo(CLOCK_FAIL) >= 0) {
            return Checkup.fail(
                    "server clock",
                    "the server's clock is off by " + off.abs().toSeconds() + " s",
                    "set both with NTP: signatures are refused from 15 minutes on");
        }
        return off.abs().compareTo(CLOCK_WARN) >= 0
                ? Checkup.warn(
                        "server clock",
                        "the server's clock is off by " + off.abs().toSeconds() + " s",
                        "set both with NTP")
                : Checkup.ok("server clock", found);
    }
}
