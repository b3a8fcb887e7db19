package io.volute.benchmarks.cleaning;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/** Threads that do the same with different numbers. */
final class WorkerThreads {
    /** The work of one thread. */
    interface Task {
        /**
         * @param over becomes true when another thread has failed
         */
        void run(int number, AtomicBoolean over) throws IOException;
    }

    private WorkerThreads() {}

    /** Runs the task on every thread and waits for all; rethrows the exception of one of them. */
    static void run(int threads, Task task) throws IOException, InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        List<FutureTask<Boolean>> members = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            FutureTask<Boolean> member =
                    new FutureTask<>(
                            () -> {
                                boolean ended = false;
                                try {
                                    task.run(number, over);
                                    ended = true;
                                } finally {
                                    over.compareAndSet(false, !ended);
                                }
                                return ended;
                            });
            members.add(member);
            Thread.ofVirtual().name("load-" + i).start(member);
        }
        List<Throwable> failures = new ArrayList<>();
        for (FutureTask<Boolean> member : members) {
            try {
                member.get();
            } catch (ExecutionException e) {
                failures.add(e.getCause());
            }
        }
        if (!failures.isEmpty()) {
            IOException failure = new IOException("load failed", failures.getFirst());
            failures.stream().skip(1).forEach(failure::addSuppressed);
            throw failure;
        }
    }
}
