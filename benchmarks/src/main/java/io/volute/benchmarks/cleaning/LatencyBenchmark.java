package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.CommandLine;
import io.volute.benchmarks.Wiring;
import io.volute.benchmarks.cleaning.LatencyStore.Window;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.util.List;

/**
 * What cleaning does to the latency of writes: objects are overwritten at a fixed rate in a store
 * that must be cleaned all the time and in one with the same objects that is not, in turns. The
 * arguments are listed by {@code --help}.
 */
@Wiring
public final class LatencyBenchmark {
    private final LatencyOptions options;
    private final LatencyResults results;

    private LatencyBenchmark(LatencyOptions options, LatencyResults results) {
        this.options = options;
        this.results = results;
    }

    /** Exit status 2 for wrong arguments, 1 when something was found wrong. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (CommandLine.isHelp(arguments, LatencyOptions.USAGE)) {
            return;
        }
        LatencyOptions options =
                CommandLine.read(arguments, LatencyOptions.USAGE, LatencyOptions::parse);
        Findings findings = new Findings(System.out, options);
        new LatencyBenchmark(options, new LatencyResults(System.out, options, findings)).run();
        System.out.println(findings.complaints() + " complaints; results: " + options.output());
        if (findings.complaints() > 0) {
            System.exit(1);
        }
    }

    /** Writes a second, or 0 where each follows the last. */
    private double rate(double most) {
        if (options.alone()) {
            return 0;
        }
        return options.rate() > 0 ? options.rate() : most * options.rateShare();
    }

    private void run() throws IOException, InterruptedException {
        try (LatencyStore cleaned = LatencyStore.cleaned(options);
                LatencyStore roomy = LatencyStore.roomy(options)) {
            int objects = cleaned.fillTo(options.capacityBytes() * options.utilization() / 100);
            roomy.fill(objects);
            // What is dead must lie as in the long run; the index of both has seen as much.
            double early = cleaned.overwrite(objects);
            // Long enough that the cleaner keeps pace: a short burst lives on what is free.
            double most = cleaned.overwrite(objects);
            double rate = rate(most);
            double roomyMost = roomy.overwrite(2L * objects);
            results.begin(objects, rate, List.of(early, most, roomyMost));
            for (int pair = 0; pair < options.pairs(); pair++) {
                roomy.prepareSpares();
                Window with;
                Window without;
                if (pair % 2 == 0) {
                    with = cleaned.measure(rate, options.seconds());
                    without = roomy.measure(rate, options.seconds());
                } else {
                    without = roomy.measure(rate, options.seconds());
                    with = cleaned.measure(rate, options.seconds());
                }
                results.add(pair, with, without);
                if (with.written().of(WriteCause.CLEANING) == 0) {
                    results.complain("nothing was cleaned in pair " + pair);
                }
                if (without.written().of(WriteCause.CLEANING) > 0) {
                    results.complain("the other store was cleaned in pair " + pair);
                }
            }
            results.end(cleaned.spaces());
            cleaned.check(options.checked()).forEach(each -> results.complain("cleaned: " + each));
            roomy.check(options.checked()).forEach(each -> results.complain("roomy: " + each));
        }
    }
}
