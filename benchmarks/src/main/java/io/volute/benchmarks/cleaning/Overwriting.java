package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.WorkerThreads;
import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import io.volute.benchmarks.cleaning.store.MeasuredStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A growing number of objects of one size that are overwritten again and again. Each thread has
 * objects of its own.
 */
final class Overwriting {
    private static final int CHECK_THREADS = 4;
    private static final int COMPLAINTS_MAX = 10;
    private static final int TRIAL_OBJECTS = 2000;

    /** Divisor of the live bytes: {@link #fill} writes this part of them as a trial first. */
    private static final int TRIAL_PART = 5;

    private final MeasuredStore store;
    private final Load load;
    private int[] versions = new int[0];
    private long seed;

    Overwriting(MeasuredStore store, Load load) {
        this.store = store;
        this.load = load;
        this.seed = load.seed();
    }

    /** The parameters of the writes. */
    record Load(int objectBytes, int threads, Distribution distribution, long seed) {}

    int objects() {
        return versions.length;
    }

    /**
     * Adds objects until so many bytes are live. First overwrites a smaller set to measure the size
     * of an object: an overwrite names its victim in the log, so it is larger than a first write.
     */
    void fill(long liveBytes) throws IOException, InterruptedException {
        if (objects() == 0) {
            grow(TRIAL_OBJECTS);
            growTo(liveBytes / TRIAL_PART);
            overwrite(2L * objects());
        }
        growTo(liveBytes);
    }

    private void growTo(long liveBytes) throws IOException, InterruptedException {
        grow((int) (liveBytes / bytesEach()));
    }

    /** Live bytes that an object takes, on average. */
    double bytesEach() throws IOException {
        return store.spaces().live() / (double) objects();
    }

    /** Adds objects until there are so many. */
    void grow(int objects) throws IOException, InterruptedException {
        int before = versions.length;
        versions = Arrays.copyOf(versions, Math.max(before, objects));
        Stopwatch watch = new Stopwatch();
        WorkerThreads.run(
                load.threads(),
                (number, over) -> {
                    ByteBuffer buffer = ByteBuffer.allocate(load.objectBytes());
                    try (Stopwatch.Hand hand = watch.hand()) {
                        int key = before + Math.floorMod(number - before, load.threads());
                        while (key < objects && !over.get()) {
                            put(key, buffer, hand);
                            key += load.threads();
                        }
                    }
                });
    }

    private void put(int key, ByteBuffer buffer, Stopwatch.Hand hand) throws IOException {
        int version = versions[key] + 1;
        hand.time(() -> store.put(key, version, load.objectBytes(), buffer));
        versions[key] = version;
    }

    /** Overwrites so many objects. */
    Stopwatch.Times overwrite(long writes) throws IOException, InterruptedException {
        return overwrite(writes, Double.MAX_VALUE);
    }

    /** Overwrites objects for so long. */
    Stopwatch.Times overwriteFor(double seconds) throws IOException, InterruptedException {
        return overwrite(Long.MAX_VALUE, seconds);
    }

    private Stopwatch.Times overwrite(long writes, double seconds)
            throws IOException, InterruptedException {
        AtomicLong left = new AtomicLong(writes);
        Stopwatch watch = new Stopwatch();
        seed++;
        long now = seed;
        WorkerThreads.run(
                load.threads(),
                (number, over) -> {
                    int mine = (versions.length - number + load.threads() - 1) / load.threads();
                    KeyChoice choice =
                            new KeyChoice(
                                    new SplittableRandom(now * 1000 + number),
                                    load.distribution(),
                                    mine);
                    ByteBuffer buffer = ByteBuffer.allocate(load.objectBytes());
                    try (Stopwatch.Hand hand = watch.hand()) {
                        while (left.getAndDecrement() > 0
                                && watch.seconds() < seconds
                                && !over.get()) {
                            put(number + choice.next() * load.threads(), buffer, hand);
                        }
                    }
                });
        return watch.stop();
    }

    /**
     * Reads objects back.
     *
     * @param most objects, spread evenly
     * @return what is wrong
     */
    Queue<String> check(MeasuredStore in, long most) throws IOException, InterruptedException {
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        long step = Math.max(1, versions.length / Math.max(1, most));
        WorkerThreads.run(
                CHECK_THREADS,
                (number, over) -> {
                    ByteBuffer buffer = ByteBuffer.allocateDirect(2 * load.objectBytes() + 4096);
                    for (long key = number * step;
                            key < versions.length && wrong.size() < COMPLAINTS_MAX;
                            key += step * CHECK_THREADS) {
                        int version = versions[(int) key];
                        if (version > 0) {
                            in.check(key, version, load.objectBytes(), buffer)
                                    .ifPresent(wrong::add);
                        }
                    }
                });
        // Growing may have ended before all were written.
        long written = Arrays.stream(versions).filter(version -> version > 0).count();
        long found = in.count();
        if (found != written) {
            wrong.add(written + " objects were written, a listing finds " + found);
        }
        return wrong;
    }
}
