package io.volute.benchmarks;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/** Virtual threads that do the same with different numbers. */
public final class WorkerThreads {
    /** The work of one thread. */
    public interface Task {
        /**
         * Runs until the work is done.
         *
         * @param over becomes true when another thread has failed
         */
        void run(int number, AtomicBoolean over) throws IOException;
    }

    private WorkerThreads() {}

    /** Runs the task on every thread and waits for all; rethrows the exception of one of them. */
    public static void run(int threads, Task task) throws IOException, InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService workers =
                Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("load-", 0).factory())) {
            for (Future<?> each :
                    IntStream.range(0, threads)
                            .mapToObj(number -> workers.submit(() -> run(task, number, over)))
                            .toList()) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("load failed", e.getCause());
        }
    }

    private static boolean run(Task task, int number, AtomicBoolean over) throws IOException {
        boolean ended = false;
        try {
            task.run(number, over);
            ended = true;
        } finally {
            over.compareAndSet(false, !ended);
        }
        return ended;
    }
}
