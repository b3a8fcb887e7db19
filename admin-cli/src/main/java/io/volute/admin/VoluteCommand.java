package io.volute.admin;

import io.volute.admin.audit.AuditCommand;
import io.volute.admin.client.CommandContext;
import io.volute.admin.demo.DemoCommand;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.Grammar;
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
import io.volute.admin.migrate.ImportCommand;
import io.volute.admin.operate.AliasCommand;
import io.volute.admin.operate.BucketCommand;
import io.volute.admin.operate.CheckCommand;
import io.volute.admin.operate.CleanCommand;
import io.volute.admin.operate.CubeCommand;
import io.volute.admin.operate.DamageCommand;
import io.volute.admin.operate.EncryptionCommand;
import io.volute.admin.operate.HealthCommand;
import io.volute.admin.operate.LifecycleCommand;
import io.volute.admin.operate.NotificationCommand;
import io.volute.admin.operate.ReplicationCommand;
import io.volute.admin.operate.ScrubCommand;
import io.volute.admin.operate.SpaceCommand;
import io.volute.admin.operate.TopCommand;
import io.volute.admin.provenance.ProvenanceCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The root of the {@code volute} command. The commands of this module are in {@link #COMMANDS}; the
 * distribution adds those that are the server's own code.
 */
@Example(value = "volute server --data /srv/volute", does = "Start a server.")
@Example(
        value = "volute restore photos --at -2h --dry-run",
        does = "Show the effect of a restore of a bucket.")
@Example(value = "volute help restore", does = "Show the usage of a command.")
@Command(
        name = "volute",
        description = "A versioning object store that speaks S3.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = VersionCommand.class,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:failed",
            "2:wrong usage",
            "3:a check found something wrong",
            "4:a restore was refused because of conflicts, or a key's past is unknown",
            "5:an audit found nothing wrong, but could not compare a part of its scope"
        },
        footerHeading = "Environment:%n",
        footer = {
            "  VOLUTE_ACCESS_KEY, VOLUTE_SECRET_KEY  the root user's keys: the server starts with"
                    + " them, and commands sign with them",
            "  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY  the keys of commands if those two are not"
                    + " set",
            "  VOLUTE_ENDPOINT, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL  the server of commands",
            "  AWS_PROFILE  the profile of ~/.aws with keys and server",
            "  VOLUTE_CA_BUNDLE, AWS_CA_BUNDLE  PEM file of the certificates that commands trust",
            "  VOLUTE_CONFIG  the configuration file",
            "  VOLUTE_<KEY>  any key of the configuration: upper case, _ for dots and dashes",
            "  VOLUTE_JAVA_OPTS  more options of the JVM",
            "  XDG_CONFIG_HOME  where volute/servers.json is; ~/.config without it"
        })
public final class VoluteCommand implements CommandContext.Holder {
    /** The commands that ask a server, or need files alone. */
    public static final List<Class<?>> COMMANDS =
            List.of(
                    HealthCommand.class,
                    TopCommand.class,
                    CubeCommand.class,
                    BucketCommand.class,
                    SpaceCommand.class,
                    CleanCommand.class,
                    CheckCommand.class,
                    ScrubCommand.class,
                    DamageCommand.class,
                    HistoryCommand.class,
                    ActorsCommand.class,
                    ActivityCommand.class,
                    TraceCommand.class,
                    LifecycleCommand.class,
                    EncryptionCommand.class,
                    NotificationCommand.class,
                    ReplicationCommand.class,
                    ShredCommand.class,
                    RestoreCommand.class,
                    AuditCommand.class,
                    ProvenanceCommand.class,
                    UserCommand.class,
                    KeyCommand.class,
                    GroupCommand.class,
                    RoleCommand.class,
                    PolicyCommand.class,
                    AliasCommand.class,
                    ImportCommand.class,
                    DemoCommand.class,
                    CompletionCommand.class,
                    ManCommand.class,
                    VersionCommand.class,
                    CommandLine.HelpCommand.class);

    /** The message of the parser about a value that a converter refuses. */
    private static final Pattern INVALID_VALUE =
            Pattern.compile(
                    "Invalid value for (?:option '|positional parameter at index [^(]*\\()"
                            + "([^')]*)['|)][^:]*: (.*)",
                    Pattern.DOTALL);

    private static final Set<Class<?>> DESCRIBING =
            Set.of(CompletionCommand.class, ManCommand.class, CommandLine.HelpCommand.class);

    /** The text of picocli for this command is an instruction, other than those of all others. */
    private static final String HELP =
            "Prints the help of a command, or that of volute without one.";

    private final CommandContext context;

    private VoluteCommand(CommandContext context) {
        this.context = context;
    }

    /**
     * Runs the command that the arguments name.
     *
     * @param commands all that there are, in the order in which the usage lists them
     * @return the exit code; 2, with the usage, if there are no arguments
     */
    public static int run(
            CommandContext context,
            List<Class<?>> commands,
            PrintWriter out,
            PrintWriter err,
            String... arguments) {
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
        CommandLine line = commandLine(context, commands, arguments).setOut(out).setErr(err);
        CommandLine.IParameterExceptionHandler usual = line.getParameterExceptionHandler();
        line.setParameterExceptionHandler(
                (failure, given) -> {
                    boolean isCommandKnown = failure.getCommandLine() != line;
                    if (!isCommandKnown && given.length == 0) {
                        return usual.handleParseException(failure, given);
                    }
                    err.println(isCommandKnown ? refusal(failure) : unknown(failure, given[0]));
                    err.flush();
                    return CommandLine.ExitCode.USAGE;
                });
        return line.execute(arguments);
    }

    private static String unknown(CommandLine.ParameterException failure, String command) {
        return "volute: unknown command: "
                + command
                + "."
                + similar(failure)
                + " 'volute help' lists the commands.";
    }

    /** Returns the reason and the way to the usage, which is too long to find the reason in. */
    private static String refusal(CommandLine.ParameterException failure) {
        CommandLine line = failure.getCommandLine();
        String name = line.getCommandSpec().qualifiedName();
        return "volute: "
                + reason(line, failure)
                + similar(failure)
                + "\nSee '"
                + name
                + " --help'.";
    }

    /** Returns the reason in words of this command line, not in those of the parser. */
    private static String reason(CommandLine line, CommandLine.ParameterException failure) {
        if (failure instanceof CommandLine.UnmatchedArgumentException unmatched
                && !unmatched.isUnknownOption()) {
            String first = unmatched.getUnmatched().getFirst();
            return line.getSubcommands().isEmpty()
                    ? "too many arguments: " + String.join(" ", unmatched.getUnmatched()) + "."
                    : "unknown command: "
                            + line.getCommandSpec().qualifiedName()
                            + " "
                            + first
                            + ".";
        }
        String reason = failure.getMessage();
        Matcher value = INVALID_VALUE.matcher(reason);
        return value.matches() ? value.group(1) + ": " + value.group(2) : reason;
    }

    /** Returns the commands or options that a misspelled one may stand for, as a sentence. */
    private static String similar(CommandLine.ParameterException failure) {
        if (!(failure instanceof CommandLine.UnmatchedArgumentException unmatched)) {
            return "";
        }
        List<String> names = unmatched.getSuggestions();
        return names.isEmpty() ? "" : " Did you mean " + String.join(" or ", names) + "?";
    }

    /**
     * Returns a command line with the command that the arguments name, or with all commands if they
     * name none, or one that describes the others. Reading the annotations of all commands takes
     * half of the time in which a server starts.
     */
    private static CommandLine commandLine(
            CommandContext context, List<Class<?>> commands, String... arguments) {
        Predicate<Class<?>> isNamed =
                each ->
                        arguments.length > 0
                                && each.getAnnotation(Command.class).name().equals(arguments[0]);
        return commands.stream()
                .filter(isNamed.and(each -> !DESCRIBING.contains(each)))
                .findFirst()
                .map(
                        each -> {
                            CommandLine line = new CommandLine(new OneCommand(context));
                            line.addSubcommand(each);
                            Grammar.applyTo(line, context);
                            return line;
                        })
                .orElseGet(() -> commandLine(context, commands));
    }

    /** Returns a command line with all of these commands. */
    public static CommandLine commandLine(CommandContext context, List<Class<?>> commands) {
        CommandLine line = new CommandLine(new VoluteCommand(context));
        commands.forEach(line::addSubcommand);
        Optional.ofNullable(line.getSubcommands().get("help"))
                .map(help -> help.getCommandSpec().usageMessage())
                .ifPresent(help -> help.header(new String[0]).description(HELP));
        Grammar.applyTo(line, context);
        return line;
    }

    @Override
    public CommandContext context() {
        return context;
    }

    /** The root of a command line that has one command. */
    @Command(name = "volute", versionProvider = VersionCommand.class)
    private record OneCommand(CommandContext context) implements CommandContext.Holder {}
}
