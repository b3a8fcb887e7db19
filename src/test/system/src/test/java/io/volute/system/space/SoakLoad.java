package io.volute.system.space;

import io.volute.system.Bytes;
import io.volute.system.SpaceSteering;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Clients that do everything that makes garbage, for as long as they are left: overwrites, inserts
 * and deletes in balance, versions of which the oldest go, delete markers, uploads that are
 * completed or given up. Each has keys of its own and verifies what it reads.
 */
final class SoakLoad implements AutoCloseable {
    static final String PLAIN = "soak-plain";
    static final String VERSIONED = "soak-versioned";
    private static final int CLIENTS = 6;
    private static final int KEYS = 20_000;
    private static final int VERSIONED_KEYS = 40;
    private static final int VERSIONS = 4;
    private static final int LARGE_KEYS = 2;
    private static final int PART_BYTES = 5 << 20;
    private static final Duration PUT_OFF_LIMIT = Duration.ofMinutes(2);
    private static final long AGAIN_NANOS = 5_000_000;

    private final S3Client s3;
    private final SpaceSteering steering;
    private final AtomicLong bodies = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong putOff = new AtomicLong();
    private final ConcurrentLinkedQueue<Throwable> faults = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean isOver;

    SoakLoad(S3Client s3, SpaceSteering steering, long seed) {
        this.s3 = s3;
        this.steering = steering;
        for (int i = 0; i < CLIENTS; i++) {
            Client client = new Client("client-" + i, new SplittableRandom(seed * 1_000 + i));
            Thread thread = new Thread(() -> run(client), "client-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    private void run(Client client) {
        try {
            while (!isOver) {
                client.step();
                done.incrementAndGet();
            }
        } catch (RuntimeException | AssertionError e) {
            faults.add(e);
        }
    }

    /** Returns the unexpected outcomes. */
    List<Throwable> faults() {
        return List.copyOf(faults);
    }

    /** Steps that have ended. */
    long done() {
        return done.get();
    }

    /** Answers with 503 or 507. */
    long putOff() {
        return putOff.get();
    }

    @Override
    public void close() throws InterruptedException {
        isOver = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private <T> T retried(Supplier<T> call) {
        long begun = System.nanoTime();
        while (true) {
            try {
                return call.get();
            } catch (S3Exception e) {
                boolean isPutOff = e.statusCode() == 503 || e.statusCode() == 507;
                if (!isPutOff || System.nanoTime() - begun > PUT_OFF_LIMIT.toNanos()) {
                    throw new AssertionError("refused: " + steering.last(), e);
                }
                putOff.incrementAndGet();
                LockSupport.parkNanos(AGAIN_NANOS);
            }
        }
    }

    private final class Client {
        private final String name;
        private final SplittableRandom random;
        private final Map<String, byte[]> digests = new HashMap<>();
        private final List<String> present = new ArrayList<>();
        private final Map<String, Deque<String>> versions = new HashMap<>();
        private long nextKey;

        Client(String name, SplittableRandom random) {
            this.name = name;
            this.random = random;
        }

        void step() {
            int choice = random.nextInt(100);
            if (choice < 20) {
                read();
            } else if (choice < 35) {
                version();
            } else if (choice < 36) {
                upload();
            } else if (choice < 70 && !present.isEmpty()) {
                put(PLAIN, present.get(random.nextInt(present.size())), small());
            } else if (steering.isBelow() && present.size() < KEYS) {
                String key = name + "-" + nextKey++;
                present.add(key);
                put(PLAIN, key, small());
            } else if (!present.isEmpty()) {
                delete();
            }
        }

        private byte[] small() {
            int length = random.nextInt(50) == 0 ? random.nextInt(500_000) : random.nextInt(30_000);
            return Bytes.random(bodies.incrementAndGet(), 16 + length);
        }

        private String put(String bucket, String key, byte[] body) {
            String version =
                    retried(
                            () ->
                                    s3.putObject(
                                                    put -> put.bucket(bucket).key(key),
                                                    RequestBody.fromBytes(body))
                                            .versionId());
            digests.put(bucket + "/" + key, Bytes.digest("SHA-256", body));
            return version;
        }

        private void delete() {
            int at = random.nextInt(present.size());
            String key = present.get(at);
            present.set(at, present.getLast());
            present.removeLast();
            retried(() -> s3.deleteObject(delete -> delete.bucket(PLAIN).key(key)));
            digests.remove(PLAIN + "/" + key);
        }

        private void read() {
            if (present.isEmpty()) {
                return;
            }
            String key = present.get(random.nextInt(present.size()));
            byte[] body =
                    retried(() -> s3.getObjectAsBytes(get -> get.bucket(PLAIN).key(key)))
                            .asByteArray();
            if (!Arrays.equals(Bytes.digest("SHA-256", body), digests.get(PLAIN + "/" + key))) {
                throw new AssertionError(key + " holds what was not written last");
            }
        }

        /** A version more, or a delete marker; the oldest goes when there are too many. */
        private void version() {
            String key = name + "-" + random.nextInt(VERSIONED_KEYS);
            Deque<String> ids = versions.computeIfAbsent(key, none -> new ArrayDeque<>());
            if (random.nextInt(5) == 0) {
                ids.add(
                        retried(() -> s3.deleteObject(it -> it.bucket(VERSIONED).key(key)))
                                .versionId());
            } else {
                ids.add(put(VERSIONED, key, small()));
            }
            while (ids.size() > VERSIONS) {
                String oldest = ids.removeFirst();
                retried(
                        () ->
                                s3.deleteObject(
                                        it -> it.bucket(VERSIONED).key(key).versionId(oldest)));
            }
        }

        /** One part of the least size and a rest; a third of them is given up. */
        private void upload() {
            String key = name + "-large-" + random.nextInt(LARGE_KEYS);
            String id =
                    retried(() -> s3.createMultipartUpload(it -> it.bucket(PLAIN).key(key)))
                            .uploadId();
            List<CompletedPart> parts = new ArrayList<>();
            for (int number = 1; number <= 2; number++) {
                int part = number;
                byte[] body =
                        part == 1 ? Bytes.random(bodies.incrementAndGet(), PART_BYTES) : small();
                String tag =
                        retried(
                                        () ->
                                                s3.uploadPart(
                                                        it ->
                                                                it.bucket(PLAIN)
                                                                        .key(key)
                                                                        .uploadId(id)
                                                                        .partNumber(part),
                                                        RequestBody.fromBytes(body)))
                                .eTag();
                parts.add(CompletedPart.builder().partNumber(part).eTag(tag).build());
            }
            if (random.nextInt(3) == 0) {
                retried(
                        () ->
                                s3.abortMultipartUpload(
                                        it -> it.bucket(PLAIN).key(key).uploadId(id)));
            } else {
                retried(
                        () ->
                                s3.completeMultipartUpload(
                                        it ->
                                                it.bucket(PLAIN)
                                                        .key(key)
                                                        .uploadId(id)
                                                        .multipartUpload(of -> of.parts(parts))));
            }
        }
    }
}
