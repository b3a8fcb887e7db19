package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.VoluteCommand;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.S3Scope;
import io.volute.admin.client.S3Uri;
import io.volute.admin.grammar.Grammar;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Every command keeps to docs/reference/cli.md#grammar. */
class GrammarTest {
    private static final Set<String> TIMES = Set.of("--at", "--since", "--until");

    /** Names that would be a second word for something that has one, and the word that it has. */
    private static final Map<Pattern, String> OTHER_WORDS =
            Map.of(
                    Pattern.compile(
                            "--(before|after|when|time|date|instant|start|end|begin|from-time"
                                    + "|to-time|to-instant|.*-instant|as-of|older-than"
                                    + "|newer-than)"),
                    "--at, --since or --until",
                    Pattern.compile(
                            "-y|-f|--(force|confirm|confirmed|assume-yes|no-prompt|no-ask|sure)"),
                    "--yes",
                    Pattern.compile("--(async|sync|background|detach|follow|block|await|nowait)"),
                    "--wait and --no-wait",
                    Pattern.compile("--(abort|stop|kill|terminate)"),
                    "--cancel",
                    Pattern.compile("-n|--(plan|simulate|preview|what-if|dryrun|test|no-act)"),
                    "--dry-run",
                    Pattern.compile("-o|--(format|output-format|as-json)"),
                    "--json",
                    Pattern.compile("--(limit|max-results|max-items|head)"),
                    "--max",
                    Pattern.compile("--(version|versionid|version-of|vid)"),
                    "--version-id",
                    Pattern.compile("--(host|address|url|uri)"),
                    "--endpoint");

    /** Words in names of commands and options that take something away. */
    private static final Set<String> TAKING =
            Set.of(
                    "clear",
                    "deactivate",
                    "delete",
                    "deregister",
                    "destroy",
                    "detach",
                    "disable",
                    "discard",
                    "drop",
                    "end",
                    "erase",
                    "evict",
                    "expire",
                    "expunge",
                    "forget",
                    "kick",
                    "leave",
                    "prune",
                    "purge",
                    "reject",
                    "remove",
                    "reset",
                    "revoke",
                    "rm",
                    "shred",
                    "suspend",
                    "truncate",
                    "uninstall",
                    "unregister",
                    "unset",
                    "wipe");

    /** Those that another command beside them takes back, with the same arguments. */
    private static final Map<String, String> TAKEN_BACK =
            Map.of("detach", "attach", "disable", "enable", "leave", "join");

    /** Sentences in the description of a command that takes something away. */
    private static final Pattern TAKING_SENTENCE =
            Pattern.compile(
                    "(^|\\. )(Removes|Deletes|Destroys|Erases|Ends an|Forgets|Revokes|Shreds)\\b(?!"
                            + " nothing)");

    private static final Set<String> OTHER_COMMANDS = Set.of("stop", "abort", "kill");

    /** Values that are a time or a duration under another name. */
    private static final Pattern TIME_VALUE =
            Pattern.compile(
                    "TIME|INSTANT|DATE|TIMESTAMP|WHEN|MILLIS|SECONDS|MINUTES|HOURS|DAYS|INTERVAL");

    /** Names of values with a bucket, and the converter of each. */
    private static final Map<String, Class<?>> BUCKETS =
            Map.of(
                    "BUCKET", S3Uri.BucketConverter.class,
                    "s3://BUCKET/KEY", S3Uri.Converter.class,
                    "s3://BUCKET[/KEY]", S3Scope.Converter.class);

    /** The commands that print nothing, or lines for a shell or a file. */
    private static final Set<String> WITHOUT_JSON =
            Set.of(
                    "volute server",
                    "volute completion",
                    "volute help",
                    "volute cluster local",
                    "volute cluster keys",
                    "volute alias set",
                    "volute alias remove");

    private static boolean isOf(ArgSpec argument, Class<?> type) {
        return argument.type() == type
                || argument.type() == Optional.class && argument.auxiliaryTypes()[0] == type;
    }

    /** Returns what is against the grammar in a command. */
    private static List<String> faults(CommandSpec spec) {
        List<String> faults = new ArrayList<>();
        String name = spec.qualifiedName();
        for (OptionSpec option : spec.options()) {
            if (option.versionHelp() || option.usageHelp()) {
                continue;
            }
            String longest = option.longestName();
            for (String each : option.names()) {
                OTHER_WORDS.forEach(
                        (wrong, right) -> {
                            boolean isTime = right.startsWith("--at");
                            if (wrong.matcher(each).matches()
                                    && (!isTime || option.arity().max() > 0)) {
                                faults.add(name + " " + each + ": write " + right);
                            }
                        });
            }
            if (TIMES.contains(longest) != isOf(option, Instant.class)) {
                faults.add(name + " " + longest + ": --at, --since and --until are instants");
            }
            if (option.paramLabel().contains("BUCKET")
                    && !Set.of("--bucket", "--into", "--from", "--before-taint").contains(longest)
                    && !option.paramLabel().contains("HOST")) {
                faults.add(name + " " + longest + ": a bucket is an argument");
            }
            if (longest.equals("--bucket") && isAbout(spec, "BUCKET")) {
                faults.add(name + " --bucket: a bucket is an argument");
            }
            if (Set.of("--yes", "--dry-run", "--wait", "--no-wait", "--json").contains(longest)
                    && option.type() != boolean.class) {
                faults.add(name + " " + longest + ": it has no value");
            }
        }
        spec.args().forEach(each -> addFaults(faults, name, each));
        addConfirmationFaults(faults, name, spec);
        for (String wrong : OTHER_COMMANDS) {
            if (spec.subcommands().containsKey(wrong)) {
                faults.add(name + " " + wrong + ": write cancel");
            }
        }
        boolean isLeaf = spec.subcommands().isEmpty();
        if (isLeaf && !spec.optionsMap().containsKey("--json") && !WITHOUT_JSON.contains(name)) {
            faults.add(name + ": --json is missing");
        }
        Set<String> waiting = Set.of("--wait", "--no-wait", "--timeout");
        boolean waits = spec.optionsMap().keySet().stream().anyMatch(waiting::contains);
        if (waits && !spec.optionsMap().keySet().containsAll(waiting)) {
            faults.add(name + ": --wait, --no-wait and --timeout go together");
        }
        return faults;
    }

    private static void addConfirmationFaults(List<String> faults, String name, CommandSpec spec) {
        boolean isConfirmed =
                spec.mixins().values().stream()
                        .anyMatch(each -> each.userObject() instanceof Confirmation);
        if (!isConfirmed && spec.optionsMap().containsKey("--yes")) {
            faults.add(name + " --yes: use " + Confirmation.class.getName());
        }
        if (!isConfirmed && takes(spec)) {
            faults.add(
                    name + ": it takes something away: ask with " + Confirmation.class.getName());
        }
    }

    /** Returns whether a command takes something away that no command beside it puts back. */
    private static boolean takes(CommandSpec spec) {
        if (!spec.subcommands().isEmpty()) {
            return false;
        }
        Optional<String> back = Optional.ofNullable(TAKEN_BACK.get(spec.name()));
        if (spec.parent() != null
                && back.filter(spec.parent().subcommands()::containsKey).isPresent()) {
            return false;
        }
        Stream<String> names =
                Stream.concat(
                        Stream.of(spec.name()),
                        spec.options().stream().flatMap(each -> Stream.of(each.names())));
        return names.flatMap(each -> Stream.of(each.split("-"))).anyMatch(TAKING::contains)
                || TAKING_SENTENCE
                        .matcher(String.join(" ", spec.usageMessage().description()))
                        .find();
    }

    private static void addFaults(List<String> faults, String name, ArgSpec argument) {
        String where = name + " " + argument.paramLabel();
        if (TIME_VALUE.matcher(argument.paramLabel()).matches()) {
            faults.add(where + ": write T for a time, and DURATION");
        }
        if (argument.paramLabel().equals("T") != isOf(argument, Instant.class)) {
            faults.add(where + ": a time is T");
        }
        if (argument.paramLabel().equals("DURATION") != isOf(argument, Duration.class)) {
            faults.add(where + ": a duration is DURATION");
        }
        Class<?> converter = BUCKETS.get(argument.paramLabel());
        boolean isConverted =
                converter != null
                        && Stream.of(argument.converters()).anyMatch(converter::isInstance);
        if (converter != null && !isConverted) {
            faults.add(where + ": use " + converter.getName());
        }
        if (argument instanceof PositionalParamSpec
                && argument.paramLabel().contains("BUCKET")
                && converter == null) {
            faults.add(where + ": write one of " + BUCKETS.keySet());
        }
    }

    private static boolean isAbout(CommandSpec spec, String thing) {
        return spec.positionalParameters().isEmpty()
                || spec.positionalParameters().stream()
                        .anyMatch(each -> each.paramLabel().contains(thing));
    }

    private static List<CommandSpec> commands(CommandLine line) {
        List<CommandSpec> all = new ArrayList<>();
        all.add(line.getCommandSpec());
        new LinkedHashSet<>(line.getSubcommands().values())
                .forEach(each -> all.addAll(commands(each)));
        return all;
    }

    private static List<String> allFaults(CommandLine line) {
        return commands(line).stream().flatMap(each -> faults(each).stream()).toList();
    }

    @Test
    void everyCommandKeepsToIt() {
        assertThat(allFaults(VoluteCommand.commandLine(Main.context(), Main.COMMANDS))).isEmpty();
    }

    /** A command with every mistake that was made once, and some more. */
    // Picocli reads the fields and methods.
    @SuppressWarnings({"UnusedVariable", "UnusedMethod"})
    @Command(name = "wrong", subcommands = Stop.class)
    private static final class Wrong {
        @Option(names = "--to-instant", paramLabel = "T")
        private Optional<String> instant = Optional.empty();

        @Option(names = "--at", paramLabel = "KEY")
        private String key = "";

        @Option(names = "--noon", paramLabel = "T")
        private Optional<Instant> noon = Optional.empty();

        @Option(names = "--every", paramLabel = "SECONDS")
        private int seconds;

        @Option(names = "--session", paramLabel = "DURATION")
        private String session = "";

        @Option(names = "--bucket", paramLabel = "BUCKET", converter = S3Uri.BucketConverter.class)
        private String bucket = "";

        @Option(names = "--prefix", paramLabel = "s3://BUCKET/PREFIX")
        private String prefix = "";

        @Option(names = "--force")
        private boolean isForced;

        @Option(names = "--wait")
        private boolean isAwaited;

        @Option(names = "--stop", paramLabel = "ID")
        private String stop = "";

        @Option(names = "--plan")
        private boolean isPlanned;

        @Option(names = "--address")
        private Path address = Path.of("");

        @Option(names = "--yes")
        private boolean isConfirmed;

        @Command(name = "remove-all")
        void removeAll() {}

        @Command(name = "tidy", description = "Deletes what is old.")
        void tidy() {}

        @Command(name = "empty")
        void empty(@Option(names = "--forget-keys") boolean isForgetting) {}

        @Command(name = "disable")
        void disable() {}
    }

    // As above.
    @SuppressWarnings("UnusedVariable")
    @Command(name = "stop")
    private static final class Stop {
        @Parameters(paramLabel = "BUCKET")
        private String bucket = "";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "wrong --to-instant: write --at, --since or --until",
                "wrong T: a time is T",
                "wrong --at: --at, --since and --until are instants",
                "wrong --noon: --at, --since and --until are instants",
                "wrong SECONDS: write T for a time, and DURATION",
                "wrong DURATION: a duration is DURATION",
                "wrong --bucket: a bucket is an argument",
                "wrong --prefix: a bucket is an argument",
                "wrong --force: write --yes",
                "wrong: --wait, --no-wait and --timeout go together",
                "wrong --stop: write --cancel",
                "wrong --plan: write --dry-run",
                "wrong --address: write --endpoint",
                "wrong --yes: use io.volute.admin.client.Confirmation",
                "wrong remove-all: it takes something away: ask with"
                        + " io.volute.admin.client.Confirmation",
                "wrong tidy: it takes something away: ask with"
                        + " io.volute.admin.client.Confirmation",
                "wrong empty: it takes something away: ask with"
                        + " io.volute.admin.client.Confirmation",
                "wrong disable: it takes something away: ask with"
                        + " io.volute.admin.client.Confirmation",
                "wrong stop: write cancel",
                "wrong stop BUCKET: use io.volute.admin.client.S3Uri$BucketConverter",
                "wrong stop: --json is missing"
            })
    void eachMistakeIsFound(String fault) {
        CommandLine wrong = new CommandLine(new Wrong());
        Grammar.applyTo(wrong, Main.context());
        assertThat(allFaults(wrong)).contains(fault);
    }
}
