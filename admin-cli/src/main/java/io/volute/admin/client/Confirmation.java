package io.volute.admin.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** Asks before something is done that cannot be undone. */
public final class Confirmation {
    private Confirmation() {}

    /**
     * Returns when the question is answered with yes.
     *
     * @throws IOException for another answer, or none
     */
    public static void require(CommandSpec spec, String question) throws IOException {
        // Not among the output, which may be read by a program.
        PrintWriter err = spec.commandLine().getErr();
        err.print(question + " [y/N] ");
        err.flush();
        BufferedReader answers =
                new BufferedReader(
                        new InputStreamReader(
                                CommandContext.of(spec).in(), StandardCharsets.UTF_8));
        String answer =
                Optional.ofNullable(answers.readLine()).orElse("").strip().toLowerCase(Locale.ROOT);
        if (!answer.equals("y") && !answer.equals("yes")) {
            throw new IOException(
                    "not confirmed: nothing was removed; --yes does it without a question");
        }
    }
}
