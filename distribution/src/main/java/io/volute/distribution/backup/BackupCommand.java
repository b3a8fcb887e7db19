package io.volute.distribution.backup;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Backups of a server. */
@Command(
        name = "backup",
        mixinStandardHelpOptions = true,
        description = {
            "Makes backups of a server, and restores them.",
            "Only create needs a server. The others need the target alone."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            BackupCreateCommand.class,
            BackupListCommand.class,
            BackupVerifyCommand.class,
            BackupRestoreCommand.class,
            BackupPruneCommand.class
        })
public final class BackupCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
