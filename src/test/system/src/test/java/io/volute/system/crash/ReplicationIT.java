package io.volute.system.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.AdminAnswers;
import io.volute.system.Clients;
import io.volute.system.ReplicatedStores;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteMarkerEntry;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.Tag;

/**
 * Replication between two servers, with SIGKILL of either one under overwrites, tags and deletes:
 * both have the same versions in the same order in the end, those from before the configuration
 * included. {@code -Dvolute.replicas=10000 -Dvolute.kills=50} is the full run.
 */
class ReplicationIT {
    private static final String BUCKET = "here";
    private static final String COPY = "there";
    private static final int CLIENTS = 4;

    /** Prefix of the keys that are written before the configuration, and not later. */
    private static final String OLD = "old/";

    private static final int EXISTING_RATE = 10;

    @Test
    void bothSidesAreEqualInTheEnd() throws Exception {
        long seed = Long.getLong("volute.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        int wanted = Integer.getInteger("volute.replicas", 320);
        int kills = Integer.getInteger("volute.kills", 3);
        AtomicInteger writes = new AtomicInteger();
        long began = System.nanoTime();
        try (TemporaryStore work = TemporaryStore.create("replication")) {
            int sourcePort = ServerProcess.freePort();
            int targetPort = ServerProcess.freePort();
            ServerProcess.Options from =
                    ReplicatedStores.options(work, "source", targetPort).withPort(sourcePort);
            ServerProcess.Options to =
                    ReplicatedStores.options(work, "target", sourcePort).withPort(targetPort);
            ServerProcess source = ServerProcess.start(from);
            ServerProcess target = ServerProcess.start(to);
            try {
                try (S3Client here = Clients.sync(source.endpoint());
                        S3Client there = Clients.sync(target.endpoint())) {
                    ReplicatedStores.create(here, BUCKET);
                    ReplicatedStores.create(there, COPY);
                    for (int i = 0; i < wanted / 10; i++) {
                        putOld(here, i);
                    }
                    ReplicatedStores.replicate(
                            here, BUCKET, "arn:volute:replication::peer:" + COPY);
                }
                // Slow, so that kills interrupt the run.
                new AdminAnswers(source.endpoint()).replicateExisting(BUCKET, EXISTING_RATE);
                for (int round = 0; round < 2 * kills; round++) {
                    boolean isSource = round % 2 == 0;
                    int portion = Math.max(1, wanted / (2 * kills));
                    ServerProcess victim = isSource ? source : target;
                    load(source, Optional.of(victim), portion, random, writes);
                    if (isSource) {
                        source = ServerProcess.start(from);
                    } else {
                        target = ServerProcess.start(to);
                    }
                }
                while (writes.get() < wanted) {
                    load(source, Optional.empty(), wanted - writes.get(), random, writes);
                }
                requireEqual(source, target);
                Kills.requireHistory(source);
                Kills.requireHistory(target);
                assertThat(source.stop()).as(source.log()).isZero();
                assertThat(target.stop()).as(target.log()).isZero();
            } finally {
                source.close();
                target.close();
                System.out.printf(
                        "replication: seed %d, kills %d, writes %d, seconds %d%n",
                        seed,
                        2 * kills,
                        writes.get(),
                        Duration.ofNanos(System.nanoTime() - began).toSeconds());
            }
        }
    }

    private static void putOld(S3Client s3, int number) {
        s3.putObject(
                put -> put.bucket(BUCKET).key(OLD + number / 3),
                RequestBody.fromString("old " + number));
    }

    /** Writes from several clients, and kills the victim amid them, if there is one. */
    private static void load(
            ServerProcess source,
            Optional<ServerProcess> victim,
            int portion,
            SplittableRandom random,
            AtomicInteger writes)
            throws Exception {
        AtomicInteger left = new AtomicInteger(portion);
        int last = random.nextInt(Math.max(1, portion / 2));
        try (S3Client s3 = Clients.once(source.endpoint());
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                SplittableRandom own = random.split();
                running.add(
                        threads.submit(
                                () -> {
                                    while (true) {
                                        int rest = left.getAndDecrement();
                                        if (rest <= 0 || !isWritten(s3, own)) {
                                            return;
                                        }
                                        writes.incrementAndGet();
                                        if (rest - 1 == last) {
                                            victim.ifPresent(ServerProcess::kill);
                                        }
                                    }
                                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
        victim.ifPresent(ServerProcess::kill);
    }

    private static boolean isWritten(S3Client s3, SplittableRandom random) {
        String key = "dir/k " + random.nextInt(100);
        try {
            int kind = random.nextInt(10);
            if (kind == 0) {
                s3.deleteObject(delete -> delete.bucket(BUCKET).key(key));
            } else if (kind == 1) {
                tag(s3, key, random.nextInt());
            } else {
                int bytes = random.nextInt(20) == 0 ? 100_000 : random.nextInt(2_000);
                byte[] content = new byte[bytes];
                random.nextBytes(content);
                s3.putObject(
                        put ->
                                put.bucket(BUCKET)
                                        .key(key)
                                        .contentType("text/x-test")
                                        .tagging("a=" + bytes)
                                        .metadata(java.util.Map.of("size", "" + bytes)),
                        RequestBody.fromBytes(content));
            }
            return true;
        } catch (SdkException e) {
            return false;
        }
    }

    private static void tag(S3Client s3, String key, int value) {
        try {
            s3.putObjectTagging(
                    put ->
                            put.bucket(BUCKET)
                                    .key(key)
                                    .tagging(
                                            set ->
                                                    set.tagSet(
                                                            Tag.builder()
                                                                    .key("t")
                                                                    .value("" + value)
                                                                    .build())));
        } catch (software.amazon.awssdk.services.s3.model.S3Exception e) {
            if (e.statusCode() != 404 && e.statusCode() != 405) {
                throw e;
            }
        }
    }

    private static void requireEqual(ServerProcess source, ServerProcess target) throws Exception {
        long refused = new AdminAnswers(source.endpoint()).awaitReplication();
        assertThat(refused).as(source.log()).isZero();
        try (S3Client here = Clients.sync(source.endpoint());
                S3Client there = Clients.sync(target.endpoint())) {
            assertThat(listing(there, COPY)).as(source.log()).isEqualTo(listing(here, BUCKET));
            List<String> statuses = new ArrayList<>();
            List<String> copies = new ArrayList<>();
            assertThat(details(there, COPY, copies)).isEqualTo(details(here, BUCKET, statuses));
            assertThat(statuses).containsOnly("COMPLETED");
            assertThat(copies).containsOnly("REPLICA");
        }
    }

    /** Keys, order, ETags and delete markers. */
    private static String listing(S3Client s3, String bucket) {
        TreeMap<String, List<String>> keys = new TreeMap<>();
        s3.listObjectVersionsPaginator(list -> list.bucket(bucket))
                .forEach(
                        page -> {
                            // The SDK has two lists; within a key the times give their order.
                            for (ObjectVersion each : page.versions()) {
                                keys.computeIfAbsent(each.key(), same -> new ArrayList<>())
                                        .add(each.eTag() + each.isLatest());
                            }
                            for (DeleteMarkerEntry each : page.deleteMarkers()) {
                                keys.computeIfAbsent(each.key() + "#", same -> new ArrayList<>())
                                        .add("marker" + each.isLatest());
                            }
                        });
        return keys.toString();
    }

    /**
     * Returns the state of each version.
     *
     * @param statuses gets the replication status of each that is not of a run
     */
    private static List<String> details(S3Client s3, String bucket, List<String> statuses) {
        List<String> all = new ArrayList<>();
        for (var page : s3.listObjectVersionsPaginator(list -> list.bucket(bucket))) {
            for (ObjectVersion each : page.versions()) {
                HeadObjectResponse head = head(s3, bucket, each);
                if (!each.key().startsWith(OLD)) {
                    statuses.add(head.replicationStatusAsString());
                }
                all.add(
                        each.key()
                                + head.eTag()
                                + head.contentType()
                                + head.metadata()
                                + tags(s3, bucket, each));
            }
        }
        return all;
    }

    private static List<Tag> tags(S3Client s3, String bucket, ObjectVersion version) {
        return s3.getObjectTagging(
                        get -> get.bucket(bucket).key(version.key()).versionId(version.versionId()))
                .tagSet();
    }

    private static HeadObjectResponse head(S3Client s3, String bucket, ObjectVersion version) {
        return s3.headObject(
                get -> get.bucket(bucket).key(version.key()).versionId(version.versionId()));
    }
}
