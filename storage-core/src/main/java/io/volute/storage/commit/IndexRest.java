package io.volute.storage.commit;

import io.volute.storage.Joining;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.index.RunMerging;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the runs of the index merged while the cube rests: listings of the past are faster then, and
 * nobody waits. Has a thread of its own, for that may take long.
 */
final class IndexRest {
    private static final Logger LOG = LoggerFactory.getLogger(IndexRest.class);

    private static final long PAUSE_SECONDS = 60;

    /** In a pause: with ten commits a second there is time for other things. */
    static final int COMMITS_MAX = (int) (10 * PAUSE_SECONDS);

    private final RunMerging merging;
    private final LongSupplier commits;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;
    private long seen;
    private long failures;

    /**
     * @param commits transactions that were made durable so far
     */
    IndexRest(RunMerging merging, LongSupplier commits, CubeThreads threads) {
        this.merging = merging;
        this.commits = commits;
        this.thread = threads.newThread("index-rest-0", this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!stopped.await(PAUSE_SECONDS, TimeUnit.SECONDS)) {
                if (look()) {
                    LOG.debug("runs of the index merged");
                }
            }
        } catch (InterruptedException e) {
            LOG.error("the thread that merges runs of the index was interrupted and ends");
        }
    }

    /**
     * Merges when there were few commits since the last look.
     *
     * @return whether anything was merged
     */
    boolean look() {
        long now = commits.getAsLong();
        boolean isResting = now - seen <= COMMITS_MAX;
        seen = now;
        try {
            return isResting && merging.merge();
        } catch (IOException e) {
            // Writers and readers meet the same, where it matters, and say so.
            failures++;
            if (Long.bitCount(failures) == 1) {
                LOG.warn("runs stay as they are, failure {}: {}", failures, e.getMessage());
            }
            return false;
        }
    }

    /** Ends a merge under way. */
    void stop() {
        merging.end();
        stopped.countDown();
        Joining.join(thread);
    }
}
