package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import io.volute.storage.CubeStats;
import io.volute.storage.Cubes;
import io.volute.storage.SpaceReport;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * One kind of load at rising utilisation of one cube: objects are added until so much is live, the
 * capacity is overwritten once, then throughput is measured.
 */
final class UtilizationSeries {
    /** Objects that are written first, to see what one takes. */
    private static final int TRIAL_OBJECTS = 2000;

    private final Plan plan;
    private final Path parent;
    private final Content content;

    UtilizationSeries(Plan plan, Path parent) {
        this.plan = plan;
        this.parent = parent;
        this.content = new Content(plan.seed());
    }

    /**
     * What is measured.
     *
     * @param percents of the capacity that are live, rising
     * @param checked objects that are read back after each point
     */
    record Plan(
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
                    Locale.ROOT, "%s %s %d B", variant.title(), distribution, objectBytes);
        }

        ObjectCube.Settings settings() {
            return new ObjectCube.Settings(
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
            Written written,
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
            Overwriting objects = measure(scratch.directory(), found, complaints);
            checkRebuilt(scratch.directory(), objects, complaints);
        }
    }

    private Overwriting measure(Path directory, Consumer<Point> found, Consumer<String> complaints)
            throws IOException, InterruptedException {
        try (ObjectCube cube = new ObjectCube(directory, plan.settings(), content)) {
            Overwriting objects =
                    new Overwriting(
                            cube,
                            new Overwriting.Load(
                                    plan.objectBytes(),
                                    plan.threads(),
                                    plan.distribution(),
                                    plan.seed()));
            objects.grow(TRIAL_OBJECTS);
            double each = Spaces.of(cube.cube().space()).live() / (double) TRIAL_OBJECTS;
            for (int percent : plan.percents()) {
                try {
                    objects.grow((int) (plan.capacityBytes() * percent / 100 / each));
                    objects.overwrite((long) (plan.capacityBytes() / each));
                    found.accept(point(cube, objects, percent));
                } catch (IOException e) {
                    complaints.accept(
                            plan.title() + " at " + percent + "%: " + e + " " + e.getCause());
                    complaints.accept("left: " + Spaces.of(cube.cube().space()));
                    break;
                }
            }
            return objects;
        }
    }

    private Point point(ObjectCube cube, Overwriting objects, int percent)
            throws IOException, InterruptedException {
        CubeStats before = cube.cube().stats();
        Stopwatch.Times times = objects.overwriteFor(plan.seconds());
        Written written = Written.between(before, cube.cube().stats());
        SpaceReport report = Spaces.settled(cube.cube());
        List<String> wrong = new ArrayList<>(Spaces.implausible(report, plan.capacityBytes()));
        wrong.addAll(objects.check(cube, plan.checked()));
        return new Point(
                plan, percent, objects.objects(), times, written, Spaces.of(report), wrong);
    }

    /** The accounting must be what a scan of the whole log finds. */
    private void checkRebuilt(Path directory, Overwriting objects, Consumer<String> complaints)
            throws IOException, InterruptedException {
        SpaceReport kept;
        ObjectCube.Settings settings = plan.settings().notCleaning();
        try (ObjectCube cube = new ObjectCube(directory, settings, content)) {
            kept = cube.cube().space();
        }
        Cubes.rebuildIndex(directory);
        try (ObjectCube cube = new ObjectCube(directory, settings, content)) {
            Spaces.differences(kept, cube.cube().space()).stream()
                    .limit(5)
                    .forEach(each -> complaints.accept(plan.title() + ", accounting: " + each));
            objects.check(cube, plan.checked())
                    .forEach(each -> complaints.accept(plan.title() + ", index rebuilt: " + each));
        }
    }
}
