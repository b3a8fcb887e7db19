package io.volute.benchmarks.history;

import io.volute.versioning.Caller;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The worm of the paper, table 6: an actor that has read something evil overwrites all objects.
 * What is derived from that is put back to before.
 */
final class Worm {
    private static final int BYTES = 20_000;
    private static final String EVIL = "payload";

    private final HistoryOptions options;
    private final HistoryResults results;

    Worm(HistoryOptions options, HistoryResults results) {
        this.options = options;
        this.results = results;
    }

    void run() throws IOException {
        results.table(
                "Worm: " + options.wormObjects() + " objects of 20 kB overwritten, and restored",
                "Policy",
                "put back",
                "recovered exactly",
                "ms",
                "bytes read",
                "bytes kept",
                "causal data, bytes");
        for (HistoryPolicy policy : HistoryPolicy.values()) {
            try (PolicyStore store = new PolicyStore(policy, options.directory())) {
                run(store);
            }
        }
    }

    private void run(PolicyStore store) throws IOException {
        int objects = options.wormObjects();
        writeAll(store, PolicyStore.caller("owner"), 0);
        store.put(PolicyStore.caller("stranger"), EVIL, PolicyStore.content(-1, 0, BYTES));
        store.endSessions();
        Caller worm = PolicyStore.caller("worm");
        store.read(worm, EVIL, BYTES);
        writeAll(store, worm, 1);
        long kept = store.kept().bytes();
        long causal = store.causalBytes();
        Recovery recovery =
                Recovery.of(
                        store,
                        new Goal.BeforeTaint(
                                PolicyStore.BUCKET, new ObjectKey(EVIL), Optional.empty()),
                        objects,
                        object -> PolicyStore.content(object, 0, BYTES));
        results.row(
                List.of(
                        store.policy().text(),
                        Long.toString(recovery.restored()),
                        recovery.exact() + " of " + objects,
                        Long.toString(recovery.millis()),
                        Long.toString(recovery.readBytes()),
                        Long.toString(kept),
                        Long.toString(causal)));
        results.add(
                results.line("worm", store.policy().text())
                        .put("objects", objects)
                        .put("restored", recovery.restored())
                        .put("exact", recovery.exact())
                        .put("ms", recovery.millis())
                        .put("read_bytes", recovery.readBytes())
                        .put("kept_bytes", kept)
                        .put("causal_bytes", causal));
    }

    private void writeAll(PolicyStore store, Caller caller, int time) throws IOException {
        for (int i = 0; i < options.wormObjects(); i++) {
            store.put(caller, "k" + i, PolicyStore.content(i, time, BYTES));
        }
    }
}
