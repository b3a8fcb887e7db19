package io.volute.distribution.cluster;

import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.OldSpelling;
import io.volute.server.Wiring;
import io.volute.server.credentials.RootCredentials;
import io.volute.server.credentials.RootCredentials.Root;
import io.volute.storage.io.OsFileSystem;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Starts a whole cluster on loopback, and stays until SIGTERM or SIGINT. */
@Wiring
@OldSpelling(value = "--session NUMBER", now = "--session NUMBERs")
@Example(value = "volute cluster local", does = "Try a cluster on this machine.")
@Example(
        value = "volute cluster local --data /tmp/cluster --port 9100",
        does = "Use another directory and other ports.")
@Command(
        name = "local",
        mixinStandardHelpOptions = true,
        description = {
            "Starts ZooKeeper, three bookies and three nodes on this machine, for trying.",
            "A process that you kill is started again. Ctrl-C stops all."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:stopped", "1:a process could not start", "2:wrong usage"})
final class ClusterLocalCommand implements Callable<Integer> {
    /** Directory with the jars that ZooKeeper and bookies need as servers; the launcher sets it. */
    private static final String JARS = "volute.cluster.jars";

    @Spec private CommandSpec spec;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "volute-cluster",
            description =
                    "Data, configurations and logs of all processes. Default: ${DEFAULT-VALUE}.")
    private Path data;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "9000",
            description = {
                "Port of S3 of the first node; the next two have the next ports. The others are"
                        + " 100 to 132 above. Default: ${DEFAULT-VALUE}."
            })
    private int port;

    @Option(
            names = "--session",
            paramLabel = "DURATION",
            defaultValue = "4s",
            description = "Time after which a lost owner is replaced. Default: ${DEFAULT-VALUE}.")
    private Duration session;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        AtomicInteger code = new AtomicInteger();
        ServerFiles files =
                new ServerFiles(data.toAbsolutePath().normalize(), new ClusterPorts(port));
        LocalCluster cluster;
        try {
            cluster =
                    new LocalCluster(
                            files,
                            programs(),
                            System::nanoTime,
                            line -> {
                                out.println(line);
                                out.flush();
                            });
        } catch (IOException e) {
            spec.commandLine().getErr().println("volute: " + e.getMessage());
            return 1;
        }
        Runtime runtime = Runtime.getRuntime();
        // A signal is the usual end; without this the exit code would be that of a kill.
        runtime.addShutdownHook(
                new Thread(
                        () -> {
                            cluster.close();
                            runtime.halt(code.get());
                        },
                        "shutdown-0"));
        try {
            if (cluster.start(new SecureRandom())) {
                greeting(files).forEach(out::println);
                out.flush();
            }
        } catch (IOException e) {
            spec.commandLine().getErr().println("volute: " + e.getMessage());
            spec.commandLine().getErr().flush();
            code.set(1);
            return 1;
        }
        // Only the end of the process ends this; its hook does the stopping.
        new CountDownLatch(1).await();
        return 0;
    }

    private LocalCluster.Programs programs() throws IOException {
        String own = absolute(System.getProperty("java.class.path"));
        return new LocalCluster.Programs(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                own,
                own + servers(),
                session);
    }

    private static String absolute(String classPath) {
        return String.join(
                File.pathSeparator,
                Stream.of(classPath.split(File.pathSeparator, -1))
                        .map(each -> Path.of(each).toAbsolutePath().toString())
                        .toList());
    }

    /** Returns the part of the class path that only the servers need. */
    private static String servers() throws IOException {
        Optional<Path> directory = Optional.ofNullable(System.getProperty(JARS)).map(Path::of);
        if (directory.isEmpty()) {
            return "";
        }
        if (!Files.isDirectory(directory.get())) {
            throw new IOException(
                    directory.get()
                            + " with the jars of ZooKeeper and BookKeeper is missing: start the"
                            + " command as ./volute cluster local in the sources, which gets them"
                            + " from Maven Central");
        }
        return File.pathSeparator + directory.get().toAbsolutePath() + File.separator + "*";
    }

    /** Returns lines that work as they stand. */
    private List<String> greeting(ServerFiles files) throws IOException {
        Root root =
                RootCredentials.find(
                        System.getenv(), new OsFileSystem(), files.node(0), new SecureRandom());
        String aws = "aws --endpoint-url http://127.0.0.1:" + files.ports().s3(1) + " s3 ";
        String key = root.credential().accessKey();
        String secret = root.credential().secretKey();
        return List.of(
                "",
                "The cluster is ready. Data, configurations and logs are in " + files.directory(),
                "",
                "Try it, in another terminal:",
                "  export AWS_ACCESS_KEY_ID="
                        + key
                        + " AWS_SECRET_ACCESS_KEY="
                        + secret
                        + " AWS_DEFAULT_REGION=us-east-1",
                "  " + aws + "mb s3://my-bucket && " + aws + "sync docs s3://my-bucket",
                "  "
                        + System.getProperty("volute.launcher", "volute")
                        + " cluster status --endpoint http://127.0.0.1:"
                        + files.ports().s3(1),
                "Kill the process of the owner (kill -9) during the sync: another node takes over,"
                        + " and the sync ends without an error.",
                "Status pages: http://127.0.0.1:"
                        + files.ports().metrics(0)
                        + " of node1, and the next two ports. Ctrl-C here stops all.");
    }
}
