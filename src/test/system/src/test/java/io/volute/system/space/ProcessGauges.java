package io.volute.system.space;

import io.volute.system.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a server's process takes, asked from outside: {@code jcmd} and {@code /proc}. Management by
 * RMI is no way in: the server refuses all deserialisation. The server needs {@link #JVM_OPTIONS}.
 */
final class ProcessGauges {
    /**
     * In JAVA_TOOL_OPTIONS: native memory by its user, and all of the heap resident from the start,
     * so that growth of resident memory is growth of something else.
     */
    static final String JVM_OPTIONS =
            "-XX:NativeMemoryTracking=summary -Xms256m -Xmx256m -XX:+AlwaysPreTouch";

    private static final Path JCMD = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    private static final Pattern USED =
            Pattern.compile("(?:PSYoungGen|ParOldGen) +total \\d+K, used (\\d+)K");
    private static final Pattern TOTAL = Pattern.compile("Total: .*committed=(\\d+)KB");
    private static final Pattern OTHER = Pattern.compile("Other \\(.*committed=(\\d+)KB");

    private final ServerProcess server;
    private final Path commands;

    /**
     * @param directory for a file of commands
     */
    ProcessGauges(ServerProcess server, Path directory) throws IOException {
        this.server = server;
        this.commands =
                Files.writeString(
                        directory.resolve("jcmd.txt"),
                        "GC.run\nGC.heap_info\nVM.native_memory summary scale=KB\n");
    }

    /** Returns true if this machine has the needed tools. */
    static boolean areAvailable() {
        return Files.isExecutable(JCMD) && Files.isDirectory(Path.of("/proc/self/fd"));
    }

    /**
     * Now, by name: heap after a collection, memory that the JVM and its users allocated outside of
     * it ({@code direct}: buffers), resident memory, what of that the JVM knows nothing of ({@code
     * native}: mostly the index), open descriptors, threads.
     */
    Map<String, Double> read() throws IOException {
        String said = jcmd();
        double jvm = kibibytes(TOTAL, said);
        double anonymous = server.memoryKibibytes("RssAnon");
        Map<String, Double> found = new LinkedHashMap<>();
        found.put("heap_kib", kibibytes(USED, said));
        found.put("direct_kib", kibibytes(OTHER, said));
        found.put("rss_kib", (double) server.memoryKibibytes("VmRSS"));
        found.put("native_kib", anonymous - jvm);
        found.put("descriptors", (double) descriptors());
        found.put("threads", (double) server.memoryKibibytes("Threads"));
        return found;
    }

    private long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
            return open.count();
        }
    }

    private String jcmd() throws IOException {
        Process process =
                new ProcessBuilder(
                                List.of(
                                        JCMD.toString(),
                                        Long.toString(server.pid()),
                                        "-f",
                                        commands.toString()))
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("jcmd failed: " + said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return said;
    }

    /** The sum of what the pattern finds. */
    private static double kibibytes(Pattern pattern, String said) throws IOException {
        Matcher matcher = pattern.matcher(said);
        double sum = 0;
        boolean isFound = false;
        while (matcher.find()) {
            sum += Double.parseDouble(matcher.group(1));
            isFound = true;
        }
        if (!isFound) {
            throw new IOException("jcmd does not say " + pattern + ":\n" + said);
        }
        return sum;
    }
}
