package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.VoluteCommand;
import io.volute.testkit.GeneratedPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Renders the tables of the reference page from the commands that picocli has. */
class CliReferenceTest {
    private static final int SENTENCES_MAX = 2;
    private static final int COLUMNS = 100;
    private static final int NAME_INDENT = 2;
    private static final int HELP_INDENT = 18;

    /** The commands of each table of the page. */
    private static final Map<String, List<String>> TABLES = new LinkedHashMap<>();

    static {
        TABLES.put(
                "server and configuration",
                List.of(
                        "server",
                        "config",
                        "health",
                        "doctor",
                        "version",
                        "help",
                        "man",
                        "completion",
                        "import",
                        "demo",
                        "alias"));
        TABLES.put("watching and space", List.of("top", "space", "clean", "check", "scrub"));
        TABLES.put("damage", List.of("damage"));
        TABLES.put("cubes and buckets", List.of("cube", "bucket"));
        TABLES.put("clusters", List.of("cluster"));
        TABLES.put("replication and notifications", List.of("replication", "notification"));
        TABLES.put("backups", List.of("backup"));
        TABLES.put("history", List.of("history", "actors", "activity", "trace", "restore"));
        TABLES.put("lifecycle and encryption", List.of("lifecycle", "encryption", "shred"));
        TABLES.put("audits", List.of("audit", "log", "provenance"));
        TABLES.put("users", List.of("user", "key", "group", "role", "policy"));
    }

    private final CommandLine volute = VoluteCommand.commandLine(Main.context(), Main.COMMANDS);

    /** The options of all commands that query a server; the command {@code space} has no others. */
    private final List<OptionSpec> common = options(volute.getSubcommands().get("space"));

    private static List<OptionSpec> options(CommandLine command) {
        return command.getCommandSpec().options().stream()
                .filter(each -> !each.hidden())
                .sorted(Comparator.comparing(OptionSpec::longestName))
                .toList();
    }

    private static List<CommandLine> subcommands(CommandLine command) {
        return new LinkedHashSet<>(command.getSubcommands().values())
                .stream().filter(each -> !each.getCommandSpec().usageMessage().hidden()).toList();
    }

    /** Returns a row for the command, if it does something itself, and one for each below it. */
    private List<List<String>> rows(CommandLine command) {
        List<List<String>> rows = new ArrayList<>();
        CommandSpec spec = command.getCommandSpec();
        if (subcommands(command).isEmpty() || !spec.positionalParameters().isEmpty()) {
            rows.add(
                    List.of(
                            code(synopsis(command)),
                            purpose(spec, SENTENCES_MAX),
                            ownOptions(command)));
        }
        subcommands(command).forEach(each -> rows.addAll(rows(each)));
        return rows;
    }

    private static String synopsis(CommandLine command) {
        return Stream.concat(
                        Stream.of(command.getCommandSpec().qualifiedName()),
                        command.getCommandSpec().positionalParameters().stream()
                                .filter(each -> !each.hidden())
                                .map(each -> label(command, each)))
                .collect(Collectors.joining(" "));
    }

    private static String label(CommandLine command, ArgSpec argument) {
        return command.getHelp()
                .parameterLabelRenderer()
                .renderParameterLabel(argument, Ansi.OFF, List.of())
                .toString()
                .strip();
    }

    /** Returns the first sentences of the description. */
    private static String purpose(CommandSpec spec, int sentences) {
        String first = String.format(spec.usageMessage().description()[0]);
        return Arrays.stream(first.split("(?<=[.])\\s+(?=[A-Z])"))
                .limit(sentences)
                .collect(Collectors.joining(" "));
    }

    private String ownOptions(CommandLine command) {
        Set<String> known =
                common.stream().map(OptionSpec::longestName).collect(Collectors.toSet());
        return options(command).stream()
                .filter(each -> !known.contains(each.longestName()))
                .map(each -> option(command, each))
                .collect(Collectors.joining(", "));
    }

    private static String option(CommandLine command, OptionSpec option) {
        return code(option.longestName() + label(command, option).replaceFirst("^=", " "));
    }

    private static String code(String text) {
        return "`" + text + "`";
    }

    private String commonOptions() {
        CommandLine command = volute.getSubcommands().get("space");
        return GeneratedPage.table(
                List.of("Option", "Meaning"),
                common.stream()
                        .map(
                                each ->
                                        List.of(
                                                option(command, each),
                                                String.join(" ", each.description())))
                        .toList());
    }

    private String exitCodes() {
        List<List<String>> rows = new ArrayList<>();
        volute.getCommandSpec()
                .usageMessage()
                .exitCodeList()
                .forEach((code, meaning) -> rows.add(List.of(code, meaning)));
        return GeneratedPage.table(List.of("Exit code", "Meaning"), rows);
    }

    @Test
    void thePageHasAllCommands() throws IOException {
        GeneratedPage page = GeneratedPage.of("docs/reference/cli.md");
        page.part("exit codes", exitCodes());
        page.part("common options", commonOptions());
        TABLES.forEach(
                (title, commands) ->
                        page.part(
                                title,
                                GeneratedPage.table(
                                        List.of("Command", "Purpose", "Options"),
                                        commands.stream()
                                                .map(volute.getSubcommands()::get)
                                                .flatMap(each -> rows(each).stream())
                                                .toList())));
        page.check();
    }

    /** Returns the commands with their purposes, for the help of a clone that is not built. */
    private String help() {
        StringBuilder help = new StringBuilder("    cat <<'END'\n");
        for (CommandLine each : scriptCommands()) {
            String below =
                    subcommands(each).stream()
                            .map(CommandLine::getCommandName)
                            .collect(Collectors.joining("|"));
            String usage =
                    below.isEmpty()
                            ? synopsis(each).replaceFirst("^volute ", "")
                            : each.getCommandName() + " " + below;
            int column = HELP_INDENT;
            help.append(String.format("  %-15s", usage));
            if (usage.length() > HELP_INDENT - NAME_INDENT - 2) {
                column = COLUMNS;
            }
            for (String word : purpose(each.getCommandSpec(), 1).split(" ")) {
                if (column + word.length() >= COLUMNS) {
                    help.append('\n').append(" ".repeat(HELP_INDENT - 1));
                    column = HELP_INDENT;
                }
                help.append(' ').append(word);
                column += 1 + word.length();
            }
            help.append('\n');
        }
        return help.append("END").toString();
    }

    private List<CommandLine> scriptCommands() {
        return TABLES.values().stream()
                .flatMap(List::stream)
                // The script has a help of its own.
                .filter(name -> !name.equals("help"))
                .map(volute.getSubcommands()::get)
                .toList();
    }

    /** Returns the pattern of a shell for the commands that the program answers. */
    private String names() {
        StringBuilder names = new StringBuilder();
        String line = "   ";
        for (CommandLine each : scriptCommands()) {
            String name = " " + each.getCommandName() + " |";
            if (line.length() + name.length() + 2 > COLUMNS) {
                names.append(line).append(" \\\n");
                line = "       ";
            }
            line += name;
        }
        return names.append(line.replaceFirst(" \\|$", ")")).toString();
    }

    @Test
    void theStartScriptHasAllCommands() throws IOException {
        GeneratedPage.of("volute")
                .part("commands", help())
                .part("names of commands", names())
                .check();
    }

    @Test
    void everyCommandIsInATable() {
        assertThat(TABLES.values().stream().flatMap(List::stream))
                .containsExactlyInAnyOrderElementsOf(
                        subcommands(volute).stream().map(CommandLine::getCommandName).toList());
    }
}
