package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.PastFixture;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Under cycle-avoidance each new read begins a version of the actor, and is logged with it. */
class ReadEdgesTest extends PastFixture {
    private static final int THREADS = 8;
    private static final int KEYS = 100;

    @Test
    void overlappingReadsAreToldEachWithItsVersion() throws IOException, InterruptedException {
        for (int i = 0; i < THREADS * KEYS; i++) {
            put(THIEF, "k" + i, "text");
        }
        CountDownLatch start = new CountDownLatch(1);
        AtomicReference<Throwable> failed = new AtomicReference<>();
        List<Thread> readers = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int first = thread * KEYS;
            readers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            start.await();
                                            for (int i = first; i < first + KEYS; i++) {
                                                assertThat(read(ALICE, "k" + i)).isEqualTo("text");
                                            }
                                        } catch (Exception | AssertionError e) {
                                            failed.set(e);
                                        }
                                    }));
        }
        start.countDown();
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(failed).hasNullValue();
        ActivityFilter alice =
                new ActivityFilter(
                        Optional.empty(),
                        ActorFilter.ofName(ALICE.actor().label()),
                        Optional.empty(),
                        Optional.empty());
        List<Activity> reads = store.history().activity(alice, Optional.empty(), 1000).entries();
        assertThat(reads)
                .extracting(read -> read.actor().version())
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(2, THREADS * KEYS + 1L).boxed().toList());
    }
}
