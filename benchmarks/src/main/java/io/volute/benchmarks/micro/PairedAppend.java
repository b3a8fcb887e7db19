package io.volute.benchmarks.micro;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.Ticks;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;

/**
 * Compares an append to the log with a plain write and {@code fdatasync} of as many pages, in short
 * turns, so that both meet the same neighbours. Prints medians and the median of the turns' ratios.
 */
public final class PairedAppend {
    private static final int WARM_UP_TURNS = 20;
    private static final int CALLS = 200;

    private PairedAppend() {}

    /** One call that is timed. */
    private interface Call {
        Object run() throws IOException;
    }

    /** Arguments: bytes of a body (1024), turns (100). */
    public static void main(String[] arguments) throws IOException {
        int bytes = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1024;
        int turns = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 100;
        int pageBytes = FlushedWrite.pages(bytes) * 4096;
        double[] ratios = new double[turns];
        double[] plainMedians = new double[turns];
        double[] logMedians = new double[turns];
        try (Scratch scratch = Scratch.here();
                PlainFile plain = new PlainFile(scratch.directory().resolve("zeros"), pageBytes);
                OpenLog log = new OpenLog(scratch.directory().resolve("log"), bytes)) {
            for (int turn = -WARM_UP_TURNS; turn < turns; turn++) {
                double plainMedian = medianMicros(plain::writeAndForce);
                double logMedian = medianMicros(log::append);
                if (turn >= 0) {
                    plainMedians[turn] = plainMedian;
                    logMedians[turn] = logMedian;
                    ratios[turn] = logMedian / plainMedian;
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "body %d bytes: plain %d-byte write+fdatasync %.1f us, log append %.1f us,"
                        + " ratio %.3f (quartiles %.3f, %.3f) in %d turns of %d%n",
                bytes,
                pageBytes,
                quantile(plainMedians, 0.5),
                quantile(logMedians, 0.5),
                quantile(ratios, 0.5),
                quantile(ratios, 0.25),
                quantile(ratios, 0.75),
                turns,
                CALLS);
    }

    private static double medianMicros(Call call) throws IOException {
        double[] micros = new double[CALLS];
        for (int i = 0; i < CALLS; i++) {
            long begin = Ticks.nanos();
            if (call.run() == null) {
                throw new IllegalStateException("nothing was written");
            }
            micros[i] = (Ticks.nanos() - begin) / 1e3;
        }
        return quantile(micros, 0.5);
    }

    private static double quantile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.min(sorted.length - 1, Math.round(share * sorted.length))];
    }
}
