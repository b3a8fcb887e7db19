package io.volute.distribution.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.distribution.cluster.LocalProcess.Launch;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The processes of a cluster on this machine end in order, and none is left behind. */
@Timeout(60)
class LocalClusterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir private Path directory;

    private static void send(String signal, long pid) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start();
        assertThat(kill.waitFor()).isZero();
    }

    private Path fifo(String name) throws Exception {
        Path fifo = directory.resolve(name);
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        return fifo;
    }

    private static String line(Path fifo) throws IOException {
        try (BufferedReader in = Files.newBufferedReader(fifo, StandardCharsets.UTF_8)) {
            return in.readLine();
        }
    }

    /** A terminal interrupts the command and its processes at once. */
    @Test
    void anInterruptEndsNoProcess() throws Exception {
        Path fifo = fifo("began");
        String script = "echo $$ > " + fifo + "; exec sleep 50";
        LocalProcess process =
                new LocalProcess(
                        new Launch("p", List.of("sh", "-c", script), 0, directory.resolve("log")),
                        System::nanoTime);
        Process started = process.start();
        assertThat(line(fifo)).isEqualTo(Long.toString(process.pid()));
        send("INT", process.pid());
        send("HUP", process.pid());
        assertThat(started.isAlive()).isTrue();
        process.stop(PATIENCE);
        assertThat(started.isAlive()).isFalse();
        // The last signal ended it: that of the stop.
        assertThat(started.exitValue()).isEqualTo(128 + 15);
    }

    @Test
    void aStopWhileItStartsIsQuietAndLeavesNothing() throws Exception {
        Path fifo = fifo("began");
        Path java = directory.resolve("java");
        Files.writeString(java, "#!/bin/sh\necho $$ > " + fifo + "\nexec sleep 50\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> said = new CopyOnWriteArrayList<>();
        LocalCluster cluster =
                new LocalCluster(
                        new ServerFiles(directory.resolve("data"), new ClusterPorts(19_300)),
                        new LocalCluster.Programs(
                                java.toString(), "volute", "servers", Duration.ofSeconds(4)),
                        System::nanoTime,
                        said::add);
        CompletableFuture<Boolean> start =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return cluster.start(new Random(1));
                            } catch (IOException | InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        long pid = Long.parseLong(line(fifo));
        cluster.close();
        assertThat(start.get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(said).isEmpty();
    }
}
