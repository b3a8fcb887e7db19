package io.volute.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.report.ImageStats;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory images against a map: a read gives the right bytes or a miss. */
class MemoryImagesModel {
    private static final int BYTES_MAX = 5000;
    private static final int BUDGET = 1 << 20;

    private final CountedSlabs slabs = new CountedSlabs();

    private MemoryImages open(SplittableRandom random, Executor executor) {
        // Small memory with images of one to four seglets: everything happens often.
        MemorySettings settings = new MemorySettings(BUDGET, BYTES_MAX);
        ImageLayout layout = ImageLayout.of(settings);
        ImageLayout changed =
                new ImageLayout(
                        layout.seglets(),
                        1 + random.nextInt(4),
                        random.nextInt(4),
                        random.nextBoolean() ? layout.indexBytes() : 20_000,
                        layout.firstReads(),
                        BYTES_MAX);
        return new MemoryImages(settings, changed, slabs, executor);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void readsAreRightOrMisses(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<Long, byte[]> model = new HashMap<>();
        ByteBuffer target = ByteBuffer.allocate(BYTES_MAX + 10);
        long lastId = 0;
        long hits = 0;
        int bytesMax = 1 + random.nextInt(BYTES_MAX);
        try (MemoryImages images = open(random, Runnable::run)) {
            for (int step = 0; step < 30_000; step++) {
                long id = 1 + (lastId == 0 ? 0 : random.nextLong(lastId));
                int what = random.nextInt(10);
                if (what < 3) {
                    id = ++lastId;
                    byte[] content = BlobContent.of(id, BlobContent.bytes(id, bytesMax)).array();
                    model.put(id, content);
                    images.written(id, ByteBuffer.wrap(content));
                } else if (what < 4) {
                    model.remove(id);
                    images.died(id);
                } else if (model.containsKey(id)) {
                    byte[] content = model.get(id);
                    if (images.read(id, content.length, target)) {
                        hits++;
                        assertThat(target)
                                .as("seed %d step %d", seed, step)
                                .isEqualTo(ByteBuffer.wrap(content));
                    } else {
                        images.readFromDisk(id, ByteBuffer.wrap(content));
                    }
                } else {
                    assertThat(images.read(id, BlobContent.bytes(id, bytesMax), target))
                            .as("dead blob %d, seed %d step %d", id, seed, step)
                            .isFalse();
                }
            }
            checkTotals(images, model, bytesMax);
            assertThat(hits).isPositive();
            assertThat(images.stats().reads().mismatches()).isZero();
        }
        assertThat(slabs.heldBytes()).isZero();
    }

    /** Live bytes are those of the entries that can be read, to the byte. */
    private static void checkTotals(MemoryImages images, Map<Long, byte[]> model, int bytesMax) {
        ByteBuffer target = ByteBuffer.allocate(bytesMax);
        long live = 0;
        int entries = 0;
        for (Map.Entry<Long, byte[]> each : model.entrySet()) {
            if (images.read(each.getKey(), each.getValue().length, target)) {
                live += Image.entryBytes(each.getValue().length);
                entries++;
            }
        }
        ImageStats.Space space = images.stats().space();
        assertThat(space.entries()).isEqualTo(entries);
        assertThat(space.liveBytes()).isEqualTo(live);
        assertThat(space.allocatedBytes()).isLessThanOrEqualTo(BUDGET);
    }

    /** Runs tasks on a thread of its own, as a cube does. */
    private static final class Worker implements Executor, AutoCloseable {
        private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        private volatile boolean stopped;
        private final FutureTask<Void> loop =
                new FutureTask<>(
                        () -> {
                            while (!stopped) {
                                tasks.take().run();
                            }
                            return null;
                        });

        Worker() {
            Thread.ofPlatform().name("images-test").daemon(true).start(loop);
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public void close() {
            tasks.add(() -> stopped = true);
            try {
                loop.get();
            } catch (InterruptedException | ExecutionException e) {
                throw new AssertionError("the upkeep failed", e);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {101, 102, 103})
    void threadsNeverSeeOtherBytes(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        AtomicLong lastId = new AtomicLong(1);
        int readers = 4;
        int writes = 40_000;
        CountDownLatch writing = new CountDownLatch(1);
        AtomicLong hits = new AtomicLong();
        Worker worker = new Worker();
        MemoryImages images = open(random, worker);
        List<FutureTask<Void>> tasks =
                IntStream.range(0, readers)
                        .mapToObj(
                                each -> {
                                    SplittableRandom own = random.split();
                                    return new FutureTask<Void>(
                                            () -> {
                                                ByteBuffer target =
                                                        ByteBuffer.allocateDirect(BYTES_MAX);
                                                while (writing.getCount() > 0) {
                                                    hits.addAndGet(
                                                            read(images, own, lastId, target));
                                                }
                                                return null;
                                            });
                                })
                        .toList();
        for (FutureTask<Void> task : tasks) {
            Thread.ofPlatform().daemon(true).start(task);
        }
        try {
            for (int i = 0; i < writes; i++) {
                long id = lastId.get() + 1;
                images.written(id, BlobContent.of(id, BlobContent.bytes(id, BYTES_MAX)));
                lastId.set(id);
                if (random.nextInt(3) == 0) {
                    images.died(Math.max(1, id - random.nextInt(300)));
                }
                if (i % 500 == 0) {
                    assertThat(images.stats().space().allocatedBytes()).isLessThanOrEqualTo(BUDGET);
                }
            }
        } finally {
            writing.countDown();
        }
        // The end comes while some still read.
        images.close();
        for (FutureTask<Void> task : tasks) {
            task.get();
        }
        worker.close();
        assertThat(slabs.heldBytes()).isZero();
        assertThat(images.stats().reads().mismatches()).as("seed %d", seed).isZero();
        assertThat(hits.get()).as("seed %d", seed).isPositive();
    }

    private static int read(
            MemoryImages images, SplittableRandom random, AtomicLong lastId, ByteBuffer target) {
        long last = lastId.get();
        long id = Math.max(1, last - random.nextInt(600));
        int bytes = BlobContent.bytes(id, BYTES_MAX);
        if (BlobContent.readsRight(images, id, bytes, target)) {
            return 1;
        }
        images.readFromDisk(id, BlobContent.of(id, bytes));
        return 0;
    }
}
