package io.volute.admin;

import io.volute.server.Server;
import io.volute.server.Wiring;
import io.volute.server.config.ConfigException;
import io.volute.server.config.ConfigSource;
import io.volute.server.config.ServerConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Starts the server and stays until the process is told to stop (SIGTERM, SIGINT). */
@Wiring
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        description = "Starts the store and serves S3 until SIGTERM.")
final class ServerCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Data directory (default: ./volute-data).")
    private Optional<String> data = Optional.empty();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Address to listen on (default: 127.0.0.1:9000).")
    private Optional<String> listen = Optional.empty();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Configuration file (docs/configuration.md).")
    private Optional<Path> file = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        Server server;
        try {
            server = Server.start(config(), System.getenv());
        } catch (ConfigException | IOException e) {
            spec.commandLine().getErr().println("volute: cannot start: " + e.getMessage());
            return 1;
        }
        stopWithProcess(server);
        PrintWriter out = spec.commandLine().getOut();
        server.greeting().forEach(out::println);
        out.flush();
        // Only the end of the process ends this; its hook does the stopping.
        new CountDownLatch(1).await();
        return 0;
    }

    private ServerConfig config() throws ConfigException {
        Map<String, String> flags = new HashMap<>();
        data.ifPresent(text -> flags.put("data.directory", text));
        listen.ifPresent(text -> flags.put("server.listen", text));
        Optional<Path> named =
                file.or(() -> Optional.ofNullable(System.getenv("VOLUTE_CONFIG")).map(Path::of));
        return ConfigSource.read(named, System.getenv(), flags);
    }

    /** A signal is an orderly end, and the exit code says so: 0, or 1 when something was lost. */
    private static void stopWithProcess(Server server) {
        Runtime runtime = Runtime.getRuntime();
        runtime.addShutdownHook(
                new Thread(() -> runtime.halt(server.stop() ? 0 : 1), "shutdown-0"));
    }
}
