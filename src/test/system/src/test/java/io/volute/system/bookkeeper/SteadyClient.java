package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** A client that writes and reads back without a pause, and records what was acknowledged. */
final class SteadyClient implements AutoCloseable {
    private static final AtomicLong SEEDS = new AtomicLong(1);
    private static final long HANG_SECONDS = 120;
    private static final int PARALLEL = 16;

    /** Several chunks. Hashes and seals of more would take most of the CPU time. */
    private static final int LARGE_BYTES = 1_200_000;

    private final S3Client s3;
    private final String bucket;
    private final long seed = SEEDS.getAndIncrement();
    private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final Semaphore progress = new Semaphore(0);
    private final Thread thread;
    private volatile boolean isEnding;
    private volatile long slowestNanos;

    SteadyClient(S3Client s3, String bucket) {
        this.s3 = s3;
        this.bucket = bucket;
        this.thread = Thread.ofPlatform().name("steady-client-" + seed).start(this::run);
    }

    private static byte[] content(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] content =
                new byte[random.nextInt(10) == 0 ? LARGE_BYTES : random.nextInt(1, 40_000)];
        random.nextBytes(content);
        return content;
    }

    private void run() {
        for (long i = 0; !isEnding; i++) {
            String key = "client-" + seed + "/" + i;
            long of = seed * 1_000_000 + i;
            try {
                byte[] content = content(of);
                long begun = System.nanoTime();
                s3.putObject(
                        request -> request.bucket(bucket).key(key), RequestBody.fromBytes(content));
                slowestNanos = Math.max(slowestNanos, System.nanoTime() - begun);
                acknowledged.put(key, of);
                if (i % 3 == 0) {
                    requireOne(s3, key, of);
                }
            } catch (SdkException | AssertionError e) {
                errors.add(key + ": " + e);
            }
            progress.release();
        }
    }

    /** Waits until so many more writes have ended. */
    void awaitAcknowledged(int writes) throws InterruptedException {
        progress.drainPermits();
        assertThat(progress.tryAcquire(writes, HANG_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** Returns the failures that the client has seen in spite of its retries. */
    List<String> errors() {
        return errors;
    }

    /** Returns the longest time that an acknowledged write took, in milliseconds. */
    long slowestMillis() {
        return TimeUnit.NANOSECONDS.toMillis(slowestNanos);
    }

    /** Returns whether a write was acknowledged. */
    boolean hasAcknowledged() {
        return !acknowledged.isEmpty();
    }

    private void requireOne(S3Client from, String key, long of) {
        assertThat(
                        from.getObjectAsBytes(request -> request.bucket(bucket).key(key))
                                .asByteArrayUnsafe())
                .as(key)
                .isEqualTo(content(of));
    }

    /** Reads all acknowledged objects. */
    void requireAll(S3Client from) {
        assertThat(acknowledged).isNotEmpty();
        acknowledged.forEach((key, of) -> requireOne(from, key, of));
    }

    /** Writes many objects with the same content, several at once. */
    static void putMany(S3Client s3, String bucket, int count, byte[] content) throws Exception {
        List<Future<?>> all = new ArrayList<>();
        try (ExecutorService several =
                Executors.newFixedThreadPool(PARALLEL, Thread.ofPlatform().factory())) {
            for (int i = 0; i < count; i++) {
                String key = "object-" + i;
                all.add(
                        several.submit(
                                () ->
                                        s3.putObject(
                                                request -> request.bucket(bucket).key(key),
                                                RequestBody.fromBytes(content))));
            }
            for (Future<?> each : all) {
                assertThat(each.get()).isNotNull();
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        isEnding = true;
        thread.join(TimeUnit.SECONDS.toMillis(HANG_SECONDS));
    }
}
