package io.volute.benchmarks.history;

import io.volute.versioning.Restore.Goal;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.util.Optional;

/**
 * The worm of the paper, table 6: an actor that has read a tainted object overwrites all objects.
 * The restore brings back the states before the taint.
 */
final class Worm {
    private static final int BYTES = 20_000;
    private static final String EVIL = "payload";

    private final int objects;
    private final RecoveryTable table;

    Worm(HistoryOptions options, HistoryResults results) {
        this.objects = options.wormObjects();
        this.table = new RecoveryTable(options, results, "worm");
    }

    void run() throws IOException, InterruptedException {
        table.fill("Worm: " + objects + " objects of 20 kB overwritten, and restored", this::run);
    }

    private void run(HistoryStore store) throws IOException, InterruptedException {
        writeAll(store, "owner", 0);
        store.put("stranger", EVIL, HistoryStore.content(-1, 0, BYTES));
        store.endSessions();
        String worm = "worm";
        store.read(worm, EVIL, BYTES);
        writeAll(store, worm, 1);
        HistoryStore.Taken left = store.taken();
        Recovery recovery =
                Recovery.of(
                        store,
                        new Goal.BeforeTaint(
                                new BucketName(HistoryStore.BUCKET),
                                new ObjectKey(EVIL),
                                Optional.empty()),
                        objects,
                        object -> HistoryStore.content(object, 0, BYTES));
        table.add(store, EVIL, left, recovery, objects);
    }

    private void writeAll(HistoryStore store, String actor, int time) throws IOException {
        for (int i = 0; i < objects; i++) {
            store.put(actor, "k" + i, HistoryStore.content(i, time, BYTES));
        }
    }
}
