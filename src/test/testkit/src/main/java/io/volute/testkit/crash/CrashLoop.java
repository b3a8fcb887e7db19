package io.volute.testkit.crash;

import io.volute.testkit.sim.PersistencePolicy;
import io.volute.testkit.sim.SimEvent;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Crashes a workflow before every event of its disk and after every acknowledgement, leaves a disk
 * by every persistence policy, recovers each with the real code and checks it; a sample of the
 * recoveries is crashed as well.
 *
 * <p>A crash is a copy: the work runs once and goes on. Images share their pages, so that thousands
 * of them fit into memory.
 */
public final class CrashLoop {
    private final Settings settings;

    /**
     * How much is tried.
     *
     * @param seed of the images and of the sample
     * @param checkedMax images that are recovered and checked
     * @param recoveriesMax recoveries that are crashed in turn
     * @param nestedMax images that are checked of each such recovery
     */
    public record Settings(long seed, int checkedMax, int recoveriesMax, int nestedMax) {

        /** A sample, or everything with {@code -Dvolute.crash=full}. */
        public static Settings usual() {
            long seed = Long.getLong("volute.seed", 1);
            return "full".equals(System.getProperty("volute.crash"))
                    ? new Settings(seed, Integer.MAX_VALUE, Integer.MAX_VALUE, 64)
                    : new Settings(seed, 60, 4, 4);
        }
    }

    private record Image<S>(String where, PersistencePolicy policy, SimFileSystem disk, S known) {}

    public CrashLoop(Settings settings) {
        this.settings = settings;
    }

    /**
     * Tries a workflow with crashes at all or a sample of its events.
     *
     * @throws AssertionError when a promise is broken; the message names the crash
     */
    public <S> CrashReport run(CrashWorkflow<S> workflow) throws IOException {
        SimFileSystem disk = new SimFileSystem(settings.seed());
        Recorder<S> recorder = new Recorder<>(disk, settings.seed());
        workflow.run(disk, recorder);
        recorder.point("the end");
        int images = recorder.images.size();
        // Images leave the queue when they were checked: recovery makes them larger.
        Queue<Image<S>> chosen = sample(recorder.images, settings.checkedMax());
        int count = chosen.size();
        long recoveries = Math.min(settings.recoveriesMax(), count);
        int nested = 0;
        for (int i = 0; i < count; i++) {
            boolean crashesRecovery = i * recoveries / count != (i + 1) * recoveries / count;
            nested += check(workflow, chosen.remove(), crashesRecovery);
        }
        return new CrashReport(workflow.name(), recorder.points, images, count, nested);
    }

    private <S> int check(CrashWorkflow<S> workflow, Image<S> image, boolean crashesRecovery)
            throws IOException {
        if (!crashesRecovery) {
            checkOne(workflow, image, new Deaf<>());
            return 0;
        }
        Recorder<S> recorder = new Recorder<>(image.disk(), settings.seed());
        checkOne(workflow, image, recorder);
        Queue<Image<S>> nested = sample(recorder.images, settings.nestedMax());
        int count = nested.size();
        while (!nested.isEmpty()) {
            Image<S> second = nested.remove();
            String where = image.where() + " by " + image.policy() + ", then " + second.where();
            checkOne(
                    workflow,
                    new Image<>(where, second.policy(), second.disk(), second.known()),
                    new Deaf<>());
        }
        return count;
    }

    private <S> void checkOne(CrashWorkflow<S> workflow, Image<S> image, CrashProbe<S> probe) {
        try {
            workflow.check(image.disk(), image.known(), probe);
        } catch (IOException | RuntimeException | AssertionError broken) {
            throw new AssertionError(
                    workflow.name()
                            + ", crash "
                            + image.where()
                            + " by "
                            + image.policy()
                            + " (-Dvolute.seed="
                            + settings.seed()
                            + "): "
                            + broken.getMessage(),
                    broken);
        }
    }

    /** Takes a sample, and everything from the list. */
    private <T> Queue<T> sample(List<T> all, int max) {
        List<T> chosen = new ArrayList<>(all);
        all.clear();
        if (chosen.size() > max) {
            Collections.shuffle(chosen, new Random(settings.seed()));
            chosen.subList(max, chosen.size()).clear();
        }
        return new ArrayDeque<>(chosen);
    }

    /** Takes images while the work goes on. Events come under the lock of the disk. */
    private static final class Recorder<S> implements CrashProbe<S> {
        private final SimFileSystem disk;
        private final long seed;
        private final List<Image<S>> images = Collections.synchronizedList(new ArrayList<>());
        private volatile boolean watching;
        private volatile Supplier<S> known;
        private int points;

        Recorder(SimFileSystem disk, long seed) {
            this.disk = disk;
            this.seed = seed;
            disk.observe(this::before);
        }

        @Override
        public void watch(Supplier<S> newKnown) {
            known = newKnown;
            watching = true;
        }

        @Override
        public void point(String where) {
            disk.atomically(() -> take("at " + where));
        }

        private void before(SimEvent event) {
            if (event.operation().changesDisk()) {
                take("before " + event);
            }
        }

        private void take(String where) {
            if (!watching) {
                return;
            }
            points++;
            S seen = known.get();
            for (PersistencePolicy policy : PersistencePolicy.values()) {
                SimFileSystem image = disk.crashImage(policy, seed + points);
                images.add(new Image<>(where, policy, image, seen));
            }
        }
    }

    private static final class Deaf<S> implements CrashProbe<S> {
        @Override
        public void watch(Supplier<S> known) {}

        @Override
        public void point(String where) {}
    }
}
