package io.volute.benchmarks.compare;

import io.volute.benchmarks.Arguments;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What to compare, read from the arguments.
 *
 * @param chosenA fields with the values that lines of A must have
 * @param ignored settings that may differ
 * @param failBelow ratio B/A of a throughput, from below which on the comparison fails
 * @param failAbove ratio B/A of anything else, from above which on it fails
 */
record CompareOptions(
        Path a,
        Path b,
        Map<String, String> chosenA,
        Map<String, String> chosenB,
        Set<String> ignored,
        List<String> figures,
        Optional<Double> failBelow,
        Optional<Double> failAbove,
        boolean anyMachine,
        boolean json) {

    static final String USAGE =
            """
            A.jsonl B.jsonl     files of run-suite.sh, run-load.sh --result, run-cleaning.sh, ...
            --a FIELD=VALUE,..  only such lines of A, such as commit=1a2b3c4,target=volute; without
            --b FIELD=VALUE,..  a commit: those of the commit of the last line. Both may be one file
            --ignore FIELD,..   settings that may differ, such as target,settings
            --figures NAME,..   what is compared (throughput, p50, p99, p99.9, processor time, ...)
            --fail-below R      exit status 1 when a throughput of B is less than R times that of A
            --fail-above R      exit status 1 when a latency, or another figure of which less is
                                better, is more than R times that of A
            --any-machine       compare all the same when the machines are different
            --json              one JSON object
            """;

    static CompareOptions parse(String... arguments) {
        List<String> files =
                Arrays.stream(arguments).takeWhile(each -> !each.startsWith("--")).toList();
        if (files.size() != 2) {
            throw new IllegalArgumentException("expected two files before the options");
        }
        Arguments given =
                Arguments.of(
                        Arrays.copyOfRange(arguments, 2, arguments.length),
                        Set.of("any-machine", "json"));
        String figures = given.take("figures", String.join(",", Comparison.FIGURES));
        CompareOptions options =
                new CompareOptions(
                        Path.of(files.get(0)),
                        Path.of(files.get(1)),
                        Arguments.pairs(given.take("a", "")),
                        Arguments.pairs(given.take("b", "")),
                        Set.copyOf(List.of(given.take("ignore", "").split(","))),
                        List.of(figures.split(",")),
                        ratio(given.take("fail-below", "")),
                        ratio(given.take("fail-above", "")),
                        given.has("any-machine"),
                        given.has("json"));
        given.requireAllTaken();
        return options;
    }

    private static Optional<Double> ratio(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(Double.valueOf(text));
    }
}
