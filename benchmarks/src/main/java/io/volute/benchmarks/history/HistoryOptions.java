package io.volute.benchmarks.history;

import io.volute.benchmarks.Arguments;
import io.volute.versioning.causality.HistoryPolicy;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * The parameters of the history experiments.
 *
 * @param rounds of all policies in turn
 * @param warmUps rounds before them that are not counted
 * @param seconds of one policy in a round
 * @param threads clients, each an actor of its own
 * @param objects of the mix
 * @param wormObjects that the worm overwrites
 * @param bytes of an object in the mix
 * @param policies of the mix, {@code none} first
 * @param experiments that are made
 * @param through what is between clients and the store
 */
record HistoryOptions(
        Path directory,
        Path output,
        String commit,
        int rounds,
        int warmUps,
        int seconds,
        int threads,
        int objects,
        int bytes,
        int wormObjects,
        Set<HistoryPolicy> policies,
        Set<String> experiments,
        HistoryTarget through) {
    private static final Set<String> ALL = Set.of("interleaved", "worm", "overhead", "own");

    private static final String POLICIES = "open-close,cycle-avoidance,graph-finesse,every-write";

    static final String USAGE =
            """
            --directory DIR     for the stores, on the disk to be measured
            --output DIR        results.jsonl and a page of tables are written there
            --quick             a look: --rounds 2 --seconds 1 --objects 200 --worm-objects 200
            --rounds N          rounds of the mix, all policies in turn in each (9)
            --warm-ups N        rounds before them that are not counted (1; servers: 5)
            --seconds N         of the mix under one policy in one round (5)
            --threads N         clients of the mix, each an actor (16)
            --objects N         of the mix (5000)
            --bytes N           of an object of the mix (4K)
            --worm-objects N    objects of 20 kB that the worm overwrites (25600)
            --policies LIST     of the mix; none and plain versioning always are (all)
            --experiments LIST  of interleaved,worm,overhead,own (all but own)
                                own: what a resolution of one second costs clients that
                                overwrite what is their own; in this process
            --through store|server  in this process, or S3 over HTTP (store)
            --commit ID         noted in the results
            """;

    static HistoryOptions parse(String[] given) {
        Arguments arguments = Arguments.of(given, Set.of("quick"));
        boolean quick = arguments.has("quick");
        HistoryTarget through =
                Arguments.constant(arguments.take("through", "store"), HistoryTarget.class);
        HistoryOptions options =
                new HistoryOptions(
                        Path.of(arguments.take("directory", "target/history")),
                        Path.of(arguments.take("output", "results/history")),
                        arguments.take("commit", "unknown"),
                        number(arguments, "rounds", quick ? "2" : "9"),
                        number(arguments, "warm-ups", through == HistoryTarget.STORE ? "1" : "5"),
                        number(arguments, "seconds", quick ? "1" : "5"),
                        number(arguments, "threads", "16"),
                        number(arguments, "objects", quick ? "200" : "5000"),
                        Math.toIntExact(Arguments.bytes(arguments.take("bytes", "4K"))),
                        number(arguments, "worm-objects", quick ? "200" : "25600"),
                        policies(arguments.take("policies", POLICIES)),
                        experiments(arguments.take("experiments", "interleaved,worm,overhead")),
                        through);
        arguments.requireAllTaken();
        return options;
    }

    private static Set<HistoryPolicy> policies(String list) {
        Set<HistoryPolicy> wanted = EnumSet.of(HistoryPolicy.NONE);
        for (String name : list.split(",", -1)) {
            wanted.add(HistoryPolicy.parse(name));
        }
        return wanted;
    }

    private static Set<String> experiments(String list) {
        Set<String> wanted = Set.of(list.split(",", -1));
        if (!ALL.containsAll(wanted)) {
            throw new IllegalArgumentException("--experiments are of " + ALL + ", not " + list);
        }
        return wanted;
    }

    private static int number(Arguments arguments, String name, String otherwise) {
        int value = Integer.parseInt(arguments.take(name, otherwise));
        if (value < 1) {
            throw new IllegalArgumentException("--" + name + " is less than 1");
        }
        return value;
    }
}
