package io.volute.benchmarks.http;

import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.http.RequestSigner.Account;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The server as users start it, in a JVM of its own with the classes of this one, on a free port of
 * the loopback address. It does not outlive the process that started it, unless that is killed.
 */
public final class ServerProcess implements AutoCloseable {
    /** The account of a store that exists only during a measurement. */
    public static final Account ACCOUNT =
            new Account("AKVOLUTEBENCHMARK", "only-for-a-store-that-is-measured", "us-east-1");

    /** Main class by name, because its module is present only at run time. */
    private static final String MAIN = "io.volute.distribution.Main";

    private static final Pattern READY = Pattern.compile("ready on http://[^ ]*:([0-9]+)");
    private static final long LONGEST_START_SECONDS = 120;
    private static final long LONGEST_STOP_SECONDS = 120;
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> RUNNING.forEach(Process::destroyForcibly), "server-end-0"));
    }

    private final Process process;
    private final Path output;
    private int port;

    private ServerProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
        RUNNING.add(process);
    }

    /**
     * Returns when the server is ready.
     *
     * @param settings of docs/reference/settings.md, by key; the others have their defaults
     * @throws IOException when it does not start; the message has its output
     */
    public static ServerProcess start(Path data, Map<String, String> settings)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("server", ".log");
        Process process = builder(data, settings).redirectOutput(output.toFile()).start();
        ServerProcess server = new ServerProcess(process, output);
        boolean ready = false;
        try {
            server.awaitReady();
            ready = true;
            return server;
        } finally {
            if (!ready) {
                server.discard();
            }
        }
    }

    private void awaitReady() throws IOException, InterruptedException {
        long deadline = Ticks.nanos() + TimeUnit.SECONDS.toNanos(LONGEST_START_SECONDS);
        while (port == 0) {
            boolean ended = process.waitFor(20, TimeUnit.MILLISECONDS);
            Matcher ready = READY.matcher(Files.readString(output));
            if (ready.find()) {
                port = Integer.parseInt(ready.group(1));
            } else if (ended || Ticks.nanos() > deadline) {
                throw new IOException("the server does not start: " + Files.readString(output));
            }
        }
    }

    private void discard() throws IOException {
        process.destroyForcibly();
        RUNNING.remove(process);
        Files.delete(output);
    }

    /** Memory and collector are those of {@code ./volute}. */
    private static ProcessBuilder builder(Path data, Map<String, String> settings) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xms64m", "-Xmx512m", "-XX:MaxDirectMemorySize=512m"));
        command.addAll(List.of("-XX:+UseParallelGC", "-XX:+ExitOnOutOfMemoryError"));
        command.addAll(List.of("-Djdk.serialFilter=!*", "-Dfile.encoding=UTF-8"));
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN, "server"));
        command.addAll(List.of("--data", data.toString(), "--listen", "127.0.0.1:0"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        // Settings of the user's own server must not change the measurement.
        builder.environment().keySet().removeIf(name -> name.startsWith("VOLUTE_"));
        builder.environment().put("VOLUTE_ACCESS_KEY", ACCOUNT.accessKey());
        builder.environment().put("VOLUTE_SECRET_KEY", ACCOUNT.secretKey());
        settings.forEach((key, value) -> builder.environment().put(variable(key), value));
        return builder;
    }

    private static String variable(String key) {
        return "VOLUTE_" + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    public ProcessHandle process() {
        return process.toHandle();
    }

    /**
     * Stops the server in an orderly way.
     *
     * @throws IOException when it does not end, or ends with a status other than 0
     */
    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            boolean ended = process.waitFor(LONGEST_STOP_SECONDS, TimeUnit.SECONDS);
            if (!ended || process.exitValue() != 0) {
                throw new IOException("the server does not end well: " + Files.readString(output));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            discard();
        }
    }
}
