package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.VoluteCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The rows of docs/reference/cli.md are the commands that picocli has. */
class CliReferenceTest {
    private static void collect(CommandLine command, Set<String> rows) {
        for (CommandLine each : Set.copyOf(command.getSubcommands().values())) {
            if (!each.getCommandSpec().usageMessage().hidden()) {
                if (each.getSubcommands().isEmpty() || hasArguments(each)) {
                    rows.add(each.getCommandSpec().qualifiedName());
                }
                collect(each, rows);
            }
        }
    }

    /** Returns whether the command takes arguments itself, besides its subcommands. */
    private static boolean hasArguments(CommandLine command) {
        return !command.getCommandSpec().positionalParameters().isEmpty();
    }

    @Test
    void everyCommandIsDocumentedAndNoOther() throws IOException {
        Set<String> commands = new TreeSet<>();
        collect(VoluteCommand.commandLine(Main.context(), Main.COMMANDS), commands);
        Path page =
                Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
                        .map(each -> each.resolve("docs/reference/cli.md"))
                        .filter(Files::exists)
                        .findFirst()
                        .orElseThrow();
        Set<String> documented = new TreeSet<>();
        for (String line : Files.readAllLines(page)) {
            if (line.startsWith("| `volute ")) {
                documented.add(line.substring(3, line.indexOf('`', 3)));
            }
        }
        assertThat(documented).isEqualTo(commands);
    }
}
