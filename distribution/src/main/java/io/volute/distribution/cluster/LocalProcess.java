package io.volute.distribution.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A process of a cluster on this machine, which is started again when it ends. */
final class LocalProcess {
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final long LOOK_MILLIS = 50;
    private static final int LOG_LINES = 15;

    /**
     * A terminal sends Ctrl-C to all processes at once. The servers ignore it, so that they end in
     * order, the last started first.
     */
    private static final List<String> WITHOUT_TERMINAL =
            List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh");

    private final Launch launch;
    private final LongSupplier nanos;
    private Process process;
    private boolean isStopping;

    /**
     * The way to start a process.
     *
     * @param name for people
     * @param port that it listens on once it has started; 0 for a process that ends
     * @param log gets its output
     */
    record Launch(String name, List<String> command, int port, Path log) {}

    LocalProcess(Launch launch, LongSupplier nanos) {
        this.launch = launch;
        this.nanos = nanos;
    }

    Launch launch() {
        return launch;
    }

    /** Returns the last process that was started. */
    synchronized Process current() {
        return process;
    }

    synchronized long pid() {
        return process.pid();
    }

    /**
     * Starts it; the caller waits by {@link #awaitStarted}.
     *
     * @throws IOException also when it is being stopped
     */
    synchronized Process start() throws IOException {
        if (isStopping) {
            throw new IOException(launch.name() + " is being stopped");
        }
        List<String> command = new ArrayList<>(WITHOUT_TERMINAL);
        command.addAll(launch.command());
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(launch.log().toFile()));
        process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    /** Waits until it takes connections. */
    void awaitStarted() throws IOException, InterruptedException {
        long limit = nanos.getAsLong() + START_LIMIT.toNanos();
        while (!isListening()) {
            if (!process.isAlive() || nanos.getAsLong() - limit > 0) {
                throw failed();
            }
            if (process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                throw failed();
            }
        }
    }

    /** Waits until it has ended with success. */
    void awaitEnd() throws IOException, InterruptedException {
        if (!process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS)
                || process.exitValue() != 0) {
            throw failed();
        }
    }

    private boolean isListening() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), launch.port())) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private IOException failed() throws IOException {
        List<String> lines =
                Files.exists(launch.log()) ? Files.readAllLines(launch.log()) : List.of();
        return new IOException(
                launch.name()
                        + " did not start; "
                        + launch.log()
                        + " ends with:\n"
                        + String.join(
                                "\n",
                                lines.subList(
                                        Math.max(0, lines.size() - LOG_LINES), lines.size())));
    }

    /** Sends SIGTERM, and SIGKILL if it does not end in time. */
    void stop(Duration patience) {
        refuseStarts();
        Process last = current();
        if (last == null) {
            return;
        }
        last.destroy();
        try {
            if (!last.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
                int unused = last.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            last.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Refuses to start it again from now on. */
    synchronized void refuseStarts() {
        isStopping = true;
    }

    synchronized boolean isStopping() {
        return isStopping;
    }
}
