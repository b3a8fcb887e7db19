package io.volute.distribution.cluster;

import io.volute.distribution.cluster.LocalProcess.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** ZooKeeper, bookies and nodes as processes of this machine, on loopback. */
final class LocalCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final List<String> SERVER_JVM =
            List.of(
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xmx384m",
                    "-XX:MaxDirectMemorySize=512m",
                    "-Djava.net.preferIPv4Stack=true",
                    "-Dio.netty.tryReflectionSetAccessible=true",
                    "--enable-native-access=ALL-UNNAMED",
                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
    private static final List<String> NODE_JVM =
            List.of(
                    "-Xmx512m",
                    "-XX:MaxDirectMemorySize=512m",
                    "-XX:+UseParallelGC",
                    "-XX:+ExitOnOutOfMemoryError",
                    "-Djdk.serialFilter=!*",
                    "--enable-native-access=ALL-UNNAMED");

    private final ServerFiles files;
    private final Programs programs;
    private final LongSupplier nanos;
    private final Consumer<String> out;

    /** All processes that were started, in order. Guarded by this. */
    private final List<LocalProcess> processes = new ArrayList<>();

    private boolean isClosed;

    /**
     * The programs of a cluster.
     *
     * @param java the launcher of the JVM
     * @param volute class path of this program
     * @param servers class path of ZooKeeper and BookKeeper as servers
     * @param session time after which a lost owner is replaced
     */
    record Programs(String java, String volute, String servers, Duration session) {}

    /**
     * @param out gets lines for the person who started the cluster
     */
    LocalCluster(ServerFiles files, Programs programs, LongSupplier nanos, Consumer<String> out) {
        this.files = files;
        this.programs = programs;
        this.nanos = nanos;
        this.out = out;
    }

    /**
     * Starts all processes, one kind after the other.
     *
     * @return whether all run; false when it was closed meanwhile
     */
    boolean start(RandomGenerator random) throws IOException, InterruptedException {
        try {
            startAll(random);
            return true;
        } catch (IOException e) {
            if (isClosed()) {
                return false;
            }
            throw e;
        }
    }

    private void startAll(RandomGenerator random) throws IOException, InterruptedException {
        files.ports().requireFree();
        files.write(programs.session(), random);
        started(server("zookeeper", files.ports().zooKeeper(), zooKeeper()));
        if (!Files.exists(files.formatted())) {
            format();
        }
        List<LocalProcess> bookies = new ArrayList<>();
        for (int i = 0; i < ClusterPorts.BOOKIES; i++) {
            bookies.add(server("bookie" + (i + 1), files.ports().bookie(i), bookie(i)));
        }
        for (LocalProcess each : bookies) {
            begin(each);
        }
        for (LocalProcess each : bookies) {
            each.awaitStarted();
            tell(each, "127.0.0.1:" + each.launch().port());
        }
        for (int i = 0; i < ClusterPorts.NODES; i++) {
            if (i > 0) {
                files.copyKeys(i);
            }
            started(node(i));
        }
        all().forEach(this::supervise);
    }

    private synchronized List<LocalProcess> all() {
        return List.copyOf(processes);
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    /** Prepares ZooKeeper for BookKeeper, once. */
    private void format() throws IOException, InterruptedException {
        String address = "127.0.0.1:" + files.ports().zooKeeper();
        runToEnd(
                server(
                        "create-root",
                        0,
                        "org.apache.zookeeper.ZooKeeperMain",
                        "-server",
                        address,
                        "create",
                        "/volute"));
        runToEnd(
                server(
                        "initnewcluster",
                        0,
                        "org.apache.bookkeeper.bookie.BookieShell",
                        "-conf",
                        files.bookieConfig(0).toString(),
                        "initnewcluster"));
        Files.createFile(files.formatted());
    }

    private void runToEnd(LocalProcess process) throws IOException, InterruptedException {
        begin(process);
        process.awaitEnd();
        ended(process);
    }

    private synchronized void ended(LocalProcess process) {
        processes.remove(process);
    }

    private String[] zooKeeper() {
        return new String[] {
            "org.apache.zookeeper.server.quorum.QuorumPeerMain", files.zooKeeperConfig().toString()
        };
    }

    private String[] bookie(int number) {
        return new String[] {
            "org.apache.bookkeeper.server.Main", "--conf", files.bookieConfig(number).toString()
        };
    }

    private LocalProcess server(String name, int port, String... command) {
        List<String> all = new ArrayList<>(List.of(programs.java()));
        all.addAll(SERVER_JVM);
        all.addAll(List.of("-cp", programs.servers()));
        all.addAll(List.of(command));
        return new LocalProcess(new Launch(name, all, port, files.log(name)), nanos);
    }

    private LocalProcess node(int number) {
        String name = "node" + (number + 1);
        List<String> all = new ArrayList<>(List.of(programs.java()));
        all.addAll(NODE_JVM);
        all.addAll(List.of("-cp", programs.volute(), "io.volute.distribution.Main", "server"));
        all.addAll(List.of("--config", files.nodeConfig(number).toString()));
        int port = files.ports().s3(number);
        return new LocalProcess(new Launch(name, all, port, files.log(name)), nanos);
    }

    /**
     * Starts a process, unless all are being stopped: none is left behind.
     *
     * @throws IOException when it cannot be started
     */
    private synchronized void begin(LocalProcess process) throws IOException {
        if (isClosed) {
            throw new IOException("the cluster is being stopped");
        }
        processes.add(process);
        Process unused = process.start();
    }

    private void started(LocalProcess process) throws IOException, InterruptedException {
        begin(process);
        process.awaitStarted();
        boolean isNode = process.launch().name().startsWith("node");
        tell(process, (isNode ? "http://" : "") + "127.0.0.1:" + process.launch().port());
    }

    private void tell(LocalProcess process, String address) {
        out.accept(process.launch().name() + "  " + address + "  process " + process.pid());
    }

    /** Starts a process again that somebody has killed. */
    private void supervise(LocalProcess process) {
        Thread.ofVirtual()
                .name("supervise-" + process.launch().name())
                .start(
                        () -> {
                            try {
                                while (!process.isStopping()) {
                                    int code = process.current().waitFor();
                                    if (!process.isStopping()) {
                                        out.accept(
                                                process.launch().name()
                                                        + " has ended with code "
                                                        + code
                                                        + ": starting it again");
                                        Process unused = process.start();
                                        process.awaitStarted();
                                        out.accept(
                                                process.launch().name()
                                                        + " runs again as process "
                                                        + process.pid());
                                    }
                                }
                            } catch (IOException e) {
                                if (!process.isStopping()) {
                                    out.accept(e.getMessage());
                                }
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    /** Stops all processes, the last started first. */
    @Override
    public void close() {
        List<LocalProcess> all;
        synchronized (this) {
            isClosed = true;
            all = List.copyOf(processes);
        }
        all.forEach(LocalProcess::refuseStarts);
        for (LocalProcess each : all.reversed()) {
            each.stop(PATIENCE);
        }
    }
}
