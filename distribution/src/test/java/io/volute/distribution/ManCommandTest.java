package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.ManualReader;
import io.volute.admin.VoluteCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The manual has all that picocli knows, and {@code man} reads it as it was written. */
class ManCommandTest {
    @TempDir private Path directory;

    private static List<CommandSpec> commands(CommandLine command) {
        List<CommandSpec> all = new ArrayList<>();
        all.add(command.getCommandSpec());
        command.getSubcommands().values().forEach(each -> all.addAll(commands(each)));
        return all;
    }

    private static CommandLine volute() {
        return VoluteCommand.commandLine(Main.context(), Main.COMMANDS);
    }

    private static String run(String... arguments) {
        StringWriter out = new StringWriter();
        PrintWriter printer = new PrintWriter(out);
        int code = VoluteCommand.run(Main.context(), Main.COMMANDS, printer, printer, arguments);
        return code + " " + out;
    }

    /** Renders a source as the single line that a reader sees. */
    private static String read(String source) {
        return source.replaceAll("(?m)^\\.[A-Z]+ ?", "")
                .replaceAll("\\\\f[BR]", "")
                .replace("\\&", "")
                .replace("\\-", "-")
                .replace("\\(dq", "\"")
                .replace("\\(aq", "'")
                .replace("\\(ga", "`")
                .replace("\\(ha", "^")
                .replace("\\(ti", "~")
                .replace("\\(rs", "\\")
                .replaceAll("\\s+", " ");
    }

    private static String shown(String line) {
        return String.format(line).strip();
    }

    /** Returns the parameters that are not hidden because another one describes them. */
    private static List<? extends ArgSpec> shownParameters(CommandSpec spec) {
        return spec.positionalParameters().stream().filter(each -> !each.hidden()).toList();
    }

    @Test
    @Tag("slow")
    void everyCommandHasAPageWithAllThatIsKnownOfIt() throws IOException {
        Path pages = directory.resolve("share/man1");
        List<CommandSpec> commands = commands(volute());
        assertThat(run("man", pages.toString()))
                .isEqualTo("0 " + commands.size() + " pages are in " + pages + "\n");
        for (CommandSpec spec : commands) {
            String name = spec.qualifiedName("-");
            String page = read(Files.readString(pages.resolve(name + ".1")));
            for (OptionSpec option : spec.options()) {
                assertThat(page).as(name).contains(option.names());
                if (option.arity().max() > 0) {
                    assertThat(page).as(name).contains(option.paramLabel());
                }
                assertDescribed(name, page, option);
            }
            for (ArgSpec argument : shownParameters(spec)) {
                assertThat(page).as(name).contains(argument.paramLabel());
                assertDescribed(name, page, argument);
            }
            for (String line : spec.usageMessage().description()) {
                assertThat(page).as(name).contains(shown(line));
            }
            spec.usageMessage()
                    .exitCodeList()
                    .forEach(
                            (code, meaning) ->
                                    assertThat(page).as(name).contains(code + " " + meaning));
            for (String line : spec.usageMessage().footer()) {
                assertThat(page).as(name).contains(shown(line).replaceAll("  +", " "));
            }
            for (CommandLine sub : spec.subcommands().values()) {
                assertThat(page).as(name).contains(sub.getCommandSpec().qualifiedName("-") + "(1)");
            }
            assertThat(page).as(name).contains("EXIT STATUS");
        }
        assertThat(pages.toFile().list()).hasSize(commands.size());
    }

    private static void assertDescribed(String name, String page, ArgSpec argument) {
        assertThat(argument.description()).as(name + " " + argument).isNotEmpty();
        for (String line : argument.description()) {
            assertThat(page).as(name).contains(shown(line));
        }
    }

    @Test
    @Tag("slow")
    void printsJson() {
        assertThat(run("man", "--json", directory.toString()))
                .contains("\"volute.1\"", "\"volute-history-purge.1\"");
    }

    @Test
    @Tag("slow")
    void saysWhyADirectoryCannotBeWrittenTo() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "precious");
        assertThat(run("man", file.toString())).startsWith("1 volute: ").contains(file.toString());
        assertThat(run("man", file + "/man1")).startsWith("1 volute: ").contains(file.toString());
        assertThat(file).hasContent("precious");
    }

    // ---- what others make of it

    /** Mandoc ends with this when it has warned. */
    private static final int WARNED = 2;

    /** Returns the pages as the command writes them. */
    private List<Path> pages() throws IOException {
        assertThat(run("man", directory.toString())).startsWith("0 ");
        try (Stream<Path> pages = Files.list(directory)) {
            return pages.toList();
        }
    }

    @Test
    @Tag("slow")
    void groffHasNothingToSay() throws Exception {
        Path all = Files.createFile(directory.resolve("all"));
        for (Path page : pages()) {
            Files.write(all, Files.readAllBytes(page), StandardOpenOption.APPEND);
        }
        assertThat(ManualReader.output(0, all, "groff", "-man", "-ww", "-z", "-Tascii")).isEmpty();
    }

    @Test
    @Tag("slow")
    void mandocHasNothingToSay() throws Exception {
        for (Path page : pages()) {
            // Pages have no date: they are the same whenever they are made.
            assertThat(
                            ManualReader.output(
                                            WARNED, page, "mandoc", "-T", "lint", "-W", "warning")
                                    .lines())
                    .filteredOn(line -> !line.contains("missing date"))
                    .isEmpty();
        }
    }
}
