package io.volute.admin.client;

import java.io.InputStream;
import java.nio.charset.Charset;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.LongSupplier;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The process in which a command runs: environment, clocks and input.
 *
 * @param launcher what a person writes to run a command
 * @param arguments in which arguments reached this process
 * @param nanos time that is never moved, as {@link System#nanoTime}
 * @param in where a person answers
 * @param pause until it is worth asking the server again
 */
public record CommandContext(
        String launcher,
        Map<String, String> environment,
        Charset arguments,
        InstantSource clock,
        LongSupplier nanos,
        InputStream in,
        Pause pause) {
    /** Waits a little. */
    public interface Pause {
        void pass() throws InterruptedException;
    }

    public CommandContext {
        environment = Map.copyOf(environment);
    }

    /** Returns this context with another environment. */
    public CommandContext with(Map<String, String> variables) {
        return new CommandContext(launcher, variables, arguments, clock, nanos, in, pause);
    }

    /** The root command, which has the context of every command. */
    public interface Holder {
        CommandContext context();
    }

    /** Returns the context of the command line that the command is part of. */
    public static CommandContext of(CommandSpec spec) {
        return ((Holder) spec.root().userObject()).context();
    }
}
