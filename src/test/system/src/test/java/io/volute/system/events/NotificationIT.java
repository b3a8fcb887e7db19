package io.volute.system.events;

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
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.Event;
import software.amazon.awssdk.services.s3.model.QueueConfiguration;

/**
 * Event notifications with real clients and real brokers. SIGKILL of the server and of the target
 * at random times under load: each acknowledged write has its event, and those of a key are in
 * order. {@code -Dvolute.events=100000} is the full run.
 */
class NotificationIT {
    private static final String BUCKET = "watched";
    private static final int CLIENTS = 8;
    private static final int KEYS = 50;
    private static final long WAIT_SECONDS = 120;

    private static Path config(TemporaryStore work, String settings) throws IOException {
        return Files.writeString(
                work.path().resolve("volute.conf"),
                """
                notifications.targets = [
                  { name = events, %s }
                  { name = trail, type = file, path = "%s" }
                ]
                """
                        .formatted(settings, work.path().resolve("trail.jsonl")));
    }

    static ServerProcess.Options options(TemporaryStore work, String settings) throws IOException {
        return ServerProcess.Options.of(work.data())
                .underLoad()
                .withArguments("--config", config(work, settings).toString());
    }

    @ParameterizedTest
    @EnumSource
    void everyAcknowledgedWriteHasItsEvent(EventTarget.Kind kind) throws Exception {
        long seed = Long.getLong("volute.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        int wanted = Integer.getInteger("volute.events", 240);
        int writes = Math.min(10_000, wanted / 3);
        int rounds = 0;
        Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        try (TemporaryStore work = TemporaryStore.create("notify");
                EventTarget target = kind.start(work.path())) {
            Path classes = work.path().resolve("classes.txt");
            ServerProcess.Options options = logClasses(options(work, target.settings()), classes);
            ServerProcess server = ServerProcess.start(options);
            long start = System.nanoTime();
            long end = start;
            try {
                configure(server, kind);
                for (; acknowledged.size() < wanted; rounds++) {
                    Load load = new Load(writes, target, random);
                    load.run(server, acknowledged, random);
                    server = ServerProcess.start(options);
                }
                end = System.nanoTime();
                EventLedger ledger = target.ledger();
                assertThat(ledger.missing(acknowledged, WAIT_SECONDS)).as(server.log()).isEmpty();
                assertThat(ledger.disorder()).isEmpty();
                assertThat(ledger.others())
                        .isNotEmpty()
                        .allSatisfy(each -> assertThat(each).contains("s3:TestEvent"));
                assertThat(server.stop()).as(server.log()).isZero();
                assertThat(librariesIn(classes)).containsExactlyElementsOf(kind.libraries());
            } finally {
                server.close();
                System.out.printf(
                        "notifications to %s: seed %d, kills %d of each, acknowledged %d,"
                                + " received %d, repeated %d, load %d s, then %d s%n",
                        kind,
                        seed,
                        rounds,
                        acknowledged.size(),
                        target.ledger().received(),
                        target.ledger().repeated(),
                        TimeUnit.NANOSECONDS.toSeconds(end - start),
                        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - end));
            }
        }
    }

    private static ServerProcess.Options logClasses(ServerProcess.Options options, Path file) {
        List<String> jvm = new ArrayList<>(options.jvm());
        jvm.add("-Xlog:class+load:file=" + file);
        return new ServerProcess.Options(
                options.data(), options.port(), jvm, options.arguments(), options.environment());
    }

    /** Returns the libraries of brokers that the server has loaded classes of. */
    private static Set<String> librariesIn(Path classes) throws IOException {
        String loaded = Files.readString(classes);
        return new TreeSet<>(
                Stream.of("org.apache.kafka.", "io.nats.")
                        .filter(name -> loaded.contains(" " + name))
                        .toList());
    }

    static void configure(ServerProcess server, EventTarget.Kind kind) {
        try (S3Client s3 = Clients.sync(server.endpoint())) {
            s3.createBucket(create -> create.bucket(BUCKET));
            s3.putBucketVersioning(
                    put ->
                            put.bucket(BUCKET)
                                    .versioningConfiguration(
                                            to -> to.status(BucketVersioningStatus.ENABLED)));
            QueueConfiguration rule =
                    QueueConfiguration.builder()
                            .queueArn(
                                    "arn:volute:sqs::events:"
                                            + kind.name().toLowerCase(Locale.ROOT))
                            .events(Event.S3_OBJECT_CREATED)
                            .build();
            s3.putBucketNotificationConfiguration(
                    put ->
                            put.bucket(BUCKET)
                                    .notificationConfiguration(
                                            all -> all.queueConfigurations(rule)));
        }
    }

    /** Writes one object, and returns its version. */
    static String put(ServerProcess server) {
        try (S3Client s3 = Clients.sync(server.endpoint())) {
            return s3.putObject(put -> put.bucket(BUCKET).key("one"), RequestBody.fromString("one"))
                    .versionId();
        }
    }

    /** The writes of a round. The target goes down and comes back at chosen writes. */
    private static final class Load {
        private final AtomicInteger left;
        private final AtomicInteger written = new AtomicInteger();
        private final EventTarget target;
        private final int down;
        private final int up;
        private final CountDownLatch isDown = new CountDownLatch(1);
        private final CountDownLatch many;

        Load(int writes, EventTarget target, SplittableRandom random) {
            this.left = new AtomicInteger(writes);
            this.target = target;
            this.down = 1 + random.nextInt(writes / 2);
            this.up = down + 1 + random.nextInt(writes / 2);
            this.many = new CountDownLatch(writes * 3 / 4 + random.nextInt(writes / 4));
        }

        /** Writes from several clients, and kills the server amid them. */
        void run(ServerProcess server, Set<String> acknowledged, SplittableRandom random)
                throws Exception {
            try (S3Client s3 = Clients.once(server.endpoint());
                    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
                List<Future<?>> running = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    SplittableRandom own = random.split();
                    running.add(threads.submit(() -> write(s3, acknowledged, own)));
                }
                many.await();
                server.kill();
                for (Future<?> each : running) {
                    assertThat(each.get()).isNull();
                }
            }
            if (written.get() < up) {
                // The server was killed while the target was down.
                target.up();
            }
        }

        private Void write(S3Client s3, Set<String> acknowledged, SplittableRandom random)
                throws IOException, InterruptedException {
            try {
                while (left.getAndDecrement() > 0) {
                    String key = "k " + random.nextInt(KEYS);
                    acknowledged.add(
                            s3.putObject(
                                            put -> put.bucket(BUCKET).key(key),
                                            RequestBody.fromString(key))
                                    .versionId());
                    int count = written.incrementAndGet();
                    if (count == down) {
                        target.down();
                        isDown.countDown();
                    } else if (count == up) {
                        isDown.await();
                        target.up();
                    }
                    many.countDown();
                }
            } catch (SdkException e) {
                // The server is gone.
                assertThat(many.getCount()).as("%s", e).isZero();
            }
            return null;
        }
    }

    @Test
    void theAwsCliConfiguresAFileOfEvents() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("notify-cli")) {
            try (ServerProcess server =
                    ServerProcess.start(
                            options(work, "type = webhook, url = \"https://127.0.0.1:1/\""))) {
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
            try (ServerProcess server =
                    ServerProcess.start(
                            options(work, "type = webhook, url = \"https://127.0.0.1:1/\""))) {
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
