package io.volute.admin;

import io.volute.server.Wiring;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code volute} command. */
@Wiring
@Command(
        name = "volute",
        description = "A versioning object store that speaks S3.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ServerCommand.class,
            HealthCommand.class,
            SpaceCommand.class,
            CleanCommand.class,
            CheckCommand.class,
            VersionCommand.class
        })
public final class Main {
    private Main() {}

    /** Runs the command line and ends the process with its code. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    /** Exit code 2 and the usage for what is not a command. */
    static int run(String... arguments) {
        return new CommandLine(new Main()).execute(arguments);
    }
}
