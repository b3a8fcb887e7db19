package io.volute.distribution;

import io.volute.admin.grammar.Example;
import io.volute.server.Wiring;
import io.volute.server.cluster.ClusterNode;
import io.volute.server.config.ConfigException;
import io.volute.server.config.ServerConfig;
import io.volute.server.startup.RunningServer;
import io.volute.server.startup.Server;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Starts the server and stays until the process receives SIGTERM or SIGINT. */
@Wiring
@Example(
        value = "volute server --data /srv/volute --listen 0.0.0.0:9000",
        does = "Serve the data of a directory on all addresses.")
@Example(
        value = "volute server --config /etc/volute/volute.conf",
        does = "Take everything from a configuration file.")
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        description = "Starts the store and serves S3 until SIGTERM.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:stopped, and every request was answered",
            "1:it could not start, or a request was cut off, or something could not be closed",
            "2:wrong usage"
        })
final class ServerCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ConfigOptions options;

    @Override
    public Integer call() throws InterruptedException {
        RunningServer server;
        PrintWriter out = spec.commandLine().getOut();
        Consumer<List<String>> greeter =
                lines -> {
                    lines.forEach(out::println);
                    out.flush();
                };
        try {
            ServerConfig config = options.effective(System.getenv()).checked();
            server =
                    config.cluster().isPresent()
                            ? ClusterNode.start(config, System.getenv())
                            : Server.start(config, System.getenv(), greeter);
            warnOfReaders(config.dataDirectory());
        } catch (ConfigException | IOException e) {
            spec.commandLine().getErr().println("volute: cannot start: " + e.getMessage());
            return 1;
        }
        stopWithProcess(server);
        if (server instanceof ClusterNode) {
            greeter.accept(server.greeting());
        }
        // Only the end of the process ends this; its hook does the stopping.
        new CountDownLatch(1).await();
        return 0;
    }

    /** Warns if other users may enter the data directory, such as one from an earlier version. */
    private void warnOfReaders(Path data) throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(data, PosixFileAttributeView.class);
        if (view == null) {
            return;
        }
        Set<PosixFilePermission> mode = view.readAttributes().permissions();
        if (!PosixFilePermissions.fromString("rwx------").containsAll(mode)) {
            spec.commandLine()
                    .getErr()
                    .println(
                            "volute: other users of this machine may enter the data directory "
                                    + data
                                    + " ("
                                    + PosixFilePermissions.toString(mode)
                                    + "); run: chmod -R go= "
                                    + data);
        }
    }

    /** Stops the server in order on a signal. The exit code is 0, or 1 when something was lost. */
    private static void stopWithProcess(RunningServer server) {
        Runtime runtime = Runtime.getRuntime();
        runtime.addShutdownHook(
                new Thread(() -> runtime.halt(server.stop() ? 0 : 1), "shutdown-0"));
    }
}
