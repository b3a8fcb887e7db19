package io.volute.admin;

import io.volute.admin.client.Printing;
import io.volute.admin.grammar.Example;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the version. */
@Example(value = "volute version", does = "Print the version.")
@Command(
        name = "version",
        mixinStandardHelpOptions = true,
        description = "Prints the version.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:printed", "2:wrong usage"})
final class VersionCommand implements Callable<Integer>, CommandLine.IVersionProvider {
    @Spec private CommandSpec spec;

    @Option(names = "--json", description = "Print JSON.")
    private boolean isJson;

    @Override
    public Integer call() {
        if (isJson) {
            new Printing(spec).json(Map.of("version", version()));
        } else {
            new Printing(spec).line("volute " + version());
        }
        return 0;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"volute " + version()};
    }

    /** Returns the version of the program. */
    static String version() {
        return Optional.ofNullable(VersionCommand.class.getPackage().getImplementationVersion())
                .orElse("(not built into a jar)");
    }
}
