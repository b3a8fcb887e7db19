package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import io.volute.benchmarks.cleaning.store.Content;
import io.volute.benchmarks.cleaning.store.MeasuredStore;
import io.volute.benchmarks.cleaning.store.Spaces;
import io.volute.benchmarks.cleaning.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One kind of load at rising utilisation: objects are added until so much is live, the capacity is
 * overwritten once, then throughput is measured. Either one store is filled more and more, or each
 * utilisation has a store of its own and they are overwritten in turns.
 */
record UtilizationSeries(
        CleaningOptions options, Variant variant, Distribution distribution, int objectBytes) {
    /**
     * Share of the capacity that each turn writes unmeasured, because a rested store has free space
     * that it did not reclaim within the turn. It exceeds the free tenth below which cleaning
     * begins.
     */
    private static final double LEAD_IN_SHARE = 0.125;

    /** A store of one utilisation, and its samples in the order of the turns. */
    record Turns(int percent, MeasuredStore store, Overwriting objects, List<Sample> samples) {}

    String title() {
        return String.format(
                Locale.ROOT,
                "%s %s %s %d B",
                options.through.title(),
                variant.title(),
                distribution,
                objectBytes);
    }

    /** Runs until a point fails. A store that cannot be opened must not end the other series. */
    void run(Results results) throws InterruptedException {
        try {
            if (options.turns > 0) {
                runInTurns(List.of(), results);
            } else if (!percents().isEmpty()) {
                fillMoreAndMore(results);
            }
        } catch (IOException e) {
            results.complain(title() + ": " + e + " " + e.getCause());
        }
    }

    private List<Integer> percents() {
        return options.percents(variant);
    }

    private StoreSettings settings() {
        return variant.settings(options);
    }

    private MeasuredStore open(Path directory, StoreSettings settings)
            throws IOException, InterruptedException {
        return options.through.open(directory, settings, new Content(options.seed));
    }

    private Overwriting objects(MeasuredStore store) {
        return new Overwriting(
                store,
                new Overwriting.Load(objectBytes, options.threads, distribution, options.seed));
    }

    /** Adds objects until so much is live, and overwrites the capacity once. */
    private void fill(Overwriting objects, int percent) throws IOException, InterruptedException {
        long live = options.capacityBytes * percent / 100;
        objects.fill(live);
        objects.overwrite((long) (options.capacityBytes / objects.bytesEach()));
        objects.fill(live);
    }

    private void check(MeasuredStore store, Overwriting objects, Results results)
            throws IOException, InterruptedException {
        store.spaces().implausible(options.capacityBytes).forEach(results::complain);
        objects.check(store, options.checked).forEach(results::complain);
    }

    private void fillMoreAndMore(Results results) throws IOException, InterruptedException {
        try (Scratch scratch = Scratch.in(options.directory)) {
            Overwriting objects = measure(scratch.directory(), results);
            checkRebuilt(scratch.directory(), objects, results);
        }
    }

    private Overwriting measure(Path directory, Results results)
            throws IOException, InterruptedException {
        try (MeasuredStore store = open(directory, settings())) {
            Overwriting objects = objects(store);
            for (int percent : percents()) {
                try {
                    fill(objects, percent);
                    Sample sample = Sample.take(store, objects, options.seconds);
                    Spaces spaces = Spaces.settled(store);
                    results.addPoint(this, percent, objects.objects(), sample, spaces);
                    check(store, objects, results);
                } catch (IOException e) {
                    results.complain(title() + " at " + percent + "%: " + e + " " + e.getCause());
                    results.complain("left: " + store.spaces());
                    break;
                }
            }
            return objects;
        }
    }

    private Spaces spaces(Path directory, StoreSettings settings)
            throws IOException, InterruptedException {
        try (MeasuredStore store = open(directory, settings)) {
            return Spaces.settled(store);
        }
    }

    /** Verifies that the accounting equals the result of a scan of the whole log. */
    private void checkRebuilt(Path directory, Overwriting objects, Results results)
            throws IOException, InterruptedException {
        StoreSettings settings = settings().notCleaning();
        Spaces kept = spaces(directory, settings);
        // An index flush frees emptied segments. The next start frees those that waited for it.
        for (Spaces now = spaces(directory, settings); !now.equals(kept); ) {
            kept = now;
            now = spaces(directory, settings);
        }
        options.through.discardIndex(directory);
        try (MeasuredStore store = open(directory, settings)) {
            kept.differences(Spaces.settled(store))
                    .forEach(each -> results.complain(title() + ", accounting: " + each));
            objects.check(store, options.checked)
                    .forEach(each -> results.complain(title() + ", index rebuilt: " + each));
        }
    }

    /** Opens and fills the stores that are not open yet, one within the other. */
    private void runInTurns(List<Turns> open, Results results)
            throws IOException, InterruptedException {
        if (open.size() < percents().size()) {
            int percent = percents().get(open.size());
            try (Scratch scratch = Scratch.in(options.directory);
                    MeasuredStore store = open(scratch.directory(), settings())) {
                Overwriting objects = objects(store);
                fill(objects, percent);
                List<Turns> more = new ArrayList<>(open);
                more.add(new Turns(percent, store, objects, new ArrayList<>()));
                runInTurns(more, results);
            }
            return;
        }
        for (int i = 0; i < options.turns; i++) {
            for (Turns each : open) {
                double leadIn = LEAD_IN_SHARE * options.capacityBytes / each.objects().bytesEach();
                each.objects().overwrite((long) leadIn);
                each.samples().add(Sample.take(each.store(), each.objects(), options.seconds));
            }
        }
        for (Turns each : open) {
            results.addTurns(this, open.getFirst(), each);
            check(each.store(), each.objects(), results);
        }
    }
}
