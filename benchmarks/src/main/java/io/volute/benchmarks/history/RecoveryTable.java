package io.volute.benchmarks.history;

import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.util.List;

/** The recovery of each policy after an attack; each policy runs with a store of its own. */
final class RecoveryTable {
    private final HistoryOptions options;
    private final HistoryResults results;
    private final String kind;

    /**
     * @param kind of its lines in the results
     */
    RecoveryTable(HistoryOptions options, HistoryResults results, String kind) {
        this.options = options;
        this.results = results;
        this.kind = kind;
    }

    /** The experiment with one policy. */
    interface Experiment {
        void run(HistoryStore store) throws IOException, InterruptedException;
    }

    void fill(String title, Experiment experiment) throws IOException, InterruptedException {
        results.table(
                title,
                "Policy",
                "to before",
                "put back",
                "recovered exactly",
                "ms",
                "bytes read",
                "bytes kept",
                "causal data, bytes");
        for (HistoryPolicy policy : HistoryPolicy.values()) {
            try (HistoryStore store = options.through().open(policy, options.directory())) {
                experiment.run(store);
            }
        }
    }

    /**
     * @param before what it was put back to
     * @param left by the attack
     * @param objects that should hold what they held
     */
    void add(
            HistoryStore store,
            String before,
            HistoryStore.Taken left,
            Recovery recovery,
            int objects) {
        String policy = store.name();
        results.row(
                List.of(
                        policy,
                        before,
                        Long.toString(recovery.restored()),
                        recovery.exact() + " of " + objects,
                        Long.toString(recovery.millis()),
                        Long.toString(recovery.readBytes()),
                        HistoryResults.cell(left.kept()),
                        HistoryResults.cell(left.causal())));
        results.add(
                results.line(kind, policy)
                        .put("before", before)
                        .put("objects", objects)
                        .put("restored", recovery.restored())
                        .put("exact", recovery.exact())
                        .put("ms", recovery.millis())
                        .put("read_bytes", recovery.readBytes())
                        .put("kept_bytes", left.kept())
                        .put("causal_bytes", left.causal()));
    }
}
