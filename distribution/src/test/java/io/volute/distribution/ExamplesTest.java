package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.VoluteCommand;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.Grammar;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** Each command has examples that its own parser accepts, in its help and its manual page. */
class ExamplesTest {
    /** Columns of a terminal. */
    private static final int WIDTH = 80;

    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|\\S+");

    /** It is read anew for each line, and takes long to make. */
    private static final CommandLine VOLUTE =
            VoluteCommand.commandLine(Main.context(), Main.COMMANDS);

    private static void collect(CommandLine line, List<String> names) {
        names.add(line.getCommandSpec().qualifiedName());
        new LinkedHashSet<>(line.getSubcommands().values()).forEach(each -> collect(each, names));
    }

    /** Returns all commands but that of picocli. */
    static List<String> commands() {
        List<String> names = new ArrayList<>();
        collect(VOLUTE, names);
        names.remove("volute help");
        return names;
    }

    private static CommandSpec find(String command) {
        CommandLine line = VOLUTE;
        for (String word : command.split(" ")) {
            line = word.equals("volute") ? line : line.getSubcommands().get(word);
        }
        return line.getCommandSpec();
    }

    /** Returns the arguments in a line for a shell, up to a redirection. */
    private static String[] arguments(String line) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(line);
        while (matcher.find() && !matcher.group().equals(">")) {
            words.add(matcher.group(1) == null ? matcher.group() : matcher.group(1));
        }
        return words.subList(1, words.size()).toArray(String[]::new);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void areAccepted(String command) {
        CommandSpec spec = find(command);
        List<Example> examples = Grammar.examples(spec);
        assertThat(examples).as("examples of " + command).isNotEmpty();
        String usage = spec.commandLine().getUsageMessage();
        for (Example example : examples) {
            StringWriter err = new StringWriter();
            ParseResult result =
                    VOLUTE.setErr(new PrintWriter(err)).parseArgs(arguments(example.value()));
            while (result.hasSubcommand()) {
                result = result.subcommand();
            }
            assertThat(result.commandSpec().qualifiedName()).startsWith(command);
            assertThat(err.toString()).as("an old spelling in " + example.value()).isEmpty();
            assertThat(example.does()).matches("[A-Z].*\\.");
            assertThat(usage).contains("  # " + example.does(), "\n  " + example.value() + "\n");
            assertThat(example.value()).hasSizeLessThanOrEqualTo(WIDTH - 2);
            assertThat(example.does()).hasSizeLessThanOrEqualTo(WIDTH - "  # ".length());
        }
    }
}
