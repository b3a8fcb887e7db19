package io.volute.system.crash;

import io.volute.system.Bytes;
import io.volute.system.SpaceSteering;
import io.volute.testkit.ledger.ClientLedger;
import io.volute.testkit.ledger.Digests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Clients that overwrite, insert and delete in balance, so that a share of the capacity is live all
 * the time. Each has keys of its own, and remembers them from one server to the next; every write
 * is in the ledger. A write that the server puts off (503, 507) is counted and sent again.
 */
final class CleaningLoad {
    private static final int CLIENTS = 8;

    /** Keys of each client: more than ever exist at once. */
    private static final int KEYS = 1_100;

    private static final Duration PUT_OFF_LIMIT = Duration.ofSeconds(60);
    private static final long AGAIN_NANOS = 5_000_000;

    private final ClientLedger ledger;
    private final boolean[][] present = new boolean[CLIENTS][KEYS];
    private final AtomicLong bodies = new AtomicLong();
    private final AtomicLong busy = new AtomicLong();
    private final AtomicLong full = new AtomicLong();

    CleaningLoad(ClientLedger ledger) {
        this.ledger = ledger;
    }

    /** The condition that ends a run. All clients query it before each write. */
    interface Watch {
        /** Returns true if the server may be gone by now, so that a missing answer is no fault. */
        boolean isOver();

        /** Returns true if clients only add keys. */
        default boolean isFilling() {
            return false;
        }

        /** A write was acknowledged. */
        void acknowledged();
    }

    /** Writes that were answered with SlowDown. */
    long busy() {
        return busy.get();
    }

    /** Writes that were answered with InsufficientStorage. */
    long full() {
        return full.get();
    }

    /** Runs all clients until the watch ends the run. Returns the unexpected outcomes. */
    List<Throwable> run(S3Client s3, SpaceSteering steering, Watch watch, long seed)
            throws InterruptedException {
        ConcurrentLinkedQueue<Throwable> faults = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Client client =
                    new Client(i, s3, steering, watch, new SplittableRandom(seed * 1_000 + i));
            threads.add(
                    new Thread(
                            () -> {
                                try {
                                    while (!watch.isOver() && faults.isEmpty()) {
                                        client.step();
                                    }
                                } catch (RuntimeException | AssertionError e) {
                                    faults.add(e);
                                }
                            },
                            "client-" + i));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        return List.copyOf(faults);
    }

    private byte[] body(SplittableRandom random) {
        int choice = random.nextInt(100);
        int length;
        if (choice < 15) {
            length = 16 + random.nextInt(1_000);
        } else if (choice < 96) {
            length = 1_000 + random.nextInt(39_000);
        } else {
            // Beyond what goes through the head.
            length = 41_000 + random.nextInt(60_000);
        }
        return Bytes.random(bodies.incrementAndGet(), length);
    }

    private final class Client {
        private final int number;
        private final S3Client s3;
        private final SpaceSteering steering;
        private final Watch watch;
        private final SplittableRandom random;

        Client(
                int number,
                S3Client s3,
                SpaceSteering steering,
                Watch watch,
                SplittableRandom random) {
            this.number = number;
            this.s3 = s3;
            this.steering = steering;
            this.watch = watch;
            this.random = random;
        }

        void step() {
            if (!watch.isFilling() && random.nextInt(100) < 60) {
                write(choose(true));
            } else if (steering.isBelow()) {
                write(choose(false));
            } else {
                delete(choose(true));
            }
        }

        /** A key that is there or is not; any when there are hardly such. */
        private int choose(boolean there) {
            int key = random.nextInt(KEYS);
            for (int tries = 0; tries < 50 && present[number][key] != there; tries++) {
                key = random.nextInt(KEYS);
            }
            return key;
        }

        private String name(int key) {
            return "key-" + number + "-" + key;
        }

        private void write(int key) {
            byte[] body = body(random);
            present[number][key] = true;
            record(
                    key,
                    Optional.of(body),
                    () ->
                            s3.putObject(
                                    put -> put.bucket(KillLoad.PLAIN).key(name(key)),
                                    RequestBody.fromBytes(body)));
        }

        private void delete(int key) {
            present[number][key] = false;
            record(
                    key,
                    Optional.empty(),
                    () -> s3.deleteObject(it -> it.bucket(KillLoad.PLAIN).key(name(key))));
        }

        private void record(int key, Optional<byte[]> body, Runnable call) {
            long ticket =
                    ledger.intend(
                            "client-" + number,
                            KillLoad.PLAIN + "/" + name(key),
                            body.map(Digests::of));
            long begun = System.nanoTime();
            while (!isAnswered(call)) {
                if (watch.isOver()) {
                    return;
                }
                if (System.nanoTime() - begun > PUT_OFF_LIMIT.toNanos()) {
                    throw new AssertionError(
                            "put off for " + PUT_OFF_LIMIT + ": " + steering.last());
                }
                LockSupport.parkNanos(AGAIN_NANOS);
            }
            ledger.acknowledge(ticket);
            watch.acknowledged();
        }

        /** False when it was put off, or when the server is gone, as it was to be. */
        private boolean isAnswered(Runnable call) {
            try {
                call.run();
                return true;
            } catch (S3Exception e) {
                if (e.statusCode() == 503) {
                    busy.incrementAndGet();
                } else if (e.statusCode() == 507) {
                    full.incrementAndGet();
                } else if (!watch.isOver()) {
                    throw new AssertionError("refused", e);
                }
                return false;
            } catch (SdkClientException e) {
                if (!watch.isOver()) {
                    throw new AssertionError("no answer though nobody killed the server", e);
                }
                return false;
            }
        }
    }
}
