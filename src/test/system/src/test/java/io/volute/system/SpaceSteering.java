package io.volute.system;

import io.volute.system.AdminAnswers.Space;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at the server's space again and again, so that a load can keep a share of the capacity
 * live. Ends by itself when the server answers no more.
 */
public final class SpaceSteering implements AutoCloseable {
    private static final long INTERVAL_NANOS = 25_000_000;

    private final AdminAnswers admin;
    private final double target;
    private final Thread thread;
    private volatile Space last;
    private volatile boolean isOver;

    /**
     * @param target share of the capacity that is to be live
     */
    public SpaceSteering(AdminAnswers admin, double target) throws IOException {
        this.admin = admin;
        this.target = target;
        this.last = admin.space();
        this.thread = new Thread(this::run, "space-steering");
        this.thread.setDaemon(true);
        this.thread.start();
    }

    private void run() {
        while (!isOver) {
            LockSupport.parkNanos(INTERVAL_NANOS);
            try {
                last = admin.space();
            } catch (IOException e) {
                // Expected: the server was killed. A load that continues meets the same failure and
                // reports it.
                return;
            }
        }
    }

    public Space last() {
        return last;
    }

    /** Returns true if the live share is below the target. */
    public boolean isBelow() {
        return last.liveShare() < target;
    }

    @Override
    public void close() {
        isOver = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
