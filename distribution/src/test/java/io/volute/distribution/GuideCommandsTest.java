package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.VoluteCommand;
import io.volute.testing.GuidePage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The commands of the guide are commands of the program, in its present spelling. */
class GuideCommandsTest {
    /** The script answers these itself. */
    private static final Set<String> OF_THE_SCRIPT = Set.of("test", "docs", "package", "help");

    private final CommandLine volute = VoluteCommand.commandLine(Main.context(), Main.COMMANDS);
    private final List<String> wrong = new ArrayList<>();
    private int parsed;

    /** Parses a command line; returns what is wrong with it, or with its spelling. */
    private Optional<String> refusal(List<String> words, boolean isWhole) {
        StringWriter err = new StringWriter();
        volute.setErr(new PrintWriter(err, true));
        try {
            volute.parseArgs(words.toArray(String[]::new));
        } catch (MissingParameterException e) {
            if (isWhole) {
                return Optional.of(String.valueOf(e.getMessage()));
            }
        } catch (UnmatchedArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        } catch (ParameterException e) {
            // A placeholder such as T is no time.
            boolean hasPlaceholder = words.stream().anyMatch(GuideCommandsTest::isPlaceholder);
            if (!hasPlaceholder) {
                return Optional.of(String.valueOf(e.getMessage()));
            }
        }
        return Optional.of(err.toString().strip()).filter(text -> !text.isEmpty());
    }

    private static boolean isPlaceholder(String word) {
        return word.matches("[A-Z][A-Z0-9-]*|\\$.*");
    }

    private void check(GuidePage page, GuidePage.Line line, boolean isWhole) {
        List<String> words = line.words();
        if (OF_THE_SCRIPT.contains(words.getFirst())) {
            return;
        }
        parsed++;
        refusal(words, isWhole)
                .ifPresent(
                        why ->
                                wrong.add(
                                        page.file().getFileName()
                                                + ":"
                                                + line.line()
                                                + ": volute "
                                                + String.join(" ", words)
                                                + ": "
                                                + why));
    }

    @Test
    void everyCommandIsUnderstood() throws IOException {
        for (GuidePage page : GuidePage.all()) {
            page.commands().forEach(line -> check(page, line, true));
            for (GuidePage.Line each : page.inline()) {
                // Brackets mean that something can be left out.
                List<String> words =
                        each.words().stream().map(word -> word.replaceAll("[\\[\\]]", "")).toList();
                check(page, new GuidePage.Line(each.line(), words.subList(1, words.size())), false);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(parsed).isGreaterThan(100);
    }

    /** Plants mistakes. */
    @Test
    void mistakesAreFound() {
        for (String mistake :
                List.of(
                        "histori s3://b/k",
                        "history s3://b/k --wider",
                        "history b",
                        "history policy",
                        "restore --bucket photos --to -2h",
                        "top --every 5",
                        "audit --bucket photos")) {
            assertThat(refusal(List.of(mistake.split(" ")), true)).as(mistake).isPresent();
        }
        assertThat(refusal(List.of("history", "policy"), false)).isEmpty();
        assertThat(refusal(List.of("history", "s3://b/k", "--max", "N"), true)).isEmpty();
    }
}
