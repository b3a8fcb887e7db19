package io.volute.distribution.cluster;

import io.volute.admin.operate.ClusterDrainCommand;
import io.volute.admin.operate.ClusterMoveCommand;
import io.volute.admin.operate.ClusterNodesCommand;
import io.volute.admin.operate.ClusterStatusCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A cluster of nodes with one store. */
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        description = {
            "Shows a cluster of nodes with one store, moves the store or cubes, makes the secrets"
                    + " of a new cluster, or starts one on this machine.",
            "Any node takes all commands but keys and local."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ClusterStatusCommand.class,
            ClusterNodesCommand.class,
            ClusterMoveCommand.class,
            ClusterDrainCommand.class,
            ClusterKeysCommand.class,
            ClusterLocalCommand.class
        })
public final class ClusterCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
