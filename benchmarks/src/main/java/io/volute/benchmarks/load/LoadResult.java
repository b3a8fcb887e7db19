package io.volute.benchmarks.load;

import io.volute.benchmarks.JsonLine;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;

/**
 * What one run has shown.
 *
 * @param seconds that were measured
 * @param serverCpuMillis of the server process an operation; empty when its process is not known
 * @param driverCpuMillis of the driver an operation
 * @param backgroundPerSecond overwrites beside it; empty when there were none
 */
public record LoadResult(
        String target,
        double seconds,
        Counts counts,
        OptionalDouble serverCpuMillis,
        OptionalLong serverRssPeakBytes,
        double driverCpuMillis,
        OptionalDouble backgroundPerSecond) {

    /** Sums over the connections of a run. */
    public static final class Counts {
        private final Histogram latency = new Histogram(120_000_000_000L, 3);
        private long operations;
        private long bytes;
        private long objects;
        private long errors;
        private String firstError = "";

        void add(Histogram more, long operations, long bytes, long objects, long errors, String e) {
            latency.add(more);
            this.operations += operations;
            this.bytes += bytes;
            this.objects += objects;
            this.errors += errors;
            noteError(e);
        }

        /** Errors of what ran beside it. */
        void addErrors(Counts background) {
            errors += background.errors;
            noteError(background.firstError);
        }

        private void noteError(String error) {
            if (firstError.isEmpty()) {
                firstError = error;
            }
        }

        /** Returns the number of requests answered without error in the measured time. */
        public long operations() {
            return operations;
        }

        /** Those of what ran beside it included. */
        public long errors() {
            return errors;
        }

        /** Returns the first error; empty without errors. */
        public String firstError() {
            return firstError;
        }
    }

    /** Answers without error a second. */
    public double operationsPerSecond() {
        return counts.operations / seconds;
    }

    /** Content that was put or got. */
    public double mebibytesPerSecond() {
        return counts.bytes / seconds / (1 << 20);
    }

    double objectsPerSecond() {
        return counts.objects / seconds;
    }

    /** Latency in milliseconds that this share of the requests, in percent, does not exceed. */
    public double latencyMillis(double percentile) {
        return latencyNanos(percentile) / 1e6;
    }

    private long latencyNanos(double percentile) {
        return counts.latency.getTotalCount() == 0
                ? 0
                : counts.latency.getValueAtPercentile(percentile);
    }

    /** For a reader. */
    public String text() {
        StringBuilder text = new StringBuilder();
        append(text, "%-8s %10.1f ops/s", target, operationsPerSecond());
        if (counts.bytes > 0) {
            append(text, " %9.1f MiB/s", mebibytesPerSecond());
        }
        if (counts.objects > 0) {
            append(text, " %10.0f objects/s", objectsPerSecond());
        }
        append(text, "  p50 %.2f", latencyMillis(50));
        append(text, "  p99 %.2f", latencyMillis(99));
        append(text, "  p99.9 %.2f", latencyMillis(99.9));
        append(text, "  max %.2f ms", latencyMillis(100));
        if (serverCpuMillis.isPresent()) {
            append(text, "  server %.3f ms/op", serverCpuMillis.getAsDouble());
        }
        append(text, "  driver %.3f ms/op", driverCpuMillis);
        if (serverRssPeakBytes.isPresent()) {
            append(text, "  peak RSS %d MiB", serverRssPeakBytes.getAsLong() >> 20);
        }
        if (backgroundPerSecond.isPresent()) {
            append(text, "  beside it %.1f PUT/s", backgroundPerSecond.getAsDouble());
        }
        append(text, "  errors %d", counts.errors);
        if (counts.errors > 0) {
            append(text, " (first: %s)", counts.firstError);
        }
        return text.toString();
    }

    /** Adds the figures to a result line. */
    public void writeTo(JsonLine line) {
        line.put("target", target).put("seconds", seconds);
        line.put("ops", counts.operations).put("errors", counts.errors);
        line.put("ops_per_s", operationsPerSecond()).put("mib_per_s", mebibytesPerSecond());
        line.put("objects_per_s", objectsPerSecond());
        line.put("p50_ms", latencyMillis(50)).put("p99_ms", latencyMillis(99));
        line.put("p999_ms", latencyMillis(99.9)).put("max_ms", latencyMillis(100));
        line.put("server_cpu_ms_per_op", serverCpuMillis);
        line.put("server_rss_peak_bytes", serverRssPeakBytes);
        line.put("driver_cpu_ms_per_op", driverCpuMillis);
        line.put("background_per_s", backgroundPerSecond);
    }

    private static void append(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
    }
}
