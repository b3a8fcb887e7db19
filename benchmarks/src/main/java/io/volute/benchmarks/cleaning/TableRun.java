package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.WorkerThreads;
import io.volute.benchmarks.cleaning.store.Content;
import io.volute.benchmarks.cleaning.store.ObjectCube;
import io.volute.benchmarks.cleaning.store.SpaceWatch;
import io.volute.benchmarks.cleaning.store.Spaces;
import io.volute.benchmarks.cleaning.store.StoreSettings;
import io.volute.benchmarks.cleaning.store.WrittenBytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a workload of table 1 on a cube of its own. */
final class TableRun {
    /** Bytes that are written in a phase for a byte that may live. */
    private static final int WRITTEN_PER_LIVE = 5;

    private static final int KEY_BITS = 40;

    private final Plan plan;
    private final Path parent;

    TableRun(Plan plan, Path parent) {
        this.plan = plan;
        this.parent = parent;
    }

    /**
     * The parameters of a run.
     *
     * @param liveBytes of content that may live at once
     */
    record Plan(
            TableWorkload workload,
            long liveBytes,
            StoreSettings settings,
            int threads,
            long checked,
            long seed) {}

    /**
     * What it has shown.
     *
     * @param peakExpansion the most that was used over the most that was live
     * @param wrong what was found wrong; empty for a success
     */
    record Outcome(
            Plan plan,
            Stopwatch.Times times,
            WrittenBytes written,
            Spaces spaces,
            double peakExpansion,
            List<String> wrong) {}

    Outcome run() throws IOException, InterruptedException {
        try (Scratch scratch = Scratch.in(parent);
                ObjectCube cube =
                        new ObjectCube(
                                scratch.directory(), plan.settings(), new Content(plan.seed()))) {
            return run(cube);
        }
    }

    private Outcome run(ObjectCube cube) throws IOException, InterruptedException {
        List<ChangingObjects> hands = new ArrayList<>();
        for (long i = 0; i < plan.threads(); i++) {
            hands.add(
                    new ChangingObjects(
                            cube,
                            i << KEY_BITS,
                            plan.liveBytes() / plan.threads(),
                            plan.workload().bytesMax(),
                            plan.seed()));
        }
        List<String> wrong = new ArrayList<>();
        Stopwatch watch = new Stopwatch();
        WrittenBytes before = cube.written();
        try (SpaceWatch space = new SpaceWatch(cube.cube())) {
            try {
                phases(hands, watch);
            } catch (IOException e) {
                wrong.add(e + " " + e.getCause());
            }
            Stopwatch.Times times = watch.stop();
            WrittenBytes written = cube.written().since(before);
            Spaces spaces = Spaces.settled(cube);
            wrong.addAll(cube.implausible(plan.settings().cleaning().capacityBytes()));
            wrong.addAll(check(cube, hands));
            return new Outcome(plan, times, written, spaces, space.peakExpansion(), wrong);
        }
    }

    private void phases(List<ChangingObjects> hands, Stopwatch watch)
            throws IOException, InterruptedException {
        TableWorkload workload = plan.workload();
        long each = WRITTEN_PER_LIVE * plan.liveBytes() / plan.threads();
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

    private List<String> check(ObjectCube cube, List<ChangingObjects> hands) {
        List<String> wrong = new ArrayList<>();
        hands.forEach(hand -> wrong.addAll(hand.check(plan.checked() / plan.threads())));
        long written = hands.stream().mapToLong(ChangingObjects::count).sum();
        long found = cube.count();
        if (found != written) {
            wrong.add(written + " objects should live, a listing finds " + found);
        }
        return wrong;
    }
}
