package io.volute.benchmarks.history;

import io.volute.versioning.Restore.Goal;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The Apache simulator of the paper, table 7: one client writes 50 objects of 8 kB in 50 rounds. In
 * every fourth round a helper reads a byte of each object and sends the client a message through an
 * object that stands for a pipe. Objects are restored to before the 11th, 7th and 3rd round.
 */
final class Interleaved {
    private static final int OBJECTS = 50;
    private static final int ROUNDS = 50;
    private static final int HELPER_EVERY = 4;
    private static final int BYTES = 8192;
    private static final List<Integer> PUT_BACK_TO = List.of(11, 7, 3);

    private final RecoveryTable table;

    Interleaved(HistoryOptions options, HistoryResults results) {
        this.table = new RecoveryTable(options, results, "interleaved");
    }

    void run() throws IOException, InterruptedException {
        table.fill(
                "Interleaved clients: 50 objects, 50 rounds, every 4th through a helper",
                this::run);
    }

    private void run(HistoryStore store) throws IOException {
        String main = "main";
        List<Instant> events = new ArrayList<>();
        for (int round = 1; round <= ROUNDS; round++) {
            for (int i = 0; i < OBJECTS; i++) {
                store.put(main, "k" + i, HistoryStore.content(i, round, BYTES));
            }
            if (round % HELPER_EVERY == 0) {
                events.add(store.instant());
                help(store, main, round);
            }
        }
        HistoryStore.Taken left = store.taken();
        for (int event : PUT_BACK_TO) {
            Recovery recovery =
                    Recovery.of(
                            store,
                            new Goal.ToInstant(events.get(event - 1)),
                            OBJECTS,
                            object ->
                                    HistoryStore.content(
                                            object, (long) event * HELPER_EVERY, BYTES));
            table.add(store, "event " + event, left, recovery, OBJECTS);
        }
    }

    private static void help(HistoryStore store, String main, int round) throws IOException {
        // Each time another one, as a process that is forked.
        String helper = "helper-" + round;
        byte[] told = new byte[OBJECTS];
        for (int i = 0; i < OBJECTS; i++) {
            told[i] = store.get(helper, "k" + i).orElseThrow()[0];
        }
        store.put(helper, "pipe", told);
        store.read(main, "pipe", OBJECTS);
    }
}
