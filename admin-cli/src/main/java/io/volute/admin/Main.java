package io.volute.admin;

import io.volute.admin.audit.AuditCommand;
import io.volute.admin.audit.LogCommand;
import io.volute.admin.client.CommandContext;
import io.volute.admin.config.AliasCommand;
import io.volute.admin.config.ConfigCommand;
import io.volute.admin.history.ActivityCommand;
import io.volute.admin.history.ActorsCommand;
import io.volute.admin.history.HistoryCommand;
import io.volute.admin.history.RestoreCommand;
import io.volute.admin.history.ShredCommand;
import io.volute.admin.history.TraceCommand;
import io.volute.admin.identity.GroupCommand;
import io.volute.admin.identity.KeyCommand;
import io.volute.admin.identity.PolicyCommand;
import io.volute.admin.identity.RoleCommand;
import io.volute.admin.identity.UserCommand;
import io.volute.admin.operate.CheckCommand;
import io.volute.admin.operate.CleanCommand;
import io.volute.admin.operate.DoctorCommand;
import io.volute.admin.operate.EncryptionCommand;
import io.volute.admin.operate.HealthCommand;
import io.volute.admin.operate.LifecycleCommand;
import io.volute.admin.operate.ScrubCommand;
import io.volute.admin.operate.ServerCommand;
import io.volute.admin.operate.SpaceCommand;
import io.volute.admin.operate.TopCommand;
import io.volute.admin.provenance.ProvenanceCommand;
import io.volute.server.Wiring;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code volute} command. */
@Wiring
@Command(
        name = "volute",
        description = "A versioning object store that speaks S3.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = VersionCommand.class,
        subcommands = {
            ServerCommand.class,
            ConfigCommand.class,
            HealthCommand.class,
            DoctorCommand.class,
            TopCommand.class,
            SpaceCommand.class,
            CleanCommand.class,
            CheckCommand.class,
            ScrubCommand.class,
            HistoryCommand.class,
            ActorsCommand.class,
            ActivityCommand.class,
            TraceCommand.class,
            LifecycleCommand.class,
            EncryptionCommand.class,
            ShredCommand.class,
            RestoreCommand.class,
            AuditCommand.class,
            LogCommand.class,
            ProvenanceCommand.class,
            UserCommand.class,
            KeyCommand.class,
            GroupCommand.class,
            RoleCommand.class,
            PolicyCommand.class,
            AliasCommand.class,
            CompletionCommand.class,
            ManCommand.class,
            VersionCommand.class,
            CommandLine.HelpCommand.class
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:failed",
            "2:wrong usage",
            "3:a check found something wrong",
            "4:a restore was refused because of conflicts"
        },
        footerHeading = "Environment:%n",
        footer = {
            "  VOLUTE_ACCESS_KEY, VOLUTE_SECRET_KEY  the root user's keys: what the server is"
                    + " started with, and what commands sign with",
            "  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY  what commands sign with without those",
            "  VOLUTE_CONFIG  the configuration file",
            "  VOLUTE_<KEY>  any key of the configuration: upper case, _ for dots and dashes",
            "  VOLUTE_JAVA_OPTS  more options of the JVM",
            "  XDG_CONFIG_HOME  where volute/servers.json is; ~/.config without it"
        })
public final class Main implements CommandContext.Holder {
    private static final Set<Class<?>> DESCRIBING =
            Set.of(CompletionCommand.class, ManCommand.class, CommandLine.HelpCommand.class);

    private final CommandContext context;

    private Main(CommandContext context) {
        this.context = context;
    }

    /** Runs the command line and ends the process with its code. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    /** Exit code 2 and the usage for what is not a command. */
    static int run(String... arguments) {
        // UTF-8 whatever the locale: keys have any characters, and JSON and SVG are UTF-8.
        return run(
                CommandContext.OfProcess.get(),
                new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true),
                new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), true),
                arguments);
    }

    static int run(CommandContext context, PrintWriter out, PrintWriter err, String... arguments) {
        // A key that was mangled on the way would be looked for, and not be there.
        boolean isMangled = Stream.of(arguments).anyMatch(text -> text.indexOf('\uFFFD') >= 0);
        if (isMangled && !context.arguments().equals(StandardCharsets.UTF_8)) {
            err.println(
                    "volute: an argument has characters that "
                            + context.arguments()
                            + " has not: set LC_ALL=C.UTF-8");
            err.flush();
            return CommandLine.ExitCode.USAGE;
        }
        CommandLine line = commandLine(context, arguments).setOut(out).setErr(err);
        CommandLine.IParameterExceptionHandler usual = line.getParameterExceptionHandler();
        line.setParameterExceptionHandler(
                (failure, given) -> {
                    boolean isUnknown =
                            failure instanceof CommandLine.UnmatchedArgumentException
                                    && failure.getCommandLine() == line
                                    && given.length > 0;
                    if (!isUnknown) {
                        return usual.handleParseException(failure, given);
                    }
                    err.println(
                            "volute: unknown command: "
                                    + given[0]
                                    + ". 'volute help' lists the commands.");
                    return CommandLine.ExitCode.USAGE;
                });
        return line.execute(arguments);
    }

    /**
     * Returns a command line with the command that the arguments name, or with all commands if they
     * name none, or one that describes the others. Reading the annotations of all commands takes
     * half of the time in which a server starts.
     */
    private static CommandLine commandLine(CommandContext context, String... arguments) {
        Predicate<Class<?>> isNamed =
                each ->
                        arguments.length > 0
                                && each.getAnnotation(Command.class).name().equals(arguments[0]);
        return Stream.of(Main.class.getAnnotation(Command.class).subcommands())
                .filter(isNamed.and(each -> !DESCRIBING.contains(each)))
                .findFirst()
                .map(each -> new CommandLine(new OneCommand(context)).addSubcommand(each))
                .orElseGet(() -> new CommandLine(new Main(context)));
    }

    @Override
    public CommandContext context() {
        return context;
    }

    /** The root of a command line that has one command. */
    @Command(name = "volute", versionProvider = VersionCommand.class)
    private record OneCommand(CommandContext context) implements CommandContext.Holder {}
}
