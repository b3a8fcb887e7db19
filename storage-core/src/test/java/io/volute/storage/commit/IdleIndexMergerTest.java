package io.volute.storage.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.health.CubeThreads;
import io.volute.storage.index.RunMerger;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class IdleIndexMergerTest {
    private static final CubeThreads IDLE =
            (name, task) -> CubeThreads.platform().newThread(name, () -> {});

    private long commits;
    private int merges;
    private boolean fails;

    private final IdleIndexMerger rest =
            new IdleIndexMerger(
                    new RunMerger() {
                        @Override
                        public boolean merge() throws IOException {
                            if (fails) {
                                throw new IOException("the index cannot be merged");
                            }
                            merges++;
                            return true;
                        }

                        @Override
                        public void end() {}
                    },
                    () -> commits,
                    IDLE);

    @Test
    void mergesWhileLittleIsCommitted() {
        commits += IdleIndexMerger.COMMITS_MAX;
        assertThat(rest.look()).isTrue();
        commits += IdleIndexMerger.COMMITS_MAX + 1;
        assertThat(rest.look()).as("busy since").isFalse();
        assertThat(merges).isEqualTo(1);
        assertThat(rest.look()).as("at rest again").isTrue();
    }

    @Test
    void goesOnAfterAFailure() {
        fails = true;
        assertThat(rest.look()).isFalse();
        fails = false;
        assertThat(rest.look()).isTrue();
    }

    @Test
    void aMergeUnderWayIsEndedByTheStop() {
        CountDownLatch ended = new CountDownLatch(1);
        IdleIndexMerger stopped =
                new IdleIndexMerger(
                        new RunMerger() {
                            @Override
                            public boolean merge() {
                                return false;
                            }

                            @Override
                            public void end() {
                                ended.countDown();
                            }
                        },
                        () -> commits,
                        (name, task) ->
                                CubeThreads.platform().newThread(name, () -> awaited(ended)));
        stopped.start();
        stopped.stop();
        assertThat(ended.getCount()).isZero();
    }

    /** Blocks like a merge that runs until it is ended. */
    private static void awaited(CountDownLatch ended) {
        try {
            ended.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
