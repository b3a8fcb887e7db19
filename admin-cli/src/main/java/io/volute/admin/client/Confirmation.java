package io.volute.admin.client;

import io.volute.admin.output.AnswerFormat;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The confirmation of commands that destroy something, or take something away that no other command
 * puts back as it was. At a terminal they ask; elsewhere they need {@code --yes}.
 */
public final class Confirmation {
    private static final int NAMED_MAX = 5;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--yes",
            description = "Do not ask for a confirmation. Needed where there is no terminal.")
    private boolean isGiven;

    /** Finds out what goes. */
    @FunctionalInterface
    public interface Loss {
        /**
         * Returns what goes, and the question, as sentences.
         *
         * @throws IOException if there is nothing that could go, too
         */
        String question() throws IOException, InterruptedException;
    }

    /**
     * Returns when the loss is confirmed. With {@code --yes} it is not even looked at.
     *
     * @throws ParameterException without a terminal and without {@code --yes}
     * @throws IOException for another answer than yes, or none
     */
    public void require(Loss loss) throws IOException, InterruptedException {
        requireAnswer();
        if (isGiven) {
            return;
        }
        // Not among the output, which may be read by a program.
        PrintWriter err = spec.commandLine().getErr();
        err.print(AnswerFormat.wrapped(loss.question() + " [y/N]") + " ");
        err.flush();
        BufferedReader answers =
                new BufferedReader(
                        new InputStreamReader(
                                CommandContext.of(spec).in(), StandardCharsets.UTF_8));
        String answer =
                Optional.ofNullable(answers.readLine()).orElse("").strip().toLowerCase(Locale.ROOT);
        if (!answer.equals("y") && !answer.equals("yes")) {
            throw new IOException("not confirmed: nothing was changed");
        }
    }

    /**
     * Refuses a command that nobody can confirm, before it does anything.
     *
     * @throws ParameterException without a terminal and without {@code --yes}
     */
    public void requireAnswer() {
        if (!isGiven && !CommandContext.of(spec).screen().canAsk()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "nothing was changed: this cannot be undone, and there is no terminal to ask"
                            + " at. Add --yes to confirm it");
        }
    }

    /** Returns whether {@code --yes} is given. */
    public boolean isGiven() {
        return isGiven;
    }

    /** Returns the first names of a list, and the number of the others. */
    public static String names(List<String> all) {
        int others = all.size() - NAMED_MAX;
        return others <= 0
                ? String.join(", ", all)
                : String.join(", ", all.subList(0, NAMED_MAX)) + " and " + others + " more";
    }
}
