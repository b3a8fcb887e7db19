package io.volute.storage.cube;

/** Waits for the end of a thread. */
final class Joining {
    private Joining() {}

    /** An interrupt does not end the wait; it is set again afterwards. */
    static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
