package io.volute.benchmarks.cleaning.store;

import io.volute.benchmarks.Ticks;
import io.volute.storage.Cube;

/** Looks at the space of a cube again and again, in a thread of its own. */
public final class SpaceWatch implements AutoCloseable {
    private static final long INTERVAL_NANOS = 20_000_000;

    private final Cube cube;
    private final Thread thread;
    private volatile boolean stopped;
    private long usedMax;
    private long liveMax;

    public SpaceWatch(Cube cube) {
        this.cube = cube;
        this.thread = Thread.ofVirtual().name("space-watch").start(this::run);
    }

    private void run() {
        while (!stopped) {
            look();
            Ticks.waitUntil(Ticks.nanos() + INTERVAL_NANOS);
        }
    }

    private synchronized void look() {
        Spaces now = Spaces.of(cube.space());
        usedMax = Math.max(usedMax, now.used());
        liveMax = Math.max(liveMax, now.live());
    }

    /** The most that was used, over the most that was live. */
    public synchronized double peakExpansion() {
        return (double) usedMax / Math.max(1, liveMax);
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        thread.join();
    }
}
