package io.volute.benchmarks.history;

import io.volute.benchmarks.JsonLine;
import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.util.List;

/** What each policy can recover of an attack: an experiment with a store of its own for each. */
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
        void run(PolicyStore store) throws IOException;
    }

    void fill(String title, Experiment experiment) throws IOException {
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
            try (PolicyStore store = new PolicyStore(policy, options.directory())) {
                experiment.run(store);
            }
        }
    }

    /** What the attack has left: bytes of kept states, and of causal data. */
    record Left(long kept, long causal) {
        static Left in(PolicyStore store) throws IOException {
            return new Left(store.kept().bytes(), store.causalBytes());
        }
    }

    /**
     * @param before what it was put back to
     * @param objects that should hold what they held
     */
    void add(PolicyStore store, String before, Left left, Recovery recovery, int objects) {
        String policy = store.name();
        results.row(
                List.of(
                        policy,
                        before,
                        Long.toString(recovery.restored()),
                        recovery.exact() + " of " + objects,
                        Long.toString(recovery.millis()),
                        Long.toString(recovery.readBytes()),
                        Long.toString(left.kept()),
                        Long.toString(left.causal())));
        JsonLine line = results.line(kind, policy);
        results.add(
                line.put("before", before)
                        .put("objects", objects)
                        .put("restored", recovery.restored())
                        .put("exact", recovery.exact())
                        .put("ms", recovery.millis())
                        .put("read_bytes", recovery.readBytes())
                        .put("kept_bytes", left.kept())
                        .put("causal_bytes", left.causal()));
    }
}
