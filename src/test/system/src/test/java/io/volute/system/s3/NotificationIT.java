package io.volute.system.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.Event;
import software.amazon.awssdk.services.s3.model.QueueConfiguration;

/**
 * Event notifications with real clients. SIGKILL of the server under load, and a webhook that is
 * down half of the time: each acknowledged write has its event, and those of a key are in order.
 * {@code -Dvolute.events=100000} is the full run.
 */
class NotificationIT {
    private static final String BUCKET = "watched";
    private static final String ARN = "arn:volute:sqs::hook:webhook";
    private static final int CLIENTS = 8;
    private static final int KEYS = 50;
    private static final long WAIT_SECONDS = 120;

    private static Path config(TemporaryStore work, int port) throws IOException {
        return Files.writeString(
                work.path().resolve("volute.conf"),
                """
                notifications.targets = [
                  { name = hook, type = webhook, url = "http://127.0.0.1:%d/events",
                    allow-http = true, allow-loopback = true }
                  { name = trail, type = file, path = "%s" }
                ]
                """
                        .formatted(port, work.path().resolve("trail.jsonl")));
    }

    private static ServerProcess.Options options(TemporaryStore work, int port) throws IOException {
        return ServerProcess.Options.of(work.data())
                .underLoad()
                .withArguments("--config", config(work, port).toString());
    }

    @Test
    void everyAcknowledgedWriteHasItsEvent() throws Exception {
        long seed = Long.getLong("volute.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        int wanted = Integer.getInteger("volute.events", 600);
        int rounds = Math.max(3, wanted / 10_000);
        Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        try (TemporaryStore work = TemporaryStore.create("notify");
                EventReceiver receiver = new EventReceiver()) {
            ServerProcess.Options options = options(work, receiver.port());
            ServerProcess server = ServerProcess.start(options);
            try {
                configure(server);
                for (int round = 0; round < rounds; round++) {
                    boolean isDown = round % 2 == 0;
                    if (isDown) {
                        receiver.down();
                    }
                    load(server, acknowledged, wanted / rounds, random);
                    if (isDown) {
                        receiver.up();
                    }
                    server = ServerProcess.start(options);
                }
                assertThat(receiver.missing(acknowledged, WAIT_SECONDS)).as(server.log()).isEmpty();
                assertThat(receiver.disorder()).isEmpty();
                assertThat(receiver.others()).singleElement().asString().contains("s3:TestEvent");
                assertThat(server.stop()).as(server.log()).isZero();
            } finally {
                server.close();
                System.out.printf(
                        "notifications: seed %d, kills %d, acknowledged %d, received %d,"
                                + " repeated %d%n",
                        seed,
                        rounds,
                        acknowledged.size(),
                        receiver.received(),
                        receiver.repeated());
            }
        }
    }

    private static void configure(ServerProcess server) {
        try (S3Client s3 = Clients.sync(server.endpoint())) {
            s3.createBucket(create -> create.bucket(BUCKET));
            s3.putBucketVersioning(
                    put ->
                            put.bucket(BUCKET)
                                    .versioningConfiguration(
                                            to -> to.status(BucketVersioningStatus.ENABLED)));
            QueueConfiguration rule =
                    QueueConfiguration.builder()
                            .queueArn(ARN)
                            .events(Event.S3_OBJECT_CREATED)
                            .build();
            s3.putBucketNotificationConfiguration(
                    put ->
                            put.bucket(BUCKET)
                                    .notificationConfiguration(
                                            all -> all.queueConfigurations(rule)));
        }
    }

    /** Writes from several clients, and kills the server amid them. */
    private static void load(
            ServerProcess server, Set<String> acknowledged, int writes, SplittableRandom random)
            throws Exception {
        AtomicInteger left = new AtomicInteger(writes);
        CountDownLatch many = new CountDownLatch(writes * 3 / 4 + random.nextInt(writes / 4));
        try (S3Client s3 = Clients.once(server.endpoint());
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                SplittableRandom own = random.split();
                running.add(
                        threads.submit(
                                () -> {
                                    try {
                                        while (left.getAndDecrement() > 0) {
                                            String key = "k " + own.nextInt(KEYS);
                                            acknowledged.add(
                                                    s3.putObject(
                                                                    put ->
                                                                            put.bucket(BUCKET)
                                                                                    .key(key),
                                                                    RequestBody.fromString(key))
                                                            .versionId());
                                            many.countDown();
                                        }
                                    } catch (SdkException e) {
                                        // The server is gone.
                                        assertThat(many.getCount()).as("%s", e).isZero();
                                    }
                                }));
            }
            many.await();
            server.kill();
            for (Future<?> each : running) {
                assertThat(each.get()).isNull();
            }
        }
    }

    @Test
    void theAwsCliConfiguresAFileOfEvents() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("notify-cli")) {
            try (ServerProcess server = ServerProcess.start(options(work, 1))) {
                ExternalClient aws =
                        ExternalClient.orSkip(work.path(), List.of("aws"), "--version")
                                .with("AWS_ENDPOINT_URL", server.endpoint().toString());
                aws.run("s3", "mb", "s3://" + BUCKET).orFail();
                String rules =
                        """
                        {"TopicConfigurations": [{"Id": "pictures",
                          "TopicArn": "arn:volute:sns::trail:file",
                          "Events": ["s3:ObjectCreated:*", "s3:ObjectRemoved:Delete"],
                          "Filter": {"Key": {"FilterRules": [
                            {"Name": "suffix", "Value": ".jpg"}]}}}]}
                        """;
                put(aws, rules).orFail();
                assertThat(
                                aws.run(
                                                "s3api",
                                                "get-bucket-notification-configuration",
                                                "--bucket",
                                                BUCKET)
                                        .orFail())
                        .contains("arn:volute:sns::trail:file")
                        .contains("s3:ObjectRemoved:Delete");
                assertThat(put(aws, rules.replace("trail", "absent")).output())
                        .contains("Unable to validate the following destination configurations");
                Path file = Files.writeString(work.path().resolve("a.jpg"), "picture");
                aws.run("s3", "cp", file.toString(), "s3://" + BUCKET + "/dir/a.jpg").orFail();
                aws.run("s3", "cp", file.toString(), "s3://" + BUCKET + "/dir/a.png").orFail();
                aws.run("s3", "rm", "s3://" + BUCKET + "/dir/a.jpg").orFail();
                assertThat(server.stop()).as(server.log()).isZero();
            }
            // A start delivers what the stop left.
            try (ServerProcess server = ServerProcess.start(options(work, 1))) {
                assertThat(VoluteCommand.done(server, "notification"))
                        .contains("arn:volute:sqs::trail:file");
                assertThat(server.stop()).as(server.log()).isZero();
            }
            List<String> lines = Files.readAllLines(work.path().resolve("trail.jsonl"));
            assertThat(lines.getFirst()).contains("s3:TestEvent");
            assertThat(lines)
                    .anyMatch(line -> line.contains("ObjectCreated:Put"))
                    .anyMatch(line -> line.contains("ObjectRemoved:Delete"))
                    .noneMatch(line -> line.contains("a.png"));
        }
    }

    private static ExternalClient.Result put(ExternalClient aws, String rules) throws IOException {
        return aws.run(
                "s3api",
                "put-bucket-notification-configuration",
                "--bucket",
                BUCKET,
                "--notification-configuration",
                rules);
    }
}
