package io.volute.system.bookkeeper;

import io.volute.testkit.ledger.RegisterHistory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Clients without retries that overwrite and read a few objects through all nodes, also through
 * those that are lost, and record what they saw. A failed write may have had an effect.
 */
final class RegisterClients implements AutoCloseable {
    private static final AtomicLong VALUES = new AtomicLong();
    private static final int THREADS = 4;
    private static final int REGISTERS = 3;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long HANG_SECONDS = 180;
    private static final int SERVER_ERROR = 500;

    private final List<S3Client> nodes;
    private final String bucket;
    private final String prefix;
    private final RegisterHistory history = new RegisterHistory();
    private final List<String> refusals = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean isEnding;

    RegisterClients(List<S3Client> nodes, String bucket, String prefix, SplittableRandom random) {
        this.nodes = nodes;
        this.bucket = bucket;
        this.prefix = prefix;
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom own = random.split();
            threads.add(Thread.ofPlatform().name("register-client-" + i).start(() -> run(own)));
        }
    }

    private void run(SplittableRandom random) {
        while (!isEnding) {
            S3Client s3 = nodes.get(random.nextInt(nodes.size()));
            String key = prefix + random.nextInt(REGISTERS);
            try {
                if (random.nextBoolean()) {
                    write(s3, key);
                } else {
                    read(s3, key);
                }
            } catch (S3Exception e) {
                if (e.statusCode() < SERVER_ERROR) {
                    refusals.add(key + ": " + e);
                }
            } catch (SdkException e) {
                // No answer, because of a fault: a read saw nothing, a write is recorded as
                // unknown.
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void write(S3Client s3, String key) {
        long value = VALUES.incrementAndGet();
        long begin = System.nanoTime();
        boolean isDone = false;
        try {
            s3.putObject(
                    request -> request.bucket(bucket).key(key),
                    RequestBody.fromString(Long.toString(value)));
            isDone = true;
        } finally {
            if (isDone) {
                history.write(key, value, begin, System.nanoTime());
            } else {
                history.unknownWrite(key, value, begin);
            }
        }
    }

    private void read(S3Client s3, String key) {
        long begin = System.nanoTime();
        long value;
        try {
            value =
                    Long.parseLong(
                            s3.getObjectAsBytes(request -> request.bucket(bucket).key(key))
                                    .asString(StandardCharsets.US_ASCII));
        } catch (NoSuchKeyException e) {
            value = 0;
        }
        history.read(key, value, begin, System.nanoTime());
    }

    int operations() {
        return history.operations();
    }

    /** Returns what no sound store shows: refused requests, and reads that are not linearizable. */
    List<String> violations() {
        List<String> all = new ArrayList<>(refusals);
        Optional<String> stale = history.violation();
        stale.ifPresent(all::add);
        return all;
    }

    /** Ends the clients when their requests have an outcome. */
    @Override
    public void close() throws InterruptedException {
        isEnding = true;
        for (Thread each : threads) {
            if (!each.join(Duration.ofSeconds(HANG_SECONDS))) {
                refusals.add(each.getName() + " has waited " + HANG_SECONDS + " s for an answer");
            }
        }
    }
}
