package io.volute.benchmarks.suite;

import io.volute.benchmarks.Arguments;
import io.volute.benchmarks.load.LoadOptions;
import io.volute.benchmarks.load.LoadOptions.Target;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What to run, read from the arguments.
 *
 * @param shares percent of the highest rate at which latency is measured, where it is of interest
 * @param settings of the server, by key of docs/configuration.md; the others have their defaults
 * @param compared those of a second server, to which the first is compared
 * @param cleaned a store that is so full that it is cleaned all the time
 * @param endpoint a server that runs already; empty: one of this build is started
 * @param directory for the data, on the disk that is measured
 * @param output directory that gets the results
 */
record SuiteOptions(
        List<Mix> mixes,
        Load load,
        List<Integer> shares,
        Map<String, String> settings,
        Optional<Map<String, String>> compared,
        Optional<Full> cleaned,
        Optional<Target> endpoint,
        Path directory,
        Path output,
        String commit) {

    /**
     * How much of each mix.
     *
     * @param size of small objects, as the driver reads it
     * @param largeSize of large ones
     * @param objects that are there before a run, unless they are large
     */
    record Load(
            int connections,
            double seconds,
            double warmUp,
            int runs,
            String size,
            String largeSize,
            long objects) {}

    /**
     * A store of which much is live.
     *
     * @param utilization percent of the capacity
     */
    record Full(long capacityBytes, int utilization) {}

    static final String USAGE =
            """
            --quick             about a minute; what follows still counts
            --mixes NAME,..     put,get,mixed,delete,list,put-large,get-large,population,versioned
            --connections N     (16)       --runs N     (3)       --objects N  (10000)
            --duration S        (20)       --warm-up S  (10; before each run)
            --size nK (4K)                 --large nM   (10M)
            --shares %,..|none  of the highest rate of put and get, at which they are measured
                                again in an open loop (50,80)
            --settings K=V,..   of the server, see docs/configuration.md; {scratch} in a value is a
                                directory of its own, removed at the end
            --with-cleaning     put, get and mixed in a store that is full, so that it is cleaned
                                meanwhile:  --capacity nM (1G)   --utilization % (80)
            --compare-settings K=V,..|defaults
                                two servers, A with --settings and B with these, in turns;
                                then (put,get), --runs (9), --duration (10), --warm-up (3)
            --endpoint URL --access-key K --secret-key S [--region R] [--server-pid P] [--name N]
                                another S3 server that runs already; the buckets stay there
            --directory DIR     for the data: choose the disk (benchmarks/target/suite)
            --output DIR        for results and plot (benchmarks/results/suite)
            --commit ID
            """;

    static SuiteOptions parse(String... arguments) {
        Arguments given = Arguments.of(arguments, Set.of("quick", "with-cleaning"));
        Optional<Map<String, String>> compared =
                optional(given.take("compare-settings", "")).map(SuiteOptions::settings);
        boolean cleaned = given.has("with-cleaning");
        SuiteOptions options =
                new SuiteOptions(
                        mixes(given.take("mixes", ""), compared.isPresent(), cleaned),
                        load(given, compared.isPresent()),
                        shares(given.take("shares", "50,80")),
                        settings(given.take("settings", "defaults")),
                        compared,
                        full(given, cleaned),
                        endpoint(given),
                        Path.of(given.take("directory", "target/suite")),
                        Path.of(given.take("output", "results/suite")),
                        given.take("commit", "unknown"));
        given.requireAllTaken();
        options.requireSense();
        return options;
    }

    private void requireSense() {
        if (endpoint.isPresent()
                && !(settings.isEmpty() && compared.isEmpty() && cleaned.isEmpty())) {
            throw new IllegalArgumentException(
                    "--settings, --compare-settings and --with-cleaning are for a server that is"
                            + " started here: leave out --endpoint");
        }
        if (compared.isPresent() && cleaned.isPresent()) {
            throw new IllegalArgumentException(
                    "--compare-settings and --with-cleaning are two runs: choose one");
        }
        if (cleaned.isPresent() && !mixes.stream().allMatch(Mix::isCleaned)) {
            throw new IllegalArgumentException("--with-cleaning measures put, get and mixed only");
        }
        if (load.runs < 1 || load.connections < 1 || load.seconds <= 0) {
            throw new IllegalArgumentException(
                    "--runs, --connections and --duration are at least 1, or there is no figure");
        }
    }

    private static List<Mix> mixes(String text, boolean compared, boolean cleaned) {
        if (text.isEmpty()) {
            return compared
                    ? List.of(Mix.PUT, Mix.GET)
                    : Arrays.stream(Mix.values())
                            .filter(mix -> !cleaned || mix.isCleaned())
                            .toList();
        }
        return Arrays.stream(text.split(","))
                .map(each -> Arguments.constant(each, Mix.class))
                .toList();
    }

    private static Load load(Arguments given, boolean compared) {
        boolean quick = given.has("quick");
        return new Load(
                Integer.parseInt(given.take("connections", "16")),
                Double.parseDouble(given.take("duration", quick ? "1" : compared ? "10" : "20")),
                Double.parseDouble(given.take("warm-up", quick ? "0.5" : compared ? "3" : "10")),
                Integer.parseInt(given.take("runs", quick ? "2" : compared ? "9" : "3")),
                given.take("size", "4K"),
                given.take("large", "10M"),
                Long.parseLong(given.take("objects", quick ? "1000" : "10000")));
    }

    private static List<Integer> shares(String text) {
        List<Integer> all =
                text.equals("none")
                        ? List.of()
                        : Arrays.stream(text.split(",")).map(Integer::valueOf).toList();
        if (all.stream().anyMatch(share -> share < 1 || share > 100)) {
            throw new IllegalArgumentException("--shares are percents, 1 to 100, or none");
        }
        return all;
    }

    private static Map<String, String> settings(String text) {
        return text.equals("defaults") ? Map.of() : Arguments.pairs(text);
    }

    /** Settings as they are given. */
    static String text(Map<String, String> settings) {
        return settings.isEmpty()
                ? "defaults"
                : new TreeMap<>(settings)
                        .entrySet().stream()
                                .map(each -> each.getKey() + "=" + each.getValue())
                                .collect(Collectors.joining(","));
    }

    private static Optional<Full> full(Arguments given, boolean cleaned) {
        boolean quick = given.has("quick");
        Full full =
                new Full(
                        Arguments.bytes(given.take("capacity", quick ? "128M" : "1G")),
                        Integer.parseInt(given.take("utilization", "80")));
        return cleaned ? Optional.of(full) : Optional.empty();
    }

    private static Optional<Target> endpoint(Arguments given) {
        return optional(given.take("endpoint", ""))
                .map(url -> LoadOptions.target(given, "", url, given.take("region", "us-east-1")));
    }

    private static Optional<String> optional(String text) {
        return Optional.of(text).filter(given -> !given.isEmpty());
    }

    /** A number as the driver reads it. */
    static String figure(double number) {
        return String.format(Locale.ROOT, "%.3f", number);
    }
}
