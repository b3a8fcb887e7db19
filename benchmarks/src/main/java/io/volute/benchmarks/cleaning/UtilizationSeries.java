package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import io.volute.benchmarks.cleaning.store.Content;
import io.volute.benchmarks.cleaning.store.MeasuredStore;
import io.volute.benchmarks.cleaning.store.Spaces;
import io.volute.benchmarks.cleaning.store.StorePlace;
import io.volute.benchmarks.cleaning.store.StoreSettings;
import io.volute.benchmarks.cleaning.store.WrittenBytes;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * One kind of load at rising utilisation of one store: objects are added until so much is live, the
 * capacity is overwritten once, then throughput is measured.
 */
final class UtilizationSeries {
    private final Plan plan;
    private final Path parent;
    private final Content content;

    UtilizationSeries(Plan plan, Path parent) {
        this.plan = plan;
        this.parent = parent;
        this.content = new Content(plan.seed());
    }

    /**
     * The parameters of a series.
     *
     * @param percents of the capacity that are live, rising
     * @param checked objects that are read back after each point
     */
    record Plan(
            CleaningTarget through,
            Variant variant,
            Distribution distribution,
            int objectBytes,
            List<Integer> percents,
            long capacityBytes,
            int segmentBytes,
            int reserveSegments,
            int threads,
            double seconds,
            long checked,
            long seed) {

        String title() {
            return String.format(
                    Locale.ROOT,
                    "%s %s %s %d B",
                    through.title(),
                    variant.title(),
                    distribution,
                    objectBytes);
        }

        StoreSettings settings() {
            return new StoreSettings(
                    segmentBytes, variant.settings(capacityBytes, reserveSegments));
        }
    }

    /**
     * One point.
     *
     * @param wrong what was found wrong after it
     */
    record Point(
            Plan plan,
            int percent,
            int objects,
            Stopwatch.Times times,
            WrittenBytes written,
            ProcessorTime taken,
            Spaces spaces,
            List<String> wrong) {

        double writesPerSecond() {
            return times.writes() / times.seconds();
        }

        double megabytesPerSecond() {
            return writesPerSecond() * plan.objectBytes() / 1e6;
        }

        double cleaningPerNew() {
            return written.amplification(WriteCause.CLEANING);
        }
    }

    /** Runs until a point fails; what is wrong with the whole is a complaint of the last point. */
    void run(Consumer<Point> found, Consumer<String> complaints)
            throws IOException, InterruptedException {
        try (Scratch scratch = Scratch.in(parent)) {
            StorePlace place = plan.through().place(scratch.directory(), content);
            Overwriting objects = measure(place, found, complaints);
            checkRebuilt(place, objects, complaints);
        }
    }

    static Overwriting objects(MeasuredStore store, Plan plan) {
        return new Overwriting(
                store,
                new Overwriting.Load(
                        plan.objectBytes(), plan.threads(), plan.distribution(), plan.seed()));
    }

    /** Adds objects until so much is live, and overwrites the capacity once. */
    static void fill(Overwriting objects, Plan plan, int percent)
            throws IOException, InterruptedException {
        long live = plan.capacityBytes() * percent / 100;
        objects.fill(live);
        objects.overwrite((long) (plan.capacityBytes() / objects.bytesEach()));
        objects.fill(live);
    }

    private Overwriting measure(
            StorePlace place, Consumer<Point> found, Consumer<String> complaints)
            throws IOException, InterruptedException {
        try (MeasuredStore store = place.open(plan.settings())) {
            Overwriting objects = objects(store, plan);
            for (int percent : plan.percents()) {
                try {
                    fill(objects, plan, percent);
                    found.accept(point(store, objects, percent));
                } catch (IOException e) {
                    complaints.accept(
                            plan.title() + " at " + percent + "%: " + e + " " + e.getCause());
                    complaints.accept("left: " + left(store));
                    break;
                }
            }
            return objects;
        }
    }

    /** Describes the space of a store that may not respond. */
    private static String left(MeasuredStore store) {
        try {
            return store.spaces().toString();
        } catch (IOException e) {
            return "not known: " + e;
        }
    }

    private Point point(MeasuredStore store, Overwriting objects, int percent)
            throws IOException, InterruptedException {
        WrittenBytes before = store.written();
        ProcessorTime takenBefore = ProcessorTime.of(store.process());
        Stopwatch.Times times = objects.overwriteFor(plan.seconds());
        ProcessorTime taken = ProcessorTime.of(store.process()).since(takenBefore);
        WrittenBytes written = store.written().since(before);
        Spaces spaces = Spaces.settled(store);
        List<String> wrong = new ArrayList<>(store.implausible(plan.capacityBytes()));
        wrong.addAll(objects.check(store, plan.checked()));
        return new Point(plan, percent, objects.objects(), times, written, taken, spaces, wrong);
    }

    private static Spaces spaces(StorePlace place, StoreSettings settings)
            throws IOException, InterruptedException {
        try (MeasuredStore store = place.open(settings)) {
            return Spaces.settled(store);
        }
    }

    /** Verifies that the accounting equals the result of a scan of the whole log. */
    private void checkRebuilt(StorePlace place, Overwriting objects, Consumer<String> complaints)
            throws IOException, InterruptedException {
        StoreSettings settings = plan.settings().notCleaning();
        Spaces kept = spaces(place, settings);
        // An index flush frees emptied segments. The next start frees those that waited for it.
        for (Spaces now = spaces(place, settings); !now.equals(kept); ) {
            kept = now;
            now = spaces(place, settings);
        }
        place.discardIndex();
        try (MeasuredStore store = place.open(settings)) {
            kept.differences(Spaces.settled(store)).stream()
                    .limit(5)
                    .forEach(each -> complaints.accept(plan.title() + ", accounting: " + each));
            objects.check(store, plan.checked())
                    .forEach(each -> complaints.accept(plan.title() + ", index rebuilt: " + each));
        }
    }
}
