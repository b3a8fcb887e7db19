package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.WorkerThreads;
import io.volute.benchmarks.cleaning.store.Content;
import io.volute.benchmarks.cleaning.store.MeasuredStore;
import io.volute.benchmarks.cleaning.store.Spaces;
import io.volute.benchmarks.cleaning.store.WrittenBytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs a workload of table 1 on a cube of its own. */
final class TableRun {
    /** Bytes that are written in a phase for a byte that may live. */
    private static final int WRITTEN_PER_LIVE = 5;

    private static final int KEY_BITS = 40;

    private static final long WATCH_NANOS = 20_000_000;

    private final CleaningOptions options;
    private final TableWorkload workload;

    /** Bytes of content that may live at once; the capacity with reserves is a multiple of them. */
    private final long liveBytes;

    TableRun(CleaningOptions options, TableWorkload workload) {
        this.options = options;
        this.workload = workload;
        double entries = workload.entriesPerContent();
        this.liveBytes = (long) (options.capacityBytes / options.expansion / entries);
    }

    void run(Results results) throws IOException, InterruptedException {
        try (Scratch scratch = Scratch.in(options.directory);
                MeasuredStore store =
                        CleaningTarget.CUBE.open(
                                scratch.directory(),
                                Variant.TWO_LEVEL.settings(options),
                                new Content(options.seed))) {
            run(store, results);
        }
    }

    private void run(MeasuredStore store, Results results)
            throws IOException, InterruptedException {
        List<ChangingObjects> hands = new ArrayList<>();
        for (long i = 0; i < options.threads; i++) {
            hands.add(
                    new ChangingObjects(
                            store,
                            i << KEY_BITS,
                            liveBytes / options.threads,
                            workload.bytesMax(),
                            options.seed));
        }
        List<String> wrong = new ArrayList<>();
        Stopwatch watch = new Stopwatch();
        WrittenBytes before = store.written();
        AtomicBoolean over = new AtomicBoolean();
        FutureTask<Double> peak = new FutureTask<>(() -> peakExpansion(store, over));
        Thread.ofVirtual().name("space-watch").start(peak);
        try {
            phases(hands, watch);
        } catch (IOException e) {
            wrong.add(e + " " + e.getCause());
        } finally {
            over.set(true);
        }
        Stopwatch.Times times = watch.stop();
        WrittenBytes written = store.written().since(before);
        Spaces spaces = Spaces.settled(store);
        results.addTable(workload, liveBytes, times, written, spaces, valueOf(peak));
        wrong.addAll(spaces.implausible(options.capacityBytes));
        wrong.addAll(check(store, hands));
        wrong.forEach(each -> results.complain(workload + ": " + each));
    }

    private static double valueOf(FutureTask<Double> peak)
            throws IOException, InterruptedException {
        try {
            return peak.get();
        } catch (ExecutionException e) {
            throw new IOException("the space is not known", e);
        }
    }

    /** Returns the most that was used over the most that was live. */
    private static double peakExpansion(MeasuredStore store, AtomicBoolean over)
            throws IOException {
        long used = 0;
        long live = 1;
        while (!over.get()) {
            Spaces now = store.spaces();
            used = Math.max(used, now.used());
            live = Math.max(live, now.live());
            Ticks.waitUntil(Ticks.nanos() + WATCH_NANOS);
        }
        return (double) used / live;
    }

    private void phases(List<ChangingObjects> hands, Stopwatch watch)
            throws IOException, InterruptedException {
        long each = WRITTEN_PER_LIVE * liveBytes / options.threads;
        WorkerThreads.run(
                hands.size(),
                (number, over) -> {
                    try (Stopwatch.Hand hand = watch.hand()) {
                        hands.get(number).allocate(each, workload.before(), hand, over);
                        hands.get(number).delete(workload.deletedPercent(), hand, over);
                    }
                });
        if (workload.isChanging()) {
            WorkerThreads.run(
                    hands.size(),
                    (number, over) -> {
                        try (Stopwatch.Hand hand = watch.hand()) {
                            hands.get(number).allocate(each, workload.after(), hand, over);
                        }
                    });
        }
    }

    private List<String> check(MeasuredStore store, List<ChangingObjects> hands)
            throws IOException {
        List<String> wrong = new ArrayList<>();
        hands.forEach(hand -> wrong.addAll(hand.check(options.checked / options.threads)));
        long written = hands.stream().mapToLong(ChangingObjects::count).sum();
        long found = store.count();
        if (found != written) {
            wrong.add(written + " objects should live, a listing finds " + found);
        }
        return wrong;
    }
}
