package io.volute.benchmarks.history;

import io.volute.benchmarks.Median;
import io.volute.benchmarks.Ticks;
import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A mix of as many PUTs as GETs under each policy, and with plain versioning, which the source
 * compares with (Causality-based Versioning, section 6: "VER", versions without causality). All
 * stores are open, and each round measures all of them, so that what changes slowly on the machine
 * meets all.
 */
final class Overhead {
    private final HistoryOptions options;
    private final HistoryResults results;
    private final Mix mix;
    private final Map<String, List<Double>> rates = new HashMap<>();

    /** Clients included; depends less than the rates on what runs beside it. */
    private final Map<String, List<Double>> cpuMicros = new HashMap<>();

    private final Map<String, Long> operations = new HashMap<>();

    /** The request mixes of the clients. */
    enum Mix {
        /** Equal numbers of PUTs and GETs, of objects that all clients share. */
        SHARED("Overhead of capture"),

        /** PUTs only, each client of objects that nobody else writes: causality keeps nothing. */
        OWN("Overwrites of one's own");

        private final String title;

        Mix(String title) {
            this.title = title;
        }
    }

    Overhead(HistoryOptions options, HistoryResults results, Mix mix) {
        this.options = options;
        this.results = results;
        this.mix = mix;
    }

    void run() throws IOException, InterruptedException {
        List<HistoryStore> stores = new ArrayList<>();
        try {
            open(stores);
            for (HistoryStore store : stores) {
                for (int i = 0; i < options.objects(); i++) {
                    String actor = mix == Mix.OWN ? client(i % options.threads()) : "owner";
                    store.put(actor, "k" + i, content(i, 0));
                }
            }
            for (int round = 0; round < options.warmUps() + options.rounds(); round++) {
                for (int i = 0; i < stores.size(); i++) {
                    measure(stores.get((i + round) % stores.size()), round);
                }
            }
            report(stores);
        } finally {
            for (HistoryStore store : stores) {
                store.close();
            }
        }
    }

    private void open(List<HistoryStore> stores) throws IOException, InterruptedException {
        for (HistoryPolicy policy : options.policies()) {
            if (mix == Mix.SHARED) {
                stores.add(options.through().open(policy, options.directory()));
            } else {
                stores.add(new PolicyStore(policy, Duration.ZERO, options.directory()));
                if (policy != HistoryPolicy.NONE && policy != HistoryPolicy.EVERY_WRITE) {
                    stores.add(new PolicyStore(policy, Duration.ofSeconds(1), options.directory()));
                }
            }
        }
        stores.add(options.through().plainVersioning(options.directory()));
    }

    private static String client(int number) {
        return "client-" + number;
    }

    private byte[] content(int object, long time) {
        return HistoryStore.content(object, time, options.bytes());
    }

    private void measure(HistoryStore store, int round) throws IOException, InterruptedException {
        Duration cpu = cpuTime(store);
        long began = Ticks.nanos();
        long end = began + TimeUnit.SECONDS.toNanos(options.seconds());
        List<FutureTask<Long>> clients = new ArrayList<>();
        for (int i = 0; i < options.threads(); i++) {
            int client = i;
            FutureTask<Long> task = new FutureTask<>(() -> client(store, client, round, end));
            clients.add(task);
            Thread.ofVirtual().name("client-" + i).start(task);
        }
        long done = 0;
        for (FutureTask<Long> each : clients) {
            try {
                done += each.get();
            } catch (ExecutionException e) {
                throw new IOException("a client of " + store.name() + " failed", e);
            }
        }
        if (round >= options.warmUps()) {
            double seconds = (double) (Ticks.nanos() - began) / TimeUnit.SECONDS.toNanos(1);
            rates.computeIfAbsent(store.name(), same -> new ArrayList<>()).add(done / seconds);
            cpuMicros
                    .computeIfAbsent(store.name(), same -> new ArrayList<>())
                    .add(cpuTime(store).minus(cpu).toNanos() / 1e3 / Math.max(1, done));
        }
        operations.merge(store.name(), done, Long::sum);
    }

    private static Duration cpuTime(HistoryStore store) {
        return store.processes().stream()
                .map(each -> each.info().totalCpuDuration().orElse(Duration.ZERO))
                .reduce(Duration.ZERO, Duration::plus);
    }

    private long client(HistoryStore store, int client, int round, long end) throws IOException {
        String actor = client(client);
        SplittableRandom random = new SplittableRandom(1000L * round + client);
        long done = 0;
        while (Ticks.nanos() < end) {
            int object = random.nextInt(options.objects());
            if (mix == Mix.OWN) {
                object -= object % options.threads();
                object = object + client < options.objects() ? object + client : client;
            }
            if (mix == Mix.OWN || random.nextBoolean()) {
                store.put(actor, "k" + object, content(object, done));
            } else {
                store.read(actor, "k" + object, options.bytes());
            }
            done++;
        }
        return done;
    }

    private void report(List<HistoryStore> stores) throws IOException {
        results.table(
                mix.title,
                "Policy",
                "operations/s (median)",
                "rate: none = 1",
                "rate: plain = 1",
                "CPU us/operation (median)",
                "CPU: plain = 1",
                "log bytes/operation",
                "states kept",
                "bytes kept",
                "causal bytes",
                "causal bytes/operation");
        for (HistoryStore store : stores) {
            String name = store.name();
            double perOperation = Math.max(1, operations.get(name));
            HistoryStore.Taken taken = store.taken();
            double rate = median(rates.get(name));
            double toNone = ratio(rates, store, stores.getFirst());
            double toPlain = ratio(rates, store, stores.getLast());
            double cpu = median(cpuMicros.get(name));
            double cpuToPlain = ratio(cpuMicros, store, stores.getLast());
            results.row(
                    List.of(
                            name,
                            String.format(Locale.ROOT, "%.0f", rate),
                            String.format(Locale.ROOT, "%.3f", toNone),
                            String.format(Locale.ROOT, "%.3f", toPlain),
                            String.format(Locale.ROOT, "%.1f", cpu),
                            String.format(Locale.ROOT, "%.3f", cpuToPlain),
                            each(taken.log(), perOperation),
                            HistoryResults.cell(taken.keptStates()),
                            HistoryResults.cell(taken.kept()),
                            HistoryResults.cell(taken.causal()),
                            each(taken.causal(), perOperation)));
            results.add(
                    results.line(mix == Mix.OWN ? "own" : "overhead", name)
                            .put("rounds", options.rounds())
                            .put("seconds", options.seconds())
                            .put("threads", options.threads())
                            .put("objects", options.objects())
                            .put("bytes", options.bytes())
                            .put("operations_per_s", rate)
                            .put("ratio_to_none", toNone)
                            .put("ratio_to_plain_versioning", toPlain)
                            .put("cpu_us_per_operation", cpu)
                            .put("cpu_ratio_to_plain_versioning", cpuToPlain)
                            .put("operations", operations.get(name))
                            .put("log_bytes", taken.log())
                            .put("kept_states", taken.keptStates())
                            .put("kept_bytes", taken.kept())
                            .put("causal_bytes", taken.causal()));
        }
    }

    private static String each(OptionalLong bytes, double operations) {
        return bytes.isPresent()
                ? String.format(Locale.ROOT, "%.1f", bytes.getAsLong() / operations)
                : HistoryResults.UNTOLD;
    }

    private static double median(List<Double> values) {
        return Median.of(values.stream().mapToDouble(Double::doubleValue));
    }

    /** Returns the median over all rounds of the ratio of two stores in the same round. */
    private double ratio(
            Map<String, List<Double>> measured, HistoryStore store, HistoryStore base) {
        return Median.of(
                IntStream.range(0, options.rounds())
                        .mapToDouble(
                                i ->
                                        measured.get(store.name()).get(i)
                                                / measured.get(base.name()).get(i)));
    }
}
