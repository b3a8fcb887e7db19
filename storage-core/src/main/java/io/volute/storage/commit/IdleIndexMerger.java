package io.volute.storage.commit;

import io.volute.storage.UninterruptibleJoin;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.index.RunMerger;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges the runs of the index while the cube is idle: listings of the past are faster then, and no
 * client waits. It has a thread of its own, because a merge may take long.
 */
final class IdleIndexMerger {
    private static final Logger LOG = LoggerFactory.getLogger(IdleIndexMerger.class);

    private static final long PAUSE_SECONDS = 60;

    /** Greatest number of commits in a pause that counts as idle: 10 commits/s. */
    static final int COMMITS_MAX = (int) (10 * PAUSE_SECONDS);

    private final RunMerger merging;
    private final LongSupplier commits;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;
    private long seen;
    private long failures;

    /**
     * Creates a merger whose thread is not started yet.
     *
     * @param commits number of transactions made durable so far
     */
    IdleIndexMerger(RunMerger merging, LongSupplier commits, CubeThreads threads) {
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
     * Merges when there were few commits since the last call.
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
            // Writers and readers meet the same failure, where it matters, and report it.
            failures++;
            if (Long.bitCount(failures) == 1) {
                LOG.warn(
                        "runs of the index could not be merged, failure {}: {}",
                        failures,
                        e.getMessage());
            }
            return false;
        }
    }

    /** Ends a merge under way. */
    void stop() {
        merging.end();
        stopped.countDown();
        UninterruptibleJoin.join(thread);
    }
}
