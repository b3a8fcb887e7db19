package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.CommandLines;
import io.volute.benchmarks.CommandLines.ByteCount;
import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** The options of the cleaning driver. */
final class CleaningOptions {
    private static final Map<String, String> QUICK =
            Map.of(
                    "--segment", "4M",
                    "--reserve", "3",
                    "--seconds", "2",
                    "--checked", "5000",
                    "--sizes", "10000",
                    "--utilizations", "30",
                    "--compared", "30",
                    "--distributions", "uniform",
                    "--variants", "two-level,one-level",
                    "--workloads", "W7");

    @Option(names = "--quick", description = "About a minute; other options still count.")
    boolean isQuick;

    @Option(names = "--directory", description = "For the data: choose the disk.")
    Path directory = Path.of("target/cleaning");

    @Option(names = "--output", description = "Directory of results.jsonl.")
    Path output = Path.of("results/cleaning");

    @Option(names = "--commit", description = "For the result lines.")
    String commit = "unknown";

    @Option(names = "--through", description = "cube in this process, or server by HTTP.")
    CleaningTarget through = CleaningTarget.CUBE;

    @Option(
            names = "--capacity",
            defaultValue = "256M",
            converter = ByteCount.class,
            description = "Bytes that the segments may take.")
    long capacityBytes;

    @Option(
            names = "--segment",
            defaultValue = "256K",
            converter = ByteCount.class,
            description = "Bytes of a segment.")
    long segmentBytes;

    @Option(names = "--reserve", description = "Segments that the cleaner keeps.")
    int reserveSegments = 32;

    @Option(names = "--threads", description = "Writers.")
    int threads = 32;

    @Option(names = "--seconds", description = "Measured at each point, or in each turn.")
    double seconds = 5;

    @Option(
            names = "--turns",
            description =
                    "0: one store that is filled more and more; else one for each utilization.")
    int turns;

    @Option(names = "--checked", description = "Objects that are read back after each point.")
    long checked = 20_000;

    @Option(names = "--seed", description = "Seed of the choice of keys and contents.")
    long seed = 1;

    @Option(names = "--sizes", description = "Bytes of objects, or none.")
    private String sizes = "100,1000,10000";

    @Option(names = "--utilizations", description = "Live percent of the capacity, ascending.")
    private String percents = "30,50,70,80,90";

    @Option(
            names = "--compared",
            description = "Utilizations at which other variants are measured too, or none.")
    private String comparedPercents = "80,90";

    @Option(names = "--distributions", description = "uniform, zipfian.")
    private String distributions = "all";

    @Option(names = "--variants", description = "two-level, one-level, object-age.")
    private String variants = "all";

    @Option(names = "--workloads", description = "W1 to W8 of table 1, or none.")
    private String workloads = "all";

    @Option(names = "--expansion", description = "Capacity of table 1 per byte that may be live.")
    double expansion = 1.25;

    /** Creates the command line of a driver that has these options. */
    static CommandLine commandLine(Object driver, String... arguments) {
        CommandLine command = CommandLines.of(driver);
        if (Arrays.asList(arguments).contains("--quick")) {
            command.setDefaultValueProvider(
                    each ->
                            each.isOption()
                                    ? QUICK.get(((CommandLine.Model.OptionSpec) each).longestName())
                                    : null);
        }
        return command;
    }

    /** Reads arguments. */
    static CleaningOptions parse(String... arguments) {
        CleaningOptions options = new CleaningOptions();
        options.complete(commandLine(options, arguments).parseArgs(arguments));
        return options;
    }

    /**
     * Completes the options.
     *
     * @throws IllegalArgumentException when it cannot be measured, with what can be
     */
    void complete(ParseResult given) {
        if (through == CleaningTarget.SERVER) {
            variants = given.hasMatchedOption("--variants") ? variants : "two-level";
            workloads = given.hasMatchedOption("--workloads") ? workloads : "none";
        }
        boolean isServers = variants().stream().allMatch(Variant::isServers);
        if (through == CleaningTarget.SERVER && !isServers) {
            throw new IllegalArgumentException(
                    "--through server measures only --variants two-level:"
                            + " the server has no settings for other ways to clean");
        }
        if (through == CleaningTarget.SERVER && !workloads().isEmpty()) {
            throw new IllegalArgumentException(
                    "--through server measures no workloads of table 1: use --workloads none");
        }
        // Wrong values are refused before anything is measured.
        Object unused = List.of(workloads(), sizes(), percents(Variant.TWO_LEVEL), distributions());
    }

    List<Integer> sizes() {
        return list(sizes, Integer::valueOf);
    }

    /** Returns the utilizations at which a variant is measured. */
    List<Integer> percents(Variant variant) {
        List<Integer> compared = list(comparedPercents, Integer::valueOf);
        return list(percents, Integer::valueOf).stream()
                .filter(each -> variant == Variant.TWO_LEVEL || compared.contains(each))
                .toList();
    }

    List<Distribution> distributions() {
        return constants(distributions, Distribution.class);
    }

    List<Variant> variants() {
        return constants(variants, Variant.class);
    }

    List<TableWorkload> workloads() {
        return constants(workloads, TableWorkload.class);
    }

    private static <T> List<T> list(String text, Function<String, T> read) {
        return text.equalsIgnoreCase("none")
                ? List.of()
                : Arrays.stream(text.split(",")).map(read).toList();
    }

    private static <E extends Enum<E>> List<E> constants(String text, Class<E> type) {
        return text.equals("all")
                ? List.of(type.getEnumConstants())
                : list(
                        text.toUpperCase(Locale.ROOT).replace('-', '_'),
                        each -> Enum.valueOf(type, each));
    }
}
