package io.volute.server.outbound;

import java.util.concurrent.CountDownLatch;

/** Runs the parts of a delivery at the same time. */
public final class Lanes {
    private Lanes() {}

    /** The work of one lane, which must end by itself. It handles its own failures. */
    public interface Work {
        void run(int lane);
    }

    /**
     * Runs the work of each lane on a virtual thread of its own, and waits for the end of all, also
     * when the caller is interrupted.
     *
     * @param name of the threads; the number of the lane follows it
     */
    public static void run(String name, int lanes, Work work) {
        CountDownLatch running = new CountDownLatch(lanes);
        for (int i = 0; i < lanes; i++) {
            int lane = i;
            Thread.ofVirtual()
                    .name(name + i)
                    .start(
                            () -> {
                                try {
                                    work.run(lane);
                                } finally {
                                    running.countDown();
                                }
                            });
        }
        boolean isInterrupted = false;
        while (running.getCount() > 0) {
            try {
                running.await();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
