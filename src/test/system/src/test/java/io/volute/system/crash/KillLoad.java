package io.volute.system.crash;

import io.volute.system.Bytes;
import io.volute.testkit.ledger.ClientLedger;
import io.volute.testkit.ledger.Digests;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Clients that write at the same time until one of them pulls the trigger. Every write is in the
 * ledger before it is sent, and its outcome is as soon as it is known; every body is unique.
 */
final class KillLoad {
    static final String PLAIN = "plain";
    static final String VERSIONED = "versioned";
    private static final int KEYS = 48;
    private static final int PART_BYTES = 5 << 20;
    private static final AtomicLong BODIES = new AtomicLong();

    private final ClientLedger ledger;
    private final S3Client s3;
    private final int round;
    private final AtomicInteger untilKill;
    private final Runnable trigger;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final ConcurrentLinkedQueue<Throwable> faults = new ConcurrentLinkedQueue<>();

    /**
     * @param acknowledgements after how many the trigger is pulled
     * @param trigger kills the server; called once, by the client that got the last one
     */
    KillLoad(ClientLedger ledger, S3Client s3, int round, int acknowledgements, Runnable trigger) {
        this.ledger = ledger;
        this.s3 = s3;
        this.round = round;
        this.untilKill = new AtomicInteger(acknowledgements);
        this.trigger = trigger;
    }

    /** Runs the clients to their end; what they met besides refusals and the kill is a fault. */
    List<Throwable> run(int clients, long seed) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            int client = i;
            SplittableRandom random = new SplittableRandom(seed * 1_000 + client);
            threads.add(new Thread(() -> client(client, random), "client-" + client));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        return List.copyOf(faults);
    }

    private void client(int client, SplittableRandom random) {
        try {
            while (!isOver.get()) {
                step("client-" + client, random);
            }
        } catch (RuntimeException | AssertionError e) {
            faults.add(e);
            pull();
        }
    }

    private void pull() {
        if (isOver.compareAndSet(false, true)) {
            trigger.run();
        }
    }

    private void step(String client, SplittableRandom random) {
        String key = PLAIN + "/key-" + random.nextInt(KEYS);
        int choice = random.nextInt(100);
        if (choice < 40) {
            put(client, key, body(random));
        } else if (choice < 55) {
            put(client, VERSIONED + "/key-" + random.nextInt(KEYS / 4), body(random));
        } else if (choice < 65) {
            delete(client, key);
        } else if (choice < 70) {
            delete(client, VERSIONED + "/key-" + random.nextInt(KEYS / 4));
        } else if (choice < 80) {
            copy(client, PLAIN + "/source-" + client + "-" + random.nextInt(3), key, random);
        } else if (choice < 90) {
            create(client, PLAIN + "/race-" + round + "-" + random.nextInt(6), body(random));
        } else {
            multipart(client, key, random);
        }
    }

    private static byte[] body(SplittableRandom random) {
        int length =
                switch (random.nextInt(12)) {
                    case 0 -> 0;
                    case 1, 2, 3, 4, 5 -> random.nextInt(4_096);
                    case 6, 7, 8 -> 4_096 + random.nextInt(60_000);
                    case 9, 10 -> 65_536 + random.nextInt(200_000);
                    default -> 300_000 + random.nextInt(700_000);
                };
        return unique(length);
    }

    /** No two are alike but the empty ones, which are given some bytes for it. */
    private static byte[] unique(int length) {
        long number = BODIES.incrementAndGet();
        return Bytes.random(number, Math.max(length, 12));
    }

    private interface Call {
        void run();
    }

    /** Returns whether it was acknowledged. */
    private boolean record(String client, String key, Optional<byte[]> body, Call call) {
        long ticket = ledger.intend(client, key, body.map(Digests::of));
        try {
            call.run();
        } catch (S3Exception e) {
            // Any 5xx status, or 200 with an error in the body, leaves the effect unknown.
            if (e.statusCode() >= 400 && e.statusCode() < 500) {
                ledger.refuse(ticket);
                boolean expected = e.statusCode() == 412 || e.statusCode() == 409;
                if (!expected && !isOver.get()) {
                    throw new AssertionError("refused " + key, e);
                }
            }
            return false;
        } catch (SdkClientException e) {
            if (!isOver.get()) {
                throw new AssertionError("no answer for " + key + " though nobody killed it", e);
            }
            return false;
        }
        ledger.acknowledge(ticket);
        if (untilKill.decrementAndGet() == 0) {
            pull();
        }
        return true;
    }

    private static String bucket(String name) {
        return name.substring(0, name.indexOf('/'));
    }

    private static String key(String name) {
        return name.substring(name.indexOf('/') + 1);
    }

    private boolean put(String client, String name, byte[] body) {
        return record(
                client,
                name,
                Optional.of(body),
                () ->
                        s3.putObject(
                                put -> put.bucket(bucket(name)).key(key(name)),
                                RequestBody.fromBytes(body)));
    }

    private void create(String client, String name, byte[] body) {
        record(
                client,
                name,
                Optional.of(body),
                () ->
                        s3.putObject(
                                put -> put.bucket(bucket(name)).key(key(name)).ifNoneMatch("*"),
                                RequestBody.fromBytes(body)));
    }

    private void delete(String client, String name) {
        record(
                client,
                name,
                Optional.empty(),
                () -> s3.deleteObject(delete -> delete.bucket(bucket(name)).key(key(name))));
    }

    private void copy(String client, String source, String target, SplittableRandom random) {
        byte[] body = body(random);
        if (put(client, source, body)) {
            record(
                    client,
                    target,
                    Optional.of(body),
                    () ->
                            s3.copyObject(
                                    copy ->
                                            copy.sourceBucket(bucket(source))
                                                    .sourceKey(key(source))
                                                    .destinationBucket(bucket(target))
                                                    .destinationKey(key(target))));
        }
    }

    private void multipart(String client, String name, SplittableRandom random) {
        List<byte[]> bodies = new ArrayList<>();
        if (random.nextInt(12) == 0) {
            bodies.add(unique(PART_BYTES));
        }
        bodies.add(body(random));
        int length = bodies.stream().mapToInt(part -> part.length).sum();
        byte[] whole = new byte[length];
        int at = 0;
        for (byte[] part : bodies) {
            System.arraycopy(part, 0, whole, at, part.length);
            at += part.length;
        }
        String upload;
        List<CompletedPart> parts = new ArrayList<>();
        try {
            upload =
                    s3.createMultipartUpload(create -> create.bucket(bucket(name)).key(key(name)))
                            .uploadId();
            for (int i = 0; i < bodies.size(); i++) {
                int number = i + 1;
                String etag =
                        s3.uploadPart(
                                        put ->
                                                put.bucket(bucket(name))
                                                        .key(key(name))
                                                        .uploadId(upload)
                                                        .partNumber(number),
                                        RequestBody.fromBytes(bodies.get(i)))
                                .eTag();
                parts.add(CompletedPart.builder().partNumber(number).eTag(etag).build());
            }
        } catch (SdkClientException | S3Exception e) {
            if (!isOver.get()) {
                throw new AssertionError("an upload failed though nobody killed the server", e);
            }
            return;
        }
        record(
                client,
                name,
                Optional.of(whole),
                () ->
                        s3.completeMultipartUpload(
                                complete ->
                                        complete.bucket(bucket(name))
                                                .key(key(name))
                                                .uploadId(upload)
                                                .multipartUpload(with -> with.parts(parts))));
    }
}
