package io.volute.system;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The real server as a child JVM, on a port and a directory of its own. {@link #kill} is SIGKILL,
 * {@link #stop} is SIGTERM. Closing it never leaves a process behind.
 */
public final class ServerProcess implements AutoCloseable {
    public static final String ACCESS_KEY = "AKVOLUTESYSTEMTEST";
    public static final String SECRET_KEY = "sYsTeMtEsTsEcReTkEy0123456789abcdefghijk";

    /** Options of the JVM of each server. */
    static final List<String> JVM =
            List.of("-XX:+UseParallelGC", "-XX:+ExitOnOutOfMemoryError", "-Djdk.serialFilter=!*");

    private static final int HEAP_MEGABYTES = 512;
    private static final int DIRECT_MEGABYTES = 256;
    private static final int LOG_LINES_MAX = 2_000;

    /** The begin of the first line that a server prints when it takes requests. */
    private static final String READY = "Volute is ready on http";

    /** Below those that Linux gives to clients, 32768 to 60999 unless somebody changed that. */
    private static final int PORTS_FROM = 20_000;

    private static final int PORTS_TO = 32_000;
    private static final int PORT_TRIES = 1_000;
    private static final Set<Integer> GIVEN_PORTS = ConcurrentHashMap.newKeySet();

    /** Open, with a lock each, as long as this JVM runs. */
    private static final Queue<FileChannel> CLAIMS = new ConcurrentLinkedQueue<>();

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final HttpClient HEALTH =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    /** Processes to end together with the test JVM. */
    private static final Set<Process> LIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> LIVE.forEach(Process::destroyForcibly), "server-reaper"));
    }

    private final Process process;
    private final Options options;
    private final List<String> log = new ArrayList<>();
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    private final Thread reader;

    /**
     * How the server is started.
     *
     * @param jvm what differs between servers: memory and compilers
     * @param arguments what follows {@code server --data DIR --listen HOST:PORT}
     * @param environment added to the credentials
     */
    public record Options(
            Path data,
            int port,
            List<String> jvm,
            List<String> arguments,
            Map<String, String> environment) {

        /** For a server that has little to do. */
        public static Options of(Path data) {
            List<String> jvm = new ArrayList<>(memory(HEAP_MEGABYTES, DIRECT_MEGABYTES));
            jvm.add(VoluteJvm.QUICK);
            return new Options(data, freePort(), List.copyOf(jvm), List.of(), Map.of());
        }

        private static List<String> memory(int heap, int direct) {
            return List.of("-Xmx" + heap + "m", "-XX:MaxDirectMemorySize=" + direct + "m");
        }

        boolean isTls() {
            return environment.containsKey("VOLUTE_TLS_CERTIFICATE");
        }

        public Options withPort(int other) {
            return new Options(data, other, jvm, arguments, environment);
        }

        /**
         * Returns options with the compilers of the test: in the long forms all of them, as {@code
         * ./volute} starts the server. A short form ends before the other compiler has paid off.
         */
        public Options underLoad() {
            boolean isShort =
                    ManagementFactory.getRuntimeMXBean()
                            .getInputArguments()
                            .contains(VoluteJvm.QUICK);
            return isShort ? this : withMemory(HEAP_MEGABYTES, DIRECT_MEGABYTES);
        }

        /** The same with so many megabytes of heap, and of direct memory. */
        public Options withMemory(int heap, int direct) {
            return new Options(data, port, memory(heap, direct), arguments, environment);
        }

        public Options withArguments(String... more) {
            return new Options(data, port, jvm, List.of(more), environment);
        }

        public Options withEnvironment(Map<String, String> more) {
            return new Options(data, port, jvm, arguments, more);
        }
    }

    private ServerProcess(Process process, Options options) {
        this.process = process;
        this.options = options;
        LIVE.add(process);
        this.reader = new Thread(this::readOutput, "server-output-" + options.port());
        this.reader.setDaemon(true);
        this.reader.start();
    }

    /** Starts the server and returns when it reports that it is ready; fails with its output. */
    public static ServerProcess start(Options options) {
        ServerProcess server = launch(options);
        try {
            server.awaitReady();
            return server;
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    public static ServerProcess start(TemporaryStore directory) {
        return start(Options.of(directory.data()));
    }

    public static ServerProcess start(TemporaryStore directory, Map<String, String> environment) {
        return start(Options.of(directory.data()).withEnvironment(environment));
    }

    /** Starts the process only. */
    public static ServerProcess launch(Options options) {
        List<String> jvm = new ArrayList<>(JVM);
        jvm.addAll(options.jvm());
        List<String> command = TrainedJvm.command(jvm).orElseGet(() -> VoluteJvm.command(jvm));
        command.add("server");
        command.add("--data");
        command.add(options.data().toString());
        command.add("--listen");
        command.add("127.0.0.1:" + options.port());
        command.addAll(options.arguments());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("VOLUTE_ACCESS_KEY", ACCESS_KEY);
        builder.environment().put("VOLUTE_SECRET_KEY", SECRET_KEY);
        builder.environment().putAll(options.environment());
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            return new ServerProcess(process, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readOutput() {
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (log) {
                    if (log.size() == LOG_LINES_MAX) {
                        log.remove(0);
                    }
                    log.add(line);
                }
                if (line.startsWith(READY)) {
                    ready.complete(true);
                }
            }
        } catch (IOException e) {
            synchronized (log) {
                log.add("(output closed: " + e.getMessage() + ")");
            }
        }
        ready.complete(false);
    }

    private void awaitReady() {
        boolean said;
        try {
            said = ready.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the server started", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the server said nothing of being ready:\n" + log(), e);
        }
        if (!said) {
            throw new IllegalStateException("the server ended before it was ready:\n" + log());
        }
        int status = options.isTls() ? 200 : health("/health/ready");
        if (status != 200) {
            throw new IllegalStateException(
                    "ready was printed but /health/ready says " + status + ":\n" + log());
        }
    }

    /** The status of a health route. */
    public int health(String path) {
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(endpoint().resolve(path))
                            .timeout(Duration.ofSeconds(10))
                            .build();
            return HEALTH.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    public URI endpoint() {
        return URI.create((options.isTls() ? "https" : "http") + "://127.0.0.1:" + options.port());
    }

    int port() {
        return options.port();
    }

    public Options options() {
        return options;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal such as STOP to a process. */
    public static void signal(String name, long process) throws IOException, InterruptedException {
        Process sent = new ProcessBuilder("kill", "-" + name, Long.toString(process)).start();
        if (sent.waitFor() != 0) {
            throw new IOException("process " + process + " did not take the signal " + name);
        }
    }

    /** SIGKILL; returns when the process is gone. */
    public void kill() {
        process.destroyForcibly();
        awaitExit(Duration.ofSeconds(30));
    }

    /** SIGKILL unless it has ended by then; the time only varies where in its start it dies. */
    public void killAfter(Duration time) {
        try {
            process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill();
    }

    /** SIGTERM; returns the exit code. */
    public int stop() {
        // That of the process closes what it still has to say.
        process.toHandle().destroy();
        return awaitExit(Duration.ofSeconds(60));
    }

    /** Waits for the process to end by itself and returns its exit code. */
    public int awaitExit(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(
                        "the server did not end within " + limit + ":\n" + log());
            }
            reader.join(5_000);
            LIVE.remove(process);
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Returns the output of the process, standard error included. */
    public String log() {
        synchronized (log) {
            return String.join("\n", log);
        }
    }

    /** A value of /proc/PID/status in KiB, such as VmRSS or VmHWM. */
    public long memoryKibibytes(String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid() + "/status"))) {
            if (line.startsWith(name + ":")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException("/proc/" + pid() + "/status has no " + name);
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }

    /**
     * Returns whether this JVM is the only one that may give a port. Tests run in several at once,
     * and each may find a port free that another has given and not used yet.
     */
    private static boolean isClaimed(int port) {
        try {
            Path claims =
                    Files.createDirectories(
                            Path.of(System.getProperty("java.io.tmpdir"), "volute-test-ports"));
            FileChannel claim =
                    FileChannel.open(
                            claims.resolve(Integer.toString(port)),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            // The lock ends with the JVM.
            if (claim.tryLock() != null) {
                CLAIMS.add(claim);
                return true;
            }
            claim.close();
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A port that was free a moment ago, and that no client is given meanwhile. Each is given once,
     * because a test can choose several before it uses the first.
     */
    public static int freePort() {
        for (int port : new Random().ints(PORT_TRIES, PORTS_FROM, PORTS_TO).toArray()) {
            if (!GIVEN_PORTS.add(port) || !isClaimed(port)) {
                continue;
            }
            try (ServerSocket unused =
                    new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return port;
            } catch (IOException e) {
                // Somebody has it.
            }
        }
        throw new IllegalStateException("no free port from " + PORTS_FROM + " to " + PORTS_TO);
    }
}
