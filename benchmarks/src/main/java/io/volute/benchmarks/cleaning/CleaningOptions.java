package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Arguments;
import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import io.volute.benchmarks.cleaning.store.StoreSettings;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * What to run, read from the arguments.
 *
 * @param directory for the stores, on the disk that is measured
 * @param output directory that gets the results
 * @param reserveSegments of the cleaner
 * @param seconds that are measured at each point, or in each turn
 * @param turns of stores of each utilization; 0 for one store that is filled more and more
 * @param checked objects that are read back after each point
 * @param comparedPercents at which the other variants are measured too
 * @param expansion capacity of table 1 over what is planned to be live
 */
record CleaningOptions(
        Path directory,
        Path output,
        String commit,
        CleaningTarget through,
        long capacityBytes,
        int segmentBytes,
        int reserveSegments,
        int threads,
        double seconds,
        int turns,
        long checked,
        long seed,
        List<Integer> sizes,
        List<Distribution> distributions,
        List<Variant> variants,
        List<Integer> percents,
        List<Integer> comparedPercents,
        List<TableWorkload> workloads,
        double expansion) {

    static final String USAGE =
            """
            --directory DIR  for the data: choose the disk (benchmarks/target/cleaning)
            --output DIR     for results.jsonl and cleaning.svg (benchmarks/results/cleaning)
            --quick          less than a minute in all; what follows still counts
            --through cube|server      (cube: in this process; server: another process, by HTTP)
            --capacity nM    (256M)          --segment nK     (256K)     --reserve SEGMENTS  (32)
            --threads N      (32)            --seconds S      (5)        --checked N     (20000)
            --sizes N,..     (100,1000,10000)                            --seed N            (1)
            --turns N        (0: one store that is filled more and more; else a store for each
                             utilization, measured in N turns: for a machine whose speed changes)
            --utilizations PERCENT,..  (30,50,70,80,90; ascending)
            --compared PERCENT,..      (80,90; where the other variants are measured too)
            --distributions uniform,zipfian
            --variants two-level,one-level,object-age                   --commit ID
            --workloads W1,..,W8 of table 1, or none    --expansion X  of table 1 (1.25)
            A server has no settings for variants other than two-level; table 1 is for a cube.
            """;

    static CleaningOptions parse(String[] arguments) {
        Arguments given = Arguments.of(arguments, Set.of("quick"));
        CleaningOptions options = given.has("quick") ? quick(given) : full(given);
        given.requireAllTaken();
        options.through().require(options.variants(), options.workloads());
        return options;
    }

    private static CleaningOptions full(Arguments given) {
        return read(
                given,
                List.of("256K", "32", "5", "20000", "100,1000,10000", "30,50,70,80,90", "all"),
                List.of("all", "all", "80,90"));
    }

    private static CleaningOptions quick(Arguments given) {
        return read(
                given,
                List.of("4M", "3", "2", "5000", "10000", "30", "W7"),
                List.of("uniform", "two-level,one-level", "30"));
    }

    /**
     * @param sizes defaults of segment, reserve, seconds, checked, sizes, utilizations, workloads
     * @param kinds defaults of distributions, variants, compared
     */
    private static CleaningOptions read(Arguments given, List<String> sizes, List<String> kinds) {
        CleaningTarget through =
                Arguments.constant(given.take("through", "cube"), CleaningTarget.class);
        boolean isCube = through == CleaningTarget.CUBE;
        return new CleaningOptions(
                Path.of(given.take("directory", "target/cleaning")),
                Path.of(given.take("output", "results/cleaning")),
                given.take("commit", "unknown"),
                through,
                Arguments.bytes(given.take("capacity", "256M")),
                Math.toIntExact(Arguments.bytes(given.take("segment", sizes.get(0)))),
                Integer.parseInt(given.take("reserve", sizes.get(1))),
                Integer.parseInt(given.take("threads", "32")),
                Double.parseDouble(given.take("seconds", sizes.get(2))),
                Integer.parseInt(given.take("turns", "0")),
                Long.parseLong(given.take("checked", sizes.get(3))),
                Long.parseLong(given.take("seed", "1")),
                list(given.take("sizes", sizes.get(4)), Integer::valueOf),
                constants(given.take("distributions", kinds.get(0)), Distribution.class),
                constants(
                        given.take("variants", isCube ? kinds.get(1) : "two-level"), Variant.class),
                list(given.take("utilizations", sizes.get(5)), Integer::valueOf),
                list(given.take("compared", kinds.get(2)), Integer::valueOf),
                constants(
                        given.take("workloads", isCube ? sizes.get(6) : "none"),
                        TableWorkload.class),
                Double.parseDouble(given.take("expansion", "1.25")));
    }

    private static <T> List<T> list(String text, Function<String, T> read) {
        return text.equals("none") ? List.of() : Arrays.stream(text.split(",")).map(read).toList();
    }

    private static <E extends Enum<E>> List<E> constants(String text, Class<E> type) {
        if (text.equals("all")) {
            return List.of(type.getEnumConstants());
        }
        return list(text, each -> Arguments.constant(each, type));
    }

    UtilizationSeries.Plan plan(Variant variant, Distribution distribution, int objectBytes) {
        return new UtilizationSeries.Plan(
                through,
                variant,
                distribution,
                objectBytes,
                variant == Variant.TWO_LEVEL
                        ? percents
                        : percents.stream().filter(comparedPercents::contains).toList(),
                capacityBytes,
                segmentBytes,
                reserveSegments,
                threads,
                seconds,
                checked,
                seed);
    }

    /** Returns the plan of a run; its capacity with reserves is a fixed multiple of live bytes. */
    TableRun.Plan plan(TableWorkload workload) {
        return new TableRun.Plan(
                workload,
                (long) (capacityBytes / expansion / workload.entriesPerContent()),
                new StoreSettings(
                        segmentBytes, Variant.TWO_LEVEL.settings(capacityBytes, reserveSegments)),
                threads,
                checked,
                seed);
    }
}
