package io.volute.admin.client;

import io.volute.admin.output.AnswerFormat;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Options of commands that begin work in the server: to wait for its end, how long, or not. Waiting
 * that ends early, also by Ctrl-C, leaves the work running and prints the commands that show and
 * end it.
 */
public final class WaitOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @ArgGroup(exclusive = true)
    private Choice choice = new Choice();

    /** One of them, or none for what is usual. */
    private static final class Choice {
        @ArgGroup(exclusive = false)
        private Waiting waiting = new Waiting();

        @Option(names = "--no-wait", description = "Begin the work, and do not wait for its end.")
        private boolean isNotAwaited;
    }

    private static final class Waiting {
        @Option(names = "--wait", description = "Wait for the end of the work in the server.")
        private boolean isAwaited;

        @Option(
                names = "--timeout",
                paramLabel = "DURATION",
                description = "Wait, but at most so long. The work goes on in the server.")
        private Optional<Duration> timeout = Optional.empty();
    }

    /**
     * Work in the server that goes on without the command.
     *
     * @param look the command that shows how far it is
     * @param cancel the command that ends it; empty if there is none
     */
    public record Work(String look, Optional<String> cancel) {
        /** Returns what to do about it, as sentences. */
        public String advice() {
            return "It goes on in the server. To look: "
                    + look
                    + cancel.map(command -> ". To end it: " + command).orElse("");
        }
    }

    /** Asks the server how far the work is. */
    @FunctionalInterface
    public interface Question<T> {
        T ask() throws IOException, InterruptedException;
    }

    /**
     * Returns whether to wait.
     *
     * @param isUsual whether the command waits without these options
     */
    public boolean isAwaited(boolean isUsual) {
        return choice.waiting.isAwaited
                || choice.waiting.timeout.isPresent()
                || isUsual && !choice.isNotAwaited;
    }

    /** Waits without an end of its own, as the other one. */
    public <T> T await(Work work, T begun, Predicate<T> isRunning, Question<T> question)
            throws IOException, InterruptedException {
        return await(work, Optional.empty(), begun, isRunning, question);
    }

    /**
     * Polls until the work has ended.
     *
     * @param usual time to wait without the option; empty for ever
     * @param begun the first answer
     * @return the last answer
     * @throws IOException if the work has not ended in time; also if a question fails
     */
    public <T> T await(
            Work work,
            Optional<Duration> usual,
            T begun,
            Predicate<T> isRunning,
            Question<T> question)
            throws IOException, InterruptedException {
        Optional<Duration> max = choice.waiting.timeout.or(() -> usual);
        CommandContext context = CommandContext.of(spec);
        long began = context.nanos().getAsLong();
        T now = begun;
        try (CommandContext.Watch ignored = context.pause().whenEnded(() -> tell(work))) {
            while (isRunning.test(now)) {
                if (max.isPresent() && context.nanos().getAsLong() - began >= max.get().toNanos()) {
                    throw new IOException(
                            "not finished after "
                                    + AnswerFormat.about(max.get().toMillis() / 1e3)
                                    + ". "
                                    + work.advice());
                }
                context.pause().pass();
                now = question.ask();
            }
        }
        return now;
    }

    /** The line of the progress is not ended, and may have a ^C. */
    private void tell(Work work) {
        PrintWriter err = spec.commandLine().getErr();
        err.println();
        err.println("volute: " + work.advice());
        err.flush();
    }
}
