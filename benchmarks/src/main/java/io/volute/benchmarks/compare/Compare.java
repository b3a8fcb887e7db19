package io.volute.benchmarks.compare;

import io.volute.benchmarks.CommandLine;
import io.volute.benchmarks.Wiring;
import java.io.IOException;
import java.io.PrintStream;

/**
 * Compares two files of results: the ratio of the medians of what was measured with the same
 * settings, and whether it is beyond what the runs of each differ by. The arguments are listed by
 * {@code --help}.
 */
@Wiring
public final class Compare {
    static final int FAILS = 1;
    static final int CANNOT = 2;

    private Compare() {}

    /**
     * Exit status 2 for wrong arguments, different machines, or nothing to compare; 1 when a figure
     * fails.
     */
    public static void main(String[] arguments) {
        if (CommandLine.isHelp(arguments, CompareOptions.USAGE)) {
            return;
        }
        CompareOptions options =
                CommandLine.read(arguments, CompareOptions.USAGE, CompareOptions::parse);
        System.exit(run(options, System.out, System.err));
    }

    /** Returns the exit status. */
    static int run(CompareOptions options, PrintStream out, PrintStream problems) {
        try {
            ResultSet a = ResultSet.read(options.a(), options.chosenA(), options.ignored());
            ResultSet b = ResultSet.read(options.b(), options.chosenB(), options.ignored());
            Comparison comparison = Comparison.of(a, b, options.figures());
            Report report =
                    new Report(
                            a,
                            b,
                            comparison,
                            comparison.failing(options.failBelow(), options.failAbove()));
            if (!report.isSameMachine() && !options.anyMachine()) {
                problems.println(
                        "not compared: measured on different machines"
                                + " (--any-machine compares all the same)");
                problems.println("  A: " + String.join("; ", a.values("machine")));
                problems.println("  B: " + String.join("; ", b.values("machine")));
                return CANNOT;
            }
            if (options.json()) {
                out.println(report.json());
            } else {
                report.printText(out);
            }
            if (comparison.rows().isEmpty()) {
                return CANNOT;
            }
            return report.failing().isEmpty() ? 0 : FAILS;
        } catch (IOException e) {
            problems.println("a file of results cannot be read: " + e.getMessage());
            return CANNOT;
        }
    }
}
