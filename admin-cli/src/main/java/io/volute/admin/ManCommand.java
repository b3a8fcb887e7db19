package io.volute.admin;

import io.volute.admin.client.Printing;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes the manual. */
@Example(
        value = "volute man ~/.local/share/man/man1",
        does = "Write the manual, for man volute-restore.")
@Command(
        name = "man",
        mixinStandardHelpOptions = true,
        description = {
            "Writes the manual into a directory, a page for each command.",
            "In a directory that man knows, man volute-restore shows a page."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:written", "1:the directory cannot be written to", "2:wrong usage"})
final class ManCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "DIRECTORY",
            description = "Directory for the pages; created if it is missing.")
    private Path directory;

    @Option(names = "--json", description = "Print JSON.")
    private boolean isJson;

    @Override
    public Integer call() {
        Printing printing = new Printing(spec);
        List<CommandSpec> all = new ArrayList<>();
        gather(spec.root(), all);
        try {
            Files.createDirectories(directory);
            for (CommandSpec each : all) {
                Files.writeString(
                        directory.resolve(ManPage.fileName(each)),
                        ManPage.of(each, VersionCommand.version()));
            }
        } catch (IOException e) {
            return printing.failed(e);
        }
        if (isJson) {
            printing.json(Map.of("pages", all.stream().map(ManPage::fileName).toList()));
        } else {
            printing.line(all.size() + " pages are in " + directory);
        }
        return ServerOptions.OK;
    }

    private static void gather(CommandSpec spec, List<CommandSpec> all) {
        all.add(spec);
        spec.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .forEach(each -> gather(each, all));
    }
}
