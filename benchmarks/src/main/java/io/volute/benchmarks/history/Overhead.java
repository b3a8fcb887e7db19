package io.volute.benchmarks.history;

import io.volute.benchmarks.Median;
import io.volute.benchmarks.Ticks;
import io.volute.versioning.Caller;
import io.volute.versioning.History;
import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * A mix of as many PUTs as GETs under each policy. All stores are open, and each round measures all
 * of them, so that what changes slowly on the machine meets all.
 */
final class Overhead {
    private final HistoryOptions options;
    private final HistoryResults results;
    private final Map<HistoryPolicy, List<Double>> rates = new EnumMap<>(HistoryPolicy.class);
    private final Map<HistoryPolicy, Long> operations = new EnumMap<>(HistoryPolicy.class);

    Overhead(HistoryOptions options, HistoryResults results) {
        this.options = options;
        this.results = results;
    }

    void run() throws IOException, InterruptedException {
        List<PolicyStore> stores = new ArrayList<>();
        try {
            for (HistoryPolicy policy : HistoryPolicy.values()) {
                PolicyStore store = new PolicyStore(policy, options.directory());
                stores.add(store);
                for (int i = 0; i < options.objects(); i++) {
                    store.put(PolicyStore.caller("owner"), "k" + i, content(i, 0));
                }
            }
            // The first round warms up and is not counted.
            for (int round = 0; round <= options.rounds(); round++) {
                for (int i = 0; i < stores.size(); i++) {
                    measure(stores.get((i + round) % stores.size()), round);
                }
            }
            report(stores);
        } finally {
            for (PolicyStore store : stores) {
                store.close();
            }
        }
    }

    private byte[] content(int object, long time) {
        return PolicyStore.content(object, time, options.bytes());
    }

    private void measure(PolicyStore store, int round) throws IOException, InterruptedException {
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
                throw new IOException("a client of " + store.policy().text() + " failed", e);
            }
        }
        if (round > 0) {
            double seconds = (double) (Ticks.nanos() - began) / TimeUnit.SECONDS.toNanos(1);
            rates.computeIfAbsent(store.policy(), same -> new ArrayList<>()).add(done / seconds);
        }
        operations.merge(store.policy(), done, Long::sum);
    }

    private long client(PolicyStore store, int client, int round, long end) throws IOException {
        Caller caller = PolicyStore.caller("client-" + client);
        SplittableRandom random = new SplittableRandom(1000L * round + client);
        long done = 0;
        while (Ticks.nanos() < end) {
            int object = random.nextInt(options.objects());
            if (random.nextBoolean()) {
                store.put(caller, "k" + object, content(object, done));
            } else {
                store.read(caller, "k" + object, options.bytes());
            }
            done++;
        }
        return done;
    }

    private void report(List<PolicyStore> stores) throws IOException {
        results.table(
                "Overhead of capture",
                "Policy",
                "operations/s (median)",
                "ratio to none (median of rounds)",
                "log, bytes an operation",
                "states kept",
                "bytes kept",
                "causal data, bytes",
                "causal data, bytes an operation");
        for (PolicyStore store : stores) {
            HistoryPolicy policy = store.policy();
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < options.rounds(); i++) {
                ratios.add(rates.get(policy).get(i) / rates.get(HistoryPolicy.NONE).get(i));
            }
            double perOperation = Math.max(1, operations.get(policy));
            History.Kept kept = store.kept();
            long causal = store.causalBytes();
            double rate = Median.of(rates.get(policy).stream().mapToDouble(Double::doubleValue));
            double ratio = Median.of(ratios.stream().mapToDouble(Double::doubleValue));
            double log = store.logBytes() / perOperation;
            results.row(
                    List.of(
                            policy.text(),
                            String.format(Locale.ROOT, "%.0f", rate),
                            String.format(Locale.ROOT, "%.3f", ratio),
                            String.format(Locale.ROOT, "%.0f", log),
                            Long.toString(kept.states()),
                            Long.toString(kept.bytes()),
                            Long.toString(causal),
                            String.format(Locale.ROOT, "%.1f", causal / perOperation)));
            results.add(
                    results.line("overhead", policy.text())
                            .put("rounds", options.rounds())
                            .put("seconds", options.seconds())
                            .put("threads", options.threads())
                            .put("objects", options.objects())
                            .put("bytes", options.bytes())
                            .put("operations_per_s", rate)
                            .put("ratio_to_none", ratio)
                            .put("operations", operations.get(policy))
                            .put("log_bytes", store.logBytes())
                            .put("kept_states", kept.states())
                            .put("kept_bytes", kept.bytes())
                            .put("causal_bytes", causal));
        }
    }
}
