package io.volute.admin.client;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options of commands that begin work in the server: to wait for its end, or not. */
public final class WaitOption {
    @ArgGroup(exclusive = true)
    private Choice choice = new Choice();

    /** One of them, or none for what is usual. */
    private static final class Choice {
        @Option(names = "--wait", description = "Wait for the end of the work in the server.")
        private boolean isAwaited;

        @Option(names = "--no-wait", description = "Begin the work, and do not wait for its end.")
        private boolean isNotAwaited;
    }

    /**
     * Returns whether to wait.
     *
     * @param isUsual whether the command waits without these options
     */
    public boolean isAwaited(boolean isUsual) {
        return choice.isAwaited || isUsual && !choice.isNotAwaited;
    }
}
