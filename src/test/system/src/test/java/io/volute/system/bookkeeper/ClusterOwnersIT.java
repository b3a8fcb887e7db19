package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.system.Clients;
import io.volute.system.Past;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Bucket;
import software.amazon.awssdk.services.s3.model.BucketAlreadyOwnedByYouException;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/**
 * Cubes of one store are on several nodes, while clients with the SDK's retries use all of them.
 */
class ClusterOwnersIT {
    private static final String KEY = "keys/provenance.key";
    private static final int ACKNOWLEDGED_BETWEEN = 6;
    private static final int COPIES = 5;
    private static final List<String> BUCKETS = List.of("papers", "photos", "records");

    private final List<SteadyClient> clients = new ArrayList<>();

    /** Runs while a client is at work in each bucket. */
    private interface Disturbance {
        void run() throws Exception;
    }

    private void underLoad(ClusterNodes nodes, int through, Disturbance disturbance)
            throws Exception {
        try (S3Client s3 = nodes.client(through);
                SteadyClient one = new SteadyClient(s3, BUCKETS.get(0));
                SteadyClient two = new SteadyClient(s3, BUCKETS.get(1));
                SteadyClient three = new SteadyClient(s3, BUCKETS.get(2))) {
            List<SteadyClient> now = List.of(one, two, three);
            for (SteadyClient each : now) {
                each.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
            }
            disturbance.run();
            for (SteadyClient each : now) {
                each.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
            }
            clients.addAll(now);
        } catch (AssertionError e) {
            throw new AssertionError(nodes.logs(), e);
        }
    }

    /** Returns the owner of each cube. */
    @SuppressWarnings("unchecked")
    private static Map<String, String> owners(ServerProcess node) throws Exception {
        List<Map<String, Object>> cubes =
                (List<Map<String, Object>>)
                        VoluteCommand.json(node, "cluster", "status").get("cubes");
        Map<String, String> owners = new TreeMap<>();
        cubes.forEach(each -> owners.put((String) each.get("cube"), (String) each.get("owner")));
        return owners;
    }

    private void requireNothingLost(ClusterNodes nodes, S3Client s3) {
        for (SteadyClient each : clients) {
            assertThat(each.errors()).as(nodes.logs()).isEmpty();
            each.requireAll(s3);
        }
    }

    @Test
    void cubesOnSeveralNodesSurviveTheLossOfEach() throws Exception {
        BookieCluster bookies = BookieCluster.shared();
        try (TemporaryStore directory = TemporaryStore.create("nodes");
                ClusterNodes nodes = ClusterNodes.start(directory, bookies.zooKeeper(), 3);
                S3Client s3 = nodes.client(2)) {
            ServerProcess any = nodes.node(2);
            VoluteCommand.done(any, "cube", "create", "hot");
            VoluteCommand.done(any, "cube", "create", "cold");
            VoluteCommand.done(any, "bucket", "create", "photos", "--cube", "hot");
            VoluteCommand.done(any, "bucket", "create", "papers", "--cube", "cold");
            VoluteCommand.done(any, "bucket", "create", "records");
            nodes.awaitStandbys();
            underLoad(
                    nodes,
                    2,
                    () -> {
                        VoluteCommand.done(any, "cluster", "move", "hot", "node1");
                        VoluteCommand.done(any, "cluster", "move", "cold", "node2");
                        assertThat(owners(any))
                                .isEqualTo(
                                        Map.of(
                                                "default", "node0", "hot", "node1", "cold",
                                                "node2"));
                    });
            requireNothingLost(nodes, s3);
            try {
                answersHaveAPartOfEachOwner(nodes.node(2));
                bucketsComeAndGo(nodes);
                usersAreKnownEverywhere(nodes);
                copiesReachEachCube(nodes);
                auditsReachEachCube(nodes.node(2));
                backupsHaveEachCube(nodes, directory.path());
                metricsAreThoseOfTheNode(nodes.node(1));
            } catch (AssertionError e) {
                throw new AssertionError(nodes.logs(), e);
            }
            // The owner of one cube ends: the others go on, and its cube goes to another node.
            underLoad(nodes, 2, () -> nodes.node(1).kill());
            assertThat(owners(any).get("hot")).isIn("node0", "node2");
            nodes.restart(1);
            // The owner of the store ends: the placed cubes on other nodes stay where they are.
            VoluteCommand.done(any, "cluster", "move", "hot", "node1");
            underLoad(
                    nodes,
                    2,
                    () -> {
                        try (Reader photos = new Reader(nodes.node(1), "photos");
                                Reader papers = new Reader(nodes.node(2), "papers")) {
                            photos.awaitReads();
                            papers.awaitReads();
                            nodes.node(0).kill();
                            assertThat(nodes.ownerBesides(0)).isIn(1, 2);
                            photos.awaitReads();
                            papers.awaitReads();
                            assertThat(photos.errors()).isEmpty();
                            assertThat(papers.errors()).isEmpty();
                        }
                    });
            for (int node : List.of(1, 2)) {
                assertThat(nodes.node(node).log())
                        .as("a take-over of the store leaves the placed cubes open")
                        .doesNotContain("its server ends");
            }
            assertThat(owners(any)).containsEntry("hot", "node1").containsEntry("cold", "node2");
            requireNothingLost(nodes, s3);
        }
    }

    /** Reads one object of a bucket all the time. A request that fails is not repeated. */
    private static final class Reader implements AutoCloseable {
        private static final int READS = 20;

        private final S3Client s3;
        private final String bucket;
        private final List<String> errors = Collections.synchronizedList(new ArrayList<>());
        private final AtomicInteger done = new AtomicInteger();
        private final AtomicBoolean isClosed = new AtomicBoolean();
        private final Thread thread;

        Reader(ServerProcess node, String bucket) {
            this.s3 = Clients.once(node.endpoint());
            this.bucket = bucket;
            s3.putObject(each -> each.bucket(bucket).key("read"), RequestBody.fromString("text"));
            this.thread = Thread.ofVirtual().start(this::run);
        }

        private void run() {
            while (!isClosed.get()) {
                try {
                    s3.getObjectAsBytes(each -> each.bucket(bucket).key("read"));
                } catch (SdkException e) {
                    errors.add(Instant.now() + " " + e);
                }
                done.incrementAndGet();
            }
        }

        /** Waits until more reads have ended. */
        void awaitReads() {
            int before = done.get();
            long limit = System.nanoTime() + Duration.ofMinutes(2).toNanos();
            while (done.get() < before + READS) {
                if (System.nanoTime() - limit > 0) {
                    throw new AssertionError("no reads of " + bucket);
                }
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }

        List<String> errors() {
            return List.copyOf(errors);
        }

        @Override
        public void close() throws InterruptedException {
            isClosed.set(true);
            thread.join();
            s3.close();
        }
    }

    private static void bucketsComeAndGo(ClusterNodes nodes) throws Exception {
        try (S3Client one = nodes.client(1);
                S3Client two = nodes.client(2)) {
            VoluteCommand.done(nodes.node(0), "bucket", "create", "brief", "--cube", "hot");
            two.putObject(each -> each.bucket("brief").key("a"), RequestBody.fromString("content"));
            assertThat(one.getObjectAsBytes(each -> each.bucket("brief").key("a")).asUtf8String())
                    .isEqualTo("content");
            assertThat(two.listBuckets().buckets().stream().map(Bucket::name))
                    .contains("brief", "papers", "photos", "records");
            // At the owner of the store, which does not know what a bucket of another node has.
            assertThatThrownBy(() -> two.createBucket(each -> each.bucket("brief")))
                    .isInstanceOf(BucketAlreadyOwnedByYouException.class);
            Instant then = Past.between(two, "brief");
            one.deleteObject(each -> each.bucket("brief").key("a"));
            one.deleteBucket(each -> each.bucket("brief"));
            assertThat(two.listBuckets().buckets().stream().map(Bucket::name))
                    .doesNotContain("brief");
            String past = Past.alias("brief", then);
            for (S3Client each : List.of(one, two)) {
                assertThat(each.listObjectsV2(list -> list.bucket(past)).contents()).hasSize(1);
                assertThat(each.getObjectAsBytes(get -> get.bucket(past).key("a")).asUtf8String())
                        .isEqualTo("content");
            }
        }
    }

    /** A copy has what its source was a moment before, from and to the cubes of all owners. */
    private static void copiesReachEachCube(ClusterNodes nodes) throws Exception {
        try (S3Client s3 = nodes.client(1)) {
            for (String from : BUCKETS) {
                for (String to : BUCKETS) {
                    for (int i = 0; i < COPIES; i++) {
                        copy(s3, from, to, "text " + i + " of " + from);
                    }
                }
            }
            for (String to : BUCKETS) {
                assertThat(
                                VoluteCommand.done(
                                        nodes.node(0), "trace", "back", "s3://" + to + "/copied"))
                        .contains("records/source");
            }
            copyOfAPart(s3, "photos", "papers");
            assertThatThrownBy(() -> copy(s3, "photos", "records", Optional.empty()))
                    .isInstanceOf(NoSuchKeyException.class);
        }
    }

    private static void copy(S3Client s3, String from, String to, String text) {
        s3.putObject(
                each ->
                        each.bucket(from)
                                .key("source")
                                .metadata(Map.of("text", text))
                                .tagging("from=" + from),
                RequestBody.fromString(text));
        copy(s3, from, to, Optional.of("source"));
        ResponseBytes<GetObjectResponse> copied =
                s3.getObjectAsBytes(each -> each.bucket(to).key("copied"));
        assertThat(copied.asUtf8String()).isEqualTo(text);
        assertThat(copied.response().metadata()).containsEntry("text", text);
        assertThat(copied.response().tagCount()).isEqualTo(1);
    }

    private static void copy(S3Client s3, String from, String to, Optional<String> key) {
        s3.copyObject(
                each ->
                        each.sourceBucket(from)
                                .sourceKey(key.orElse("missing"))
                                .destinationBucket(to)
                                .destinationKey("copied"));
    }

    private static void copyOfAPart(S3Client s3, String from, String to) {
        String text = "0123456789".repeat(10_000);
        s3.putObject(each -> each.bucket(from).key("long"), RequestBody.fromString(text));
        String upload = s3.createMultipartUpload(each -> each.bucket(to).key("parts")).uploadId();
        String etag =
                s3.uploadPartCopy(
                                each ->
                                        each.sourceBucket(from)
                                                .sourceKey("long")
                                                .destinationBucket(to)
                                                .destinationKey("parts")
                                                .uploadId(upload)
                                                .partNumber(1)
                                                .copySourceRange("bytes=5-99994"))
                        .copyPartResult()
                        .eTag();
        CompletedPart part = CompletedPart.builder().partNumber(1).eTag(etag).build();
        s3.completeMultipartUpload(
                each ->
                        each.bucket(to)
                                .key("parts")
                                .uploadId(upload)
                                .multipartUpload(all -> all.parts(List.of(part))));
        assertThat(s3.getObjectAsBytes(each -> each.bucket(to).key("parts")).asUtf8String())
                .isEqualTo(text.substring(5, 99_995));
    }

    /** Each owner audits its cubes and has their signing keys. */
    private static void auditsReachEachCube(ServerProcess node) throws Exception {
        long sum = 0;
        for (String cube : List.of("default", "hot", "cold")) {
            long chains = number(node, "chains", "audit", "--all", "--cube", cube);
            assertThat(chains).as(cube).isPositive();
            sum += chains;
        }
        assertThat(number(node, "chains", "audit", "--all")).isEqualTo(sum);
        assertThat(number(node, "chains", "audit", "photos")).isPositive();
        long records = number(node, "records", "provenance", "keys", "--cube", "hot");
        VoluteCommand.done(node, "provenance", "rotate");
        assertThat(number(node, "records", "provenance", "keys", "--cube", "hot"))
                .isGreaterThan(records);
        VoluteCommand.done(node, "audit", "--all");
        // A deleted bucket, whose past is in a cube of another node.
        assertThat(number(node, "chains", "audit", "brief")).isEqualTo(1);
        VoluteCommand.done(node, "history", "purge", "brief", "--until", "-0s", "--yes");
    }

    /** A server alone opens a backup, with the encrypted objects of all owners. */
    private static void backupsHaveEachCube(ClusterNodes nodes, Path work) throws Exception {
        Path backups = work.resolve("backups");
        Path data = work.resolve("restored");
        try (S3Client s3 = nodes.client(2)) {
            for (String bucket : BUCKETS) {
                s3.putObject(
                        each ->
                                each.bucket(bucket)
                                        .key("kept")
                                        .serverSideEncryption(ServerSideEncryption.AES256),
                        RequestBody.fromString("kept in " + bucket));
            }
        }
        VoluteCommand.done(nodes.node(2), "backup", "create", "--to", backups.toString());
        Said restored =
                VoluteCommand.runAlone(
                        "backup", "restore", "--from", "" + backups, "--data", "" + data);
        assertThat(restored.code()).as(restored.text()).isZero();
        Files.copy(nodes.data(0).resolve(KEY), data.resolve(KEY));
        try (ServerProcess alone = ServerProcess.start(ServerProcess.Options.of(data));
                S3Client s3 = Clients.sync(alone.endpoint())) {
            for (String bucket : BUCKETS) {
                assertThat(
                                s3.getObjectAsBytes(each -> each.bucket(bucket).key("kept"))
                                        .asUtf8String())
                        .isEqualTo("kept in " + bucket);
            }
            assertThat(VoluteCommand.done(alone, "check")).contains("cube hot: finished");
            VoluteCommand.done(alone, "audit", "--all", "--contents");
        }
    }

    /** The request reaches any node, and the answer has a part of each owner. */
    private static void answersHaveAPartOfEachOwner(ServerProcess node) throws Exception {
        assertThat(values(VoluteCommand.json(node, "space"), "cubes", "cube"))
                .containsExactlyInAnyOrder("default", "hot", "cold");
        Map<String, Object> scrub = VoluteCommand.json(node, "scrub", "--now");
        assertThat(values(scrub, "others", "node")).containsExactlyInAnyOrder("node1", "node2");
        List<Map<String, Object>> all =
                List.of(
                        scrub,
                        VoluteCommand.json(node, "space"),
                        VoluteCommand.json(node, "notification"),
                        VoluteCommand.json(node, "replication", "status"),
                        VoluteCommand.json(node, "damage", "list"));
        assertThat(all).noneMatch(each -> each.containsKey("missing"));
    }

    private static List<Object> values(Map<String, Object> answer, String list, String field) {
        return ((List<?>) answer.get(list))
                .stream().<Object>map(each -> ((Map<?, ?>) each).get(field)).toList();
    }

    /** This node has one cube, and standbys of the others. */
    private static void metricsAreThoseOfTheNode(ServerProcess node) throws Exception {
        URI page =
                URI.create(
                        "http://"
                                + node.options().environment().get("VOLUTE_METRICS_LISTEN")
                                + "/metrics");
        try (InputStream answer = page.toURL().openStream()) {
            assertThat(new String(answer.readAllBytes(), StandardCharsets.UTF_8))
                    .contains(
                            "volute_cube_serves{cube=\"hot\"} 1.0",
                            "volute_cube_serves{cube=\"cold\"} NaN",
                            "volute_standby_following{cube=\"default\"} 1.0",
                            "volute_standby_following{cube=\"cold\"} 1.0");
        }
    }

    private static long number(ServerProcess node, String field, String... command)
            throws Exception {
        return ((Number) VoluteCommand.json(node, command).get(field)).longValue();
    }

    /** A key that was made a moment ago works in each cube, and a removed one soon does not. */
    private static void usersAreKnownEverywhere(ClusterNodes nodes) throws Exception {
        ServerProcess node = nodes.node(0);
        VoluteCommand.json(node, "user", "add", "carol", "--policy", "readwrite");
        Map<String, Object> key = VoluteCommand.json(node, "key", "add", "carol");
        AwsCredentials carol =
                AwsBasicCredentials.create(
                        (String) key.get("accessKey"), (String) key.get("secretKey"));
        for (String bucket : BUCKETS) {
            try (S3Client s3 = Clients.as(nodes.node(2).endpoint(), carol)) {
                s3.putObject(
                        each -> each.bucket(bucket).key("carol"), RequestBody.fromString("mine"));
            }
        }
    }
}
