package io.volute.storage.heap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests the bound of a weighed cache. */
class WeighedCacheTest {
    private static final long BOUND = 16_384;

    private final WeighedCache<Integer, byte[]> cache =
            new WeighedCache<>(BOUND, (key, value) -> value.length);

    private final List<Integer> loaded = new ArrayList<>();

    private byte[] load(int key, int bytes) {
        return cache.get(
                key,
                missing -> {
                    loaded.add(missing);
                    return new byte[bytes];
                });
    }

    @Test
    void keepsWhatIsUsedWithinItsBound() {
        for (int i = 0; i < 1000; i++) {
            load(i, i % 700);
            load(-1, 100);
            assertThat(cache.heapBytes()).isLessThanOrEqualTo(BOUND);
        }
        assertThat(loaded).hasSize(1001).containsOnlyOnce(-1);
        load(0, 1);
        assertThat(loaded).last().isEqualTo(0);
    }

    @Test
    void doesNotKeepAValueOfMoreThanHalfTheBound() {
        assertThat(load(1, (int) BOUND)).hasSize((int) BOUND);
        assertThat(cache.heapBytes()).isZero();
        load(1, (int) BOUND);
        assertThat(loaded).containsExactly(1, 1);
    }

    @Test
    void loadsFewValuesAtTheSameMoment() throws InterruptedException {
        CountDownLatch twoLoad = new CountDownLatch(2);
        CompletableFuture<Void> go = new CompletableFuture<>();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            int key = i;
            threads.add(
                    Thread.startVirtualThread(
                            () ->
                                    cache.get(
                                            key,
                                            missing -> {
                                                most.accumulateAndGet(
                                                        running.incrementAndGet(), Math::max);
                                                twoLoad.countDown();
                                                go.join();
                                                running.decrementAndGet();
                                                return new byte[1];
                                            })));
        }
        twoLoad.await();
        go.complete(null);
        for (Thread each : threads) {
            each.join();
        }
        assertThat(most).hasValue(2);
    }
}
