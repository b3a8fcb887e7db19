package io.volute.distribution;

import io.volute.admin.VoluteCommand;
import io.volute.admin.client.CommandContext;
import io.volute.admin.output.Screen;
import io.volute.distribution.backup.BackupCommand;
import io.volute.distribution.cluster.ClusterCommand;
import io.volute.server.Wiring;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Help.Ansi;

/** The program {@code volute}: the commands of the server and those of the client. */
@Wiring
public final class Main {
    private static final long POLL_MILLIS = 500;
    private static final Pattern TERMINAL = Pattern.compile("/dev/(pts/|tty|console).*");

    /** All commands, in the order in which the usage lists them. */
    static final List<Class<?>> COMMANDS =
            Stream.concat(
                            Stream.of(
                                    ServerCommand.class,
                                    ConfigCommand.class,
                                    DoctorCommand.class,
                                    LogCommand.class,
                                    BackupCommand.class,
                                    ClusterCommand.class),
                            VoluteCommand.COMMANDS.stream())
                    .toList();

    private Main() {}

    /** Runs the command line and ends the process with its code. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        // UTF-8 whatever the locale: keys have any characters, and JSON and SVG are UTF-8.
        return run(
                context(),
                new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true),
                new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), true),
                arguments);
    }

    /**
     * Runs the command line in a context and returns its exit code. The commands that run servers
     * use this process in place of the context.
     */
    public static int run(
            CommandContext context, PrintWriter out, PrintWriter err, String... arguments) {
        return VoluteCommand.run(context, COMMANDS, out, err, arguments);
    }

    /** Returns the environment, the clocks and the input of this process. */
    static CommandContext context() {
        return new CommandContext(
                System.getProperty("volute.launcher", "volute"),
                System.getenv(),
                Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8")),
                Clock.systemUTC(),
                System::nanoTime,
                System.in,
                new Screen(isTerminal(0), isTerminal(1), isTerminal(2), ZoneId.systemDefault()),
                new Polling());
    }

    /** The pauses of this process, and its end. */
    private static final class Polling implements CommandContext.Pause {
        @Override
        public void pass() throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }

        @Override
        public CommandContext.Watch whenEnded(Runnable last) {
            Thread hook = Thread.ofPlatform().name("end-of-command").unstarted(last);
            Runtime.getRuntime().addShutdownHook(hook);
            return () -> {
                try {
                    boolean ignored = Runtime.getRuntime().removeShutdownHook(hook);
                } catch (IllegalStateException ending) {
                    // The hook runs.
                    return;
                }
            };
        }
    }

    /** Java cannot say whether one descriptor is a terminal; Linux names what is behind each. */
    private static boolean isTerminal(int descriptor) {
        try {
            Path target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            return TERMINAL.matcher(target.toString()).matches();
        } catch (IOException | UnsupportedOperationException e) {
            return Ansi.AUTO.enabled();
        }
    }
}
