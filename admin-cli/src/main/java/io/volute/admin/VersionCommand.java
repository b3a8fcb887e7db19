package io.volute.admin;

import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the version. */
@Command(name = "version", description = "Prints the version.")
final class VersionCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        String version =
                Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                        .orElse("(not built into a jar)");
        spec.commandLine().getOut().println("volute " + version);
        return 0;
    }
}
