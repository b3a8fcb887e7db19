package io.volute.admin.provenance;

import io.volute.admin.client.ServerOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands about signed history: keys that sign, and input for auditors. */
@Command(
        name = "provenance",
        mixinStandardHelpOptions = true,
        description = "Shows and exports the signed history of keys, for auditors.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ProvenanceShowCommand.class,
            ProvenanceExportCommand.class,
            ProvenanceKeysCommand.class,
            ProvenanceRotateCommand.class,
            ProvenancePrincipalCommand.class,
            ProvenanceAuditorsCommand.class,
            ProvenanceHiddenCommand.class,
            ProvenanceShareCommand.class,
            ProvenanceReinstateCommand.class,
            ProvenanceCheckpointCommand.class,
            ProvenanceWitnessCommand.class
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class ProvenanceCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    ServerOptions server() {
        return server;
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
