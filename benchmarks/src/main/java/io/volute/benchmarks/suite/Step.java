package io.volute.benchmarks.suite;

import io.volute.benchmarks.load.LoadOptions;
import io.volute.benchmarks.load.LoadOptions.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What one line of results is about.
 *
 * @param share percent of the highest rate that the workload is made at; empty in a closed loop
 * @param settings of the server
 */
record Step(Mix mix, OptionalInt share, Workload workload, Map<String, String> settings) {

    /** As fast as it goes. */
    static Step closed(Mix mix, List<String> arguments, Map<String, String> settings) {
        return new Step(mix, OptionalInt.empty(), workload(arguments), settings);
    }

    /**
     * In an open loop.
     *
     * @param most operations a second that were reached in the closed one; positive
     * @param share percent of it
     */
    Step at(int share, double most, List<String> arguments) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("--rate", SuiteOptions.figure(most * share / 100)));
        return new Step(mix, OptionalInt.of(share), workload(all), settings);
    }

    private static Workload workload(List<String> arguments) {
        return LoadOptions.parse(arguments.toArray(String[]::new)).workload();
    }

    /** For a reader, the same for what is repeated. */
    String title() {
        return share.isEmpty() ? mix.title() : mix.title() + " at " + share.getAsInt() + "%";
    }
}
