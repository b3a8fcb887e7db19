package io.volute.distribution;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Logs of a server. */
@Command(
        name = "log",
        mixinStandardHelpOptions = true,
        description = "Verifies the audit log of a server.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = LogVerifyCommand.class)
final class LogCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
