package io.volute.benchmarks.http;

import io.volute.benchmarks.http.RequestSigner.Account;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
    private static final String MAIN = "io.volute.admin.Main";

    private static final Pattern READY = Pattern.compile("ready on http://[^ ]*:([0-9]+)");
    private static final int LINES_KEPT = 20;
    private static final long START_SECONDS_MAX = 120;
    private static final long STOP_SECONDS_MAX = 120;
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> RUNNING.forEach(Process::destroyForcibly), "server-end-0"));
    }

    private final Process process;
    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    private final ArrayDeque<String> lastLines = new ArrayDeque<>();

    private ServerProcess(Process process) {
        this.process = process;
        RUNNING.add(process);
        Thread.ofPlatform().name("server-output-0").daemon().start(this::readOutput);
    }

    /**
     * Returns when the server is ready.
     *
     * @param settings of docs/reference/settings.md, by key; the others have their defaults
     * @throws IOException when it does not start; the message has its last lines
     */
    public static ServerProcess start(Path data, Map<String, String> settings)
            throws IOException, InterruptedException {
        ServerProcess server = new ServerProcess(builder(data, settings).start());
        boolean ready = false;
        try {
            server.port.get(START_SECONDS_MAX, TimeUnit.SECONDS);
            ready = true;
            return server;
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the server does not start: " + server.lastLines(), e);
        } finally {
            if (!ready) {
                server.process.destroyForcibly();
                RUNNING.remove(server.process);
            }
        }
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

    private void readOutput() {
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                keep(line);
                Matcher ready = READY.matcher(line);
                if (ready.find()) {
                    port.complete(Integer.valueOf(ready.group(1)));
                }
            }
            port.completeExceptionally(new IOException("it ended before it was ready"));
        } catch (IOException e) {
            keep("(its output cannot be read: " + e.getMessage() + ")");
            port.completeExceptionally(e);
        }
    }

    private void keep(String line) {
        synchronized (lastLines) {
            if (lastLines.size() == LINES_KEPT) {
                lastLines.removeFirst();
            }
            lastLines.addLast(line);
        }
    }

    private String lastLines() {
        synchronized (lastLines) {
            return String.join("\n", lastLines);
        }
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port.join());
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
            if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IOException("the server does not end: " + lastLines());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
            RUNNING.remove(process);
        }
        if (!process.isAlive() && process.exitValue() != 0) {
            throw new IOException(
                    "the server ended with status " + process.exitValue() + ": " + lastLines());
        }
    }
}
