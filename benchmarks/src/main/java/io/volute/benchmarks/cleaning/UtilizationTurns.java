package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.Spread;
import io.volute.benchmarks.cleaning.store.Content;
import io.volute.benchmarks.cleaning.store.MeasuredStore;
import io.volute.benchmarks.cleaning.store.WrittenBytes;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Stores that are full to different degrees, overwritten in turns: when the machine is slower for a
 * while, it is slower for all of them. Each turn begins with unmeasured writes, because a rested
 * store has free space that it did not reclaim within the turn.
 */
final class UtilizationTurns {
    /**
     * Share of the capacity that each turn writes unmeasured. It exceeds the free tenth below which
     * cleaning begins.
     */
    private static final double LEAD_IN_SHARE = 0.125;

    private final UtilizationSeries.Plan plan;
    private final int turns;
    private final Path parent;
    private final Content content;

    UtilizationTurns(UtilizationSeries.Plan plan, int turns, Path parent) {
        this.plan = plan;
        this.turns = turns;
        this.parent = parent;
        this.content = new Content(plan.seed());
    }

    /** The results of one store in one turn. */
    record Turn(
            double writesPerSecond,
            double cpuMillisPerWrite,
            double cleaningPerNew,
            double worstStallMillis) {}

    /**
     * The results of one store.
     *
     * @param turns in their order, which is that of the other stores too
     * @param wrong what was found wrong afterwards
     */
    record Store(int percent, List<Turn> turns, List<String> wrong) {

        Spread spread(Function<Turn, Double> figure) {
            return Spread.of(turns.stream().map(figure).toList());
        }
    }

    /** The results of all stores, in the order of the plan. */
    record Outcome(UtilizationSeries.Plan plan, List<Store> stores) {

        /** Returns, over all turns, a store's throughput divided by that of the first store. */
        Spread ratio(Store store) {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < store.turns().size(); i++) {
                ratios.add(
                        store.turns().get(i).writesPerSecond()
                                / stores.getFirst().turns().get(i).writesPerSecond());
            }
            return Spread.of(ratios);
        }
    }

    Outcome run() throws IOException, InterruptedException {
        return run(List.of());
    }

    /** Opens and fills the stores that are not open yet, one within the other. */
    private Outcome run(List<Filled> open) throws IOException, InterruptedException {
        if (open.size() == plan.percents().size()) {
            return inTurns(open);
        }
        int percent = plan.percents().get(open.size());
        try (Scratch scratch = Scratch.in(parent);
                MeasuredStore store =
                        plan.through().place(scratch.directory(), content).open(plan.settings())) {
            Overwriting objects = UtilizationSeries.objects(store, plan);
            UtilizationSeries.fill(objects, plan, percent);
            List<Filled> more = new ArrayList<>(open);
            more.add(new Filled(store, objects, new ArrayList<>()));
            return run(more);
        }
    }

    private record Filled(MeasuredStore store, Overwriting objects, List<Turn> turns) {

        void turn(UtilizationSeries.Plan plan) throws IOException, InterruptedException {
            objects.overwrite((long) (LEAD_IN_SHARE * plan.capacityBytes() / objects.bytesEach()));
            WrittenBytes before = store.written();
            ProcessorTime takenBefore = ProcessorTime.of(store.process());
            Stopwatch.Times times = objects.overwriteFor(plan.seconds());
            ProcessorTime taken = ProcessorTime.of(store.process()).since(takenBefore);
            turns.add(
                    new Turn(
                            times.writes() / times.seconds(),
                            ProcessorTime.millisPer(times.writes(), taken.store()),
                            store.written().since(before).amplification(WriteCause.CLEANING),
                            times.worstStallMillis()));
        }
    }

    private Outcome inTurns(List<Filled> open) throws IOException, InterruptedException {
        for (int i = 0; i < turns; i++) {
            for (Filled each : open) {
                each.turn(plan);
            }
        }
        List<Store> stores = new ArrayList<>();
        for (int i = 0; i < open.size(); i++) {
            Filled each = open.get(i);
            List<String> wrong = new ArrayList<>(each.store().implausible(plan.capacityBytes()));
            wrong.addAll(each.objects().check(each.store(), plan.checked()));
            stores.add(new Store(plan.percents().get(i), each.turns(), wrong));
        }
        return new Outcome(plan, stores);
    }
}
