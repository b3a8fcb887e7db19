package io.volute.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.volute.admin.client.CommandContext;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
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
        return new CommandLine(Main.class);
    }

    private static CommandSpec command(String... names) {
        CommandLine at = volute();
        for (String name : names) {
            at = at.getSubcommands().get(name);
        }
        return at.getCommandSpec();
    }

    private static String run(String... arguments) {
        StringWriter out = new StringWriter();
        PrintWriter printer = new PrintWriter(out);
        int code = Main.run(CommandContext.OfProcess.get(), printer, printer, arguments);
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

    @Test
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
            for (ArgSpec argument : spec.positionalParameters()) {
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
    void thePageOfTraceIsAsItShouldBe() throws IOException {
        try (var golden = getClass().getResourceAsStream("/volute-trace.1")) {
            assertThat(ManPage.of(command("trace"), "1.2"))
                    .isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void printsJson() {
        assertThat(run("man", "--json", directory.toString()))
                .contains("\"volute.1\"", "\"volute-history-purge.1\"");
    }

    @Test
    void saysWhyADirectoryCannotBeWrittenTo() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "precious");
        assertThat(run("man", file.toString())).startsWith("1 volute: ").contains(file.toString());
        assertThat(run("man", file + "/man1")).startsWith("1 volute: ").contains(file.toString());
        assertThat(file).hasContent("precious");
    }

    @Test
    void noTextIsTakenForACommand() {
        assertThat(Roff.text(".SH a\\fB-b")).isEqualTo("\\&.SH a\\(rsfB\\-b");
        assertThat(Roff.text("'\"`^~")).isEqualTo("\\(aq\\(dq\\(ga\\(ha\\(ti");
        assertThat(Roff.text("a\n.b \u00E9\uD83D\uDE00")).isEqualTo("a .b \\[u00E9]\\[u1F600]");
        assertThat(Roff.withOptions("--a-b=C or -h, not a-b"))
                .isEqualTo("\\fB\\-\\-a\\-b\\fR=C or \\fB\\-h\\fR, not a\\-b");
    }

    // ---- what others make of it

    /** Mandoc ends with this when it has warned. */
    private static final int WARNED = 2;

    private static String output(int worst, Path input, String... command) throws Exception {
        boolean isThere =
                Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(each -> Files.isExecutable(Path.of(each, command[0])));
        assumeTrue(isThere, command[0] + " is not installed");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectInput(input.toFile())
                        .start();
        try (var out = process.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(text).isLessThanOrEqualTo(worst);
            return text;
        }
    }

    /** All pages behind each other. */
    private Path allPages() {
        Path all = directory.resolve("all.1");
        Stream<String> pages = commands(volute()).stream().map(each -> ManPage.of(each, "1.2"));
        try {
            return Files.writeString(all, String.join("", pages.toList()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void groffHasNothingToSay() throws Exception {
        assertThat(output(0, allPages(), "groff", "-man", "-ww", "-z", "-Tascii")).isEmpty();
    }

    @Test
    void mandocHasNothingToSay() throws Exception {
        for (CommandSpec each : commands(volute())) {
            Path page = Files.writeString(directory.resolve("page"), ManPage.of(each, "1.2"));
            // Pages have no date: they are the same whenever they are made.
            assertThat(output(WARNED, page, "mandoc", "-T", "lint", "-W", "warning").lines())
                    .filteredOn(line -> !line.contains("missing date"))
                    .isEmpty();
        }
    }

    @Test
    void manShowsWhatWasWritten() throws Exception {
        String text = ".a 'b' \"c\" \\d --e-f `g` ^h ~i";
        String page =
                new Roff().macro("TH", "A", "1").macro("SH", "B").line(Roff.text(text)).toString();
        Path file = Files.writeString(directory.resolve("page"), page);
        assertThat(output(0, file, "groff", "-man", "-Tascii", "-P-c").lines().map(String::strip))
                .contains(text);
    }
}
