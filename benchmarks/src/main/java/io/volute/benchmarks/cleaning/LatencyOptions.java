package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Arguments;
import java.nio.file.Path;
import java.util.Set;

/**
 * What to run, read from the arguments.
 *
 * @param directory for the cubes, on the disk that is measured
 * @param output directory that gets the results
 * @param through what is between the writers and the log
 * @param capacityBytes of the store that is cleaned
 * @param utilization percent of it that is live
 * @param alone whether one client writes, each time after its last write, as in figure 9 of
 *     "Log-structured Memory for DRAM-based Storage"; else the writes are due at a rate
 * @param rate writes a second; 0 for a share of what the cleaned store can take
 * @param rateShare of the throughput that is found first
 * @param seconds of a window
 * @param pairs of windows
 */
record LatencyOptions(
        Path directory,
        Path output,
        String commit,
        Through through,
        long capacityBytes,
        int segmentBytes,
        int reserveSegments,
        int utilization,
        int objectBytes,
        int threads,
        boolean alone,
        double rate,
        double rateShare,
        double seconds,
        int pairs,
        long checked,
        long seed)
        implements RunOptions {

    static final String USAGE =
            """
            --directory DIR  for the data: choose the disk (benchmarks/target/cleaning)
            --output DIR     for results.jsonl (benchmarks/results/latency)
            --through cube|server  what is measured (cube)
            --quick          about a minute; what follows still counts
            --capacity nM    of the cleaned store (1G)       --segment nK     (2M)
            --reserve N      segments of the cleaner (16)    --utilization %  (80)
            --size n         bytes of an object (1024)       --threads N      (32)
            --alone          one client, each write after the last, and no rate
            --rate N         writes a second (0: by --share) --share S        (0.5 of the most)
            --seconds S      of a window (3)                 --pairs N        (20)
            --checked N      objects read back (20000)       --seed N (1)     --commit ID
            """;

    static LatencyOptions parse(String[] arguments) {
        Arguments given = Arguments.of(arguments, Set.of("quick", "alone"));
        boolean quick = given.has("quick");
        LatencyOptions options =
                new LatencyOptions(
                        Path.of(given.take("directory", "target/cleaning")),
                        Path.of(given.take("output", "results/latency")),
                        given.take("commit", "unknown"),
                        Arguments.constant(given.take("through", "cube"), Through.class),
                        Arguments.bytes(given.take("capacity", quick ? "96M" : "1G")),
                        Math.toIntExact(
                                Arguments.bytes(given.take("segment", quick ? "256K" : "2M"))),
                        Integer.parseInt(given.take("reserve", "16")),
                        Integer.parseInt(given.take("utilization", "80")),
                        Integer.parseInt(given.take("size", "1024")),
                        Integer.parseInt(given.take("threads", "32")),
                        given.has("alone"),
                        Double.parseDouble(given.take("rate", "0")),
                        Double.parseDouble(given.take("share", "0.5")),
                        Double.parseDouble(given.take("seconds", quick ? "2" : "3")),
                        Integer.parseInt(given.take("pairs", quick ? "3" : "20")),
                        Long.parseLong(given.take("checked", "20000")),
                        Long.parseLong(given.take("seed", "1")));
        given.requireAllTaken();
        return options;
    }
}
