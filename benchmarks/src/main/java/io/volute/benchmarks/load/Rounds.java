package io.volute.benchmarks.load;

import io.volute.benchmarks.Median;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Rounds in each of which every server runs once, in turn: slow changes of the machine affect all
 * servers. For two servers, the output includes the ratios of each round.
 */
public final class Rounds {
    /** Receives each result as it arrives. */
    public interface Listener {
        /**
         * @param server its place among the servers
         * @param round counted from 0
         */
        void found(int server, int round, LoadResult result) throws IOException;
    }

    private final List<List<LoadResult>> rounds;

    private Rounds(List<List<LoadResult>> rounds) {
        this.rounds = List.copyOf(rounds);
    }

    /** Runs servers, one or two, and prints what they reach. */
    public static Rounds run(List<LoadRun> servers, int count, PrintStream out, Listener listener)
            throws IOException, InterruptedException {
        List<List<LoadResult>> rounds = new ArrayList<>();
        for (int round = 0; round < count; round++) {
            List<LoadResult> results = new ArrayList<>();
            for (LoadRun server : servers) {
                LoadResult result = server.run();
                out.println(result.text());
                listener.found(results.size(), round, result);
                results.add(result);
            }
            if (results.size() == 2) {
                out.println("  " + ratios(results.get(0), results.get(1)));
            }
            rounds.add(List.copyOf(results));
        }
        return new Rounds(rounds);
    }

    /** Returns the number of errors in all runs. */
    public long errors() {
        return rounds.stream()
                .flatMap(List::stream)
                .mapToLong(result -> result.counts().errors())
                .sum();
    }

    /** Operations a second of a server, in the middle of its rounds. */
    public double operationsPerSecond(int server) {
        return median(server, LoadResult::operationsPerSecond);
    }

    /**
     * Ratios of the first server to the second, a round each.
     *
     * @param figure of a result
     */
    public List<Double> ratios(ToDoubleFunction<LoadResult> figure) {
        return rounds.stream()
                .map(
                        round ->
                                figure.applyAsDouble(round.get(0))
                                        / figure.applyAsDouble(round.get(1)))
                .toList();
    }

    /** Prints the medians of each server, and of the ratios. */
    public void summarise(PrintStream out) {
        List<LoadResult> first = rounds.getFirst();
        for (int i = 0; i < first.size(); i++) {
            out.printf(
                    Locale.ROOT,
                    "median %-8s %.1f ops/s, p99 %.2f ms, server CPU %.3f ms/op%n",
                    first.get(i).target(),
                    operationsPerSecond(i),
                    median(i, result -> result.latencyMillis(99)),
                    median(i, result -> result.serverCpuMillis().orElse(Double.NaN)));
        }
        if (first.size() == 2) {
            out.printf(
                    Locale.ROOT,
                    "median ratio %s/%s %.2f%n",
                    first.get(0).target(),
                    first.get(1).target(),
                    Median.of(
                            ratios(LoadResult::operationsPerSecond).stream()
                                    .mapToDouble(Double::doubleValue)));
        }
    }

    private double median(int server, ToDoubleFunction<LoadResult> figure) {
        return Median.of(rounds.stream().map(round -> round.get(server)).mapToDouble(figure));
    }

    private static String ratios(LoadResult first, LoadResult second) {
        String text =
                String.format(
                        Locale.ROOT,
                        "%s/%s: ops/s %.2f, p50 %.2f, p99 %.2f",
                        first.target(),
                        second.target(),
                        first.operationsPerSecond() / second.operationsPerSecond(),
                        first.latencyMillis(50) / second.latencyMillis(50),
                        first.latencyMillis(99) / second.latencyMillis(99));
        if (first.serverCpuMillis().isEmpty() || second.serverCpuMillis().isEmpty()) {
            return text;
        }
        return text
                + String.format(
                        Locale.ROOT,
                        ", server CPU/op %.2f",
                        first.serverCpuMillis().getAsDouble()
                                / second.serverCpuMillis().getAsDouble());
    }
}
