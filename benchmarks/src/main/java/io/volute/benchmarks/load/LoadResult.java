package io.volute.benchmarks.load;

import io.volute.benchmarks.JsonLine;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * What one run has shown.
 *
 * @param seconds that were measured
 * @param counts errors of what ran beside it included
 * @param serverCpuMillis of the server processes an operation; NaN when none is known
 * @param driverCpuMillis of the driver an operation
 * @param backgroundPerSecond overwrites beside it; NaN when there were none
 */
record LoadResult(
        String target,
        double seconds,
        Counts counts,
        double serverCpuMillis,
        OptionalLong serverRssPeakBytes,
        double driverCpuMillis,
        double backgroundPerSecond) {

    /** Answers without error a second. */
    double operationsPerSecond() {
        return counts.operations / seconds;
    }

    /** Content that was put or got. */
    double mebibytesPerSecond() {
        return counts.bytes / seconds / (1 << 20);
    }

    /** Latency in milliseconds that this share of the requests, in percent, does not exceed. */
    double latencyMillis(double percentile) {
        return counts.latency.getValueAtPercentile(percentile) / 1e6;
    }

    /** For a reader. */
    String text() {
        return String.format(
                Locale.ROOT,
                "%-8s %10.1f ops/s %9.1f MiB/s  p50 %.2f  p99 %.2f  p99.9 %.2f  max %.2f ms"
                        + "  server %.3f  driver %.3f ms/op  errors %d %s",
                target,
                operationsPerSecond(),
                mebibytesPerSecond(),
                latencyMillis(50),
                latencyMillis(99),
                latencyMillis(99.9),
                latencyMillis(100),
                serverCpuMillis,
                driverCpuMillis,
                counts.errors,
                counts.firstError);
    }

    /** Adds the figures to a result line. */
    void writeTo(JsonLine line) {
        line.put("target", target).put("seconds", seconds);
        line.put("ops", counts.operations).put("errors", counts.errors);
        line.put("ops_per_s", operationsPerSecond()).put("mib_per_s", mebibytesPerSecond());
        line.put("objects_per_s", counts.objects / seconds);
        line.put("p50_ms", latencyMillis(50)).put("p99_ms", latencyMillis(99));
        line.put("p999_ms", latencyMillis(99.9)).put("max_ms", latencyMillis(100));
        line.put("server_cpu_ms_per_op", serverCpuMillis);
        line.put("server_rss_peak_bytes", serverRssPeakBytes);
        line.put("driver_cpu_ms_per_op", driverCpuMillis);
        line.put("background_per_s", backgroundPerSecond);
    }
}
