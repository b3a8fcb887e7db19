package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.distribution.cluster.BookieConfig;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.TrainedJvm;
import io.volute.system.VoluteJvm;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** ZooKeeper and three bookies as child processes on loopback. Closing it leaves none behind. */
final class BookieCluster implements AutoCloseable {
    private static final String BOOKIE = "org.apache.bookkeeper.server.Main";
    private static final int LOG_LINES = 60;
    private static final int START_TRIES = 4;

    /** A bookie that was killed starts again when the session of its process has ended. */
    private static final String SESSION = "zkTimeout=10000";

    private static final String SHORTER_SESSION = "zkTimeout=5000";
    private static final Duration REGISTRATION_LIMIT = Duration.ofSeconds(20);
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration TRAINING_LIMIT = Duration.ofMinutes(3);
    private static final List<String> JVM =
            List.of(
                    "-XX:+UseSerialGC",
                    VoluteJvm.QUICK,
                    "-Xmx384m",
                    "-XX:MaxDirectMemorySize=512m",
                    "-Djava.net.preferIPv4Stack=true",
                    "-Dio.netty.tryReflectionSetAccessible=true",
                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");

    private static Optional<BookieCluster> shared = Optional.empty();

    private final Path directory;
    private final Optional<Tls> tls;
    private final int zooKeeperPort = ServerProcess.freePort();
    private final List<Process> processes = new ArrayList<>();
    private final List<Process> bookies = new ArrayList<>();
    private final List<Path> configs = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    /** The last registration of each bookie that was killed. */
    private final long[] lost = new long[3];

    private Process zooKeeper;
    private boolean isShared;

    private BookieCluster(Path directory, Optional<Tls> tls) {
        this.directory = directory;
        this.tls = tls;
    }

    /**
     * The files of TLS of all servers.
     *
     * @param identity file with a private key and its certificate, whose subject all servers have
     * @param bookie the same for what bookies present to clients
     */
    record Tls(Path authority, Path identity, Path bookie) {
        Tls(Path authority, Path identity) {
            this(authority, identity, identity);
        }

        /** Returns options of a JVM whose clients of ZooKeeper use TLS. */
        List<String> options() {
            return List.of(
                    "-Dzookeeper.client.secure=true",
                    "-Dzookeeper.clientCnxnSocket=org.apache.zookeeper.ClientCnxnSocketNetty",
                    "-Dzookeeper.ssl.keyStore.location=" + identity,
                    "-Dzookeeper.ssl.keyStore.type=PEM",
                    "-Dzookeeper.ssl.trustStore.location=" + authority,
                    "-Dzookeeper.ssl.trustStore.type=PEM");
        }

        String zooKeeper(int port) {
            return """
            secureClientPort=%d
            secureClientPortAddress=127.0.0.1
            serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
            authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider
            ssl.clientAuth=need
            ssl.keyStore.location=%s
            ssl.keyStore.type=PEM
            ssl.trustStore.location=%s
            ssl.trustStore.type=PEM
            """
                    .formatted(port, identity, authority);
        }

        String bookieSettings() {
            return """
            zkEnableSecurity=true
            tlsProvider=JDK
            tlsProviderFactoryClass=org.apache.bookkeeper.tls.TLSContextFactory
            tlsClientAuthentication=true
            tlsKeyStoreType=PEM
            tlsKeyStore=%1$s
            tlsCertificatePath=%1$s
            tlsTrustStoreType=PEM
            tlsTrustStore=%2$s
            clientKeyStoreType=PEM
            clientKeyStore=%1$s
            clientTrustStoreType=PEM
            clientTrustStore=%2$s
            bookieAuthProviderFactoryClass=org.apache.bookkeeper.tls.BookieAuthZFactory
            authorizedRoles=volute
            """
                    .formatted(bookie, authority);
        }
    }

    /**
     * Returns the bookies of this JVM, without the stores of earlier tests. What such a test has
     * killed runs again. They end with the JVM; no test closes them.
     */
    static synchronized BookieCluster shared() throws IOException {
        if (shared.isEmpty()) {
            TemporaryStore directory = TemporaryStore.create("shared-bookies");
            BookieCluster started = start(Files.createDirectories(directory.data()));
            started.isShared = true;
            shared = Optional.of(started);
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(
                                    () -> {
                                        started.endAll();
                                        directory.close();
                                    }));
        }
        BookieCluster cluster = shared.get();
        cluster.startWhatWasKilled();
        try (BookieRegistrations registrations = BookieRegistrations.at(cluster.zooKeeper())) {
            registrations.clearBesidesLedgers();
        }
        return cluster;
    }

    /** Starts everything in a directory; returns when the bookies take connections. */
    static BookieCluster start(Path directory) throws IOException {
        return start(directory, Optional.empty());
    }

    /** Starts everything with TLS, where each connection needs a certificate. */
    static BookieCluster start(Path directory, Tls tls) throws IOException {
        return start(directory, Optional.of(tls));
    }

    private static BookieCluster start(Path directory, Optional<Tls> tls) throws IOException {
        BookieCluster cluster = new BookieCluster(directory, tls);
        boolean started = false;
        try {
            cluster.startAll();
            started = true;
            return cluster;
        } finally {
            if (!started) {
                cluster.close();
            }
        }
    }

    /** Starts ZooKeeper alone. */
    static BookieCluster zooKeeperAlone(Path directory) throws IOException {
        BookieCluster cluster = new BookieCluster(directory, Optional.empty());
        cluster.startZooKeeper();
        return cluster;
    }

    /** Starts ZooKeeper, again after {@link #killZooKeeper}. */
    void startZooKeeper() throws IOException {
        Path data = Files.createDirectories(directory.resolve("zookeeper"));
        Path config = directory.resolve("zoo.cfg");
        Files.writeString(
                config,
                """
                tickTime=500
                maxSessionTimeout=60000
                dataDir=%s
                admin.enableServer=false
                maxClientCnxns=0
                minSessionTimeout=1000
                %s
                """
                        .formatted(
                                data,
                                tls.map(on -> on.zooKeeper(zooKeeperPort))
                                        .orElse(
                                                "clientPortAddress=127.0.0.1\nclientPort="
                                                        + zooKeeperPort)));
        zooKeeper =
                launch(
                        "zookeeper",
                        "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                        config.toString());
        awaitPort(zooKeeper, zooKeeperPort);
    }

    private void startAll() throws IOException {
        startZooKeeper();
        for (int i = 0; i < 3; i++) {
            int port = ServerProcess.freePort();
            ports.add(port);
            configs.add(bookieConfig(i, port));
        }
        Process create =
                launch(
                        "create-root",
                        "org.apache.zookeeper.ZooKeeperMain",
                        "-server",
                        zooKeeper(),
                        "create",
                        "/volute");
        awaitEnd(create);
        Process format =
                launch(
                        "initnewcluster",
                        "org.apache.bookkeeper.bookie.BookieShell",
                        "-conf",
                        configs.get(0).toString(),
                        "initnewcluster");
        awaitEnd(format);
        TrainedJvm.trainBookie(
                options(), BOOKIE, List.of("--conf", configs.get(0).toString()), this::train);
        for (int i = 0; i < 3; i++) {
            bookies.add(launchBookie(i));
        }
        for (int i = 0; i < 3; i++) {
            awaitPort(bookies.get(i), ports.get(i));
        }
    }

    private void startWhatWasKilled() throws IOException {
        if (!zooKeeper.isAlive()) {
            startZooKeeper();
        }
        for (int i = 0; i < bookies.size(); i++) {
            if (!bookies.get(i).isAlive()) {
                startBookie(i);
            }
        }
        superviseBookies();
    }

    private Process launchBookie(int number) throws IOException {
        return launch("bookie-" + number, BOOKIE, "--conf", configs.get(number).toString());
    }

    private Path bookieConfig(int number, int port) throws IOException {
        Path data = Files.createDirectories(directory.resolve("bookie" + number));
        Path config = directory.resolve("bookie" + number + ".conf");
        Files.writeString(
                config,
                BookieConfig.text(port, zooKeeperPort, data).replace(SESSION, SHORTER_SESSION)
                        + tls.map(Tls::bookieSettings).orElse(""));
        return config;
    }

    private Process launch(String name, String type, String... arguments) throws IOException {
        return launch(name, TrainedJvm.bookieCommand(options(), type, arguments));
    }

    private List<String> options() {
        List<String> jvm = new ArrayList<>(JVM);
        tls.ifPresent(on -> jvm.addAll(on.options()));
        return jvm;
    }

    /** Runs the first bookie with other options, until it takes connections. */
    private void train(List<String> command) throws IOException {
        Process process = launch("bookie-learns", command);
        awaitPort(process, ports.get(0));
        // SIGTERM: a bookie ends in order, and then the JVM writes what it has learned.
        process.destroy();
        try {
            if (!process.waitFor(TRAINING_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("the training of a bookie does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Process launch(String name, List<String> command) throws IOException {
        File log = directory.resolve(name + ".log").toFile();
        ProcessBuilder builder = new ProcessBuilder(command);
        Process process = builder.redirectErrorStream(true).redirectOutput(log).start();
        process.getOutputStream().close();
        processes.add(process);
        return process;
    }

    private static void awaitEnd(Process process) {
        try {
            if (!process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS)
                    || process.exitValue() != 0) {
                throw new IllegalStateException("process " + process.pid() + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void awaitPort(Process process, int port) {
        long limit = System.nanoTime() + START_LIMIT.toNanos();
        while (System.nanoTime() - limit < 0 && process.isAlive()) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                if (socket.isConnected()) {
                    return;
                }
            } catch (IOException e) {
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
        throw new IllegalStateException("process " + process.pid() + " does not listen on " + port);
    }

    /** Returns the address of ZooKeeper. */
    String zooKeeper() {
        return "127.0.0.1:" + zooKeeperPort;
    }

    int zooKeeperPort() {
        return zooKeeperPort;
    }

    long bookiePid(int number) {
        return bookies.get(number).pid();
    }

    /** SIGKILL of one bookie. */
    void killBookie(int number) throws IOException {
        end(bookies.get(number));
        try (BookieRegistrations registrations = BookieRegistrations.at(zooKeeper())) {
            lost[number] = registrations.of("127.0.0.1:" + ports.get(number));
        }
    }

    /** Starts a bookie that was killed, on its disk. */
    void startBookie(int number) throws IOException {
        bookies.set(number, launchBookie(number));
        awaitPort(bookies.get(number), ports.get(number));
    }

    /** Returns the last lines of the bookies. */
    String logs() throws IOException {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < bookies.size(); i++) {
            List<String> lines = Files.readAllLines(directory.resolve("bookie-" + i + ".log"));
            all.append("bookie ").append(i).append(bookies.get(i).isAlive() ? ":\n" : ", ended:\n");
            lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size())
                    .forEach(line -> all.append(line).append('\n'));
        }
        return all.toString();
    }

    /**
     * Starts those bookies again that are not registered in ZooKeeper, as a supervisor does. A
     * bookie that finds the registration of its killed process gives up when that does not end in
     * time, which is so after an outage of ZooKeeper, and its process stays.
     */
    void superviseBookies() throws IOException {
        try (BookieRegistrations registrations = BookieRegistrations.at(zooKeeper())) {
            for (int i = 0; i < bookies.size(); i++) {
                String bookie = "127.0.0.1:" + ports.get(i);
                for (int tries = 1;
                        !registrations.await(bookie, lost[i], REGISTRATION_LIMIT);
                        tries++) {
                    if (tries == START_TRIES) {
                        // For example on a full disk, where a bookie only reads.
                        throw new IllegalStateException(
                                "bookie " + i + " takes no writes: " + logs());
                    }
                    end(bookies.get(i));
                    lost[i] = registrations.of(bookie);
                    startBookie(i);
                }
            }
        }
    }

    /** Loses the disk of a bookie that was killed. */
    void emptyBookie(int number) throws IOException {
        Path data = directory.resolve("bookie" + number);
        try (Stream<Path> all = Files.walk(data)) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        Files.createDirectories(data);
    }

    /** Starts a bookie that must refuse to run; returns its output. */
    String refusedStart(int number) throws IOException, InterruptedException {
        Process process = launchBookie(number);
        assertThat(process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isNotZero();
        return Files.readString(directory.resolve("bookie-" + number + ".log"));
    }

    /** Gives a bookie a new name: another port. */
    void renameBookie(int number) throws IOException {
        int port = ServerProcess.freePort();
        ports.set(number, port);
        configs.set(number, bookieConfig(number, port));
    }

    /** SIGKILL of ZooKeeper. */
    void killZooKeeper() {
        end(zooKeeper);
    }

    private static void end(Process process) {
        process.destroyForcibly();
        try {
            process.waitFor(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void endAll() {
        for (int i = processes.size() - 1; i >= 0; i--) {
            end(processes.get(i));
        }
    }

    @Override
    public void close() {
        if (isShared) {
            throw new IllegalStateException("later tests need the shared bookies");
        }
        endAll();
    }
}
