package io.volute.system.events;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A message broker as a child process. It ends by SIGKILL, with the test JVM at the latest. */
final class BrokerProcess {
    private static final Set<Process> LIVE = ConcurrentHashMap.newKeySet();
    private static final long LIMIT_SECONDS = 60;
    private static final long AGAIN_NANOS = 100_000_000;

    static {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> LIVE.forEach(Process::destroyForcibly), "broker-reaper"));
    }

    private final Path output;
    private final List<String> command;
    private Process process;

    BrokerProcess(Path output, List<String> command) {
        this.output = output;
        this.command = command;
    }

    void start() throws IOException {
        process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                        .start();
        process.getOutputStream().close();
        LIVE.add(process);
    }

    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LIVE.remove(process);
    }

    /** Runs a command to its end. */
    static void run(Path output, List<String> command) throws IOException {
        BrokerProcess one = new BrokerProcess(output, command);
        one.start();
        try {
            if (!one.process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)
                    || one.process.exitValue() != 0) {
                throw new IOException(Files.readString(output));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            one.kill();
        }
    }

    /** An action that fails until the broker is ready. */
    interface Attempt {
        void run() throws Exception;
    }

    /** Repeats an action until it succeeds. */
    void await(Attempt attempt) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (true) {
            try {
                attempt.run();
                return;
            } catch (Exception e) {
                if (System.nanoTime() > end || !process.isAlive()) {
                    throw new IOException(Files.readString(output), e);
                }
                pause();
            }
        }
    }

    /** Waits a moment for an answer of a process, which nothing else reports. */
    static void pause() {
        LockSupport.parkNanos(AGAIN_NANOS);
    }
}
