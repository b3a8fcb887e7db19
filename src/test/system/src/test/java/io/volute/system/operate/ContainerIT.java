package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.HealthCheck;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import com.github.dockerjava.api.model.Volume;
import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ContainerEngine;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;

/** The image of {@code docker/} in a real container engine: what a user would run. */
@Tag("packages")
class ContainerIT {
    private static final String IMAGE = "volute-container-test:it";
    private static final int METRICS = 9464;
    private static final int WRITERS = 4;
    private static final int ACKNOWLEDGED_BEFORE_THE_KILL = 200;

    private static final long IMAGE_BYTES_MAX = 150_000_000;
    private static final int USER = 10_001;
    private static final int EXIT_SECONDS = 60;

    private static boolean built;

    @BeforeAll
    static void build() {
        // The client library's default may be newer than the engine; every client speaks older.
        System.setProperty("api.version", ContainerEngine.orSkip());
        ContainerEngine.buildImage(IMAGE);
        built = true;
    }

    @AfterAll
    static void removeImage() {
        if (built) {
            DockerClientFactory.lazyClient().removeImageCmd(IMAGE).withForce(true).exec();
        }
    }

    @Test
    void keepsWhatWasAcknowledgedThroughAKillOnTheSameVolume() throws InterruptedException {
        DockerClient engine = DockerClientFactory.lazyClient();
        String volume = engine.createVolumeCmd().exec().getName();
        try {
            Map<String, String> acknowledged = new ConcurrentHashMap<>();
            try (GenericContainer<?> first = container(volume)) {
                first.start();
                try (S3Client s3 = Clients.once(endpoint(first))) {
                    s3.createBucket(create -> create.bucket("kept"));
                    roundTrip(new Store(endpoint(first), s3));
                    killWhileWriting(s3, first, acknowledged);
                }
            }
            assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(ACKNOWLEDGED_BEFORE_THE_KILL);
            try (GenericContainer<?> second = container(volume)) {
                second.start();
                try (S3Client s3 = Clients.once(endpoint(second))) {
                    Store store = new Store(endpoint(second), s3);
                    acknowledged.forEach(
                            (key, body) ->
                                    assertThat(store.text("kept", key)).as(key).isEqualTo(body));
                }
                engine.stopContainerCmd(second.getContainerId()).exec();
                assertThat(exitCode(engine, second)).as("a stop is orderly").isZero();
            }
        } finally {
            engine.removeVolumeCmd(volume).exec();
        }
    }

    /** The canary of the test above: without the volume nothing is kept. */
    @Test
    void anotherVolumeIsEmpty() {
        DockerClient engine = DockerClientFactory.lazyClient();
        String volume = engine.createVolumeCmd().exec().getName();
        try (GenericContainer<?> fresh = container(volume)) {
            fresh.start();
            try (S3Client s3 = Clients.once(endpoint(fresh))) {
                assertThat(s3.listBuckets().buckets()).isEmpty();
            }
            assertThat(engine.inspectContainerCmd(fresh.getContainerId()).exec().getConfig())
                    .satisfies(config -> assertThat(config.getUser()).isEqualTo("10001:10001"));
        } finally {
            engine.removeVolumeCmd(volume).exec();
        }
    }

    /** There is no shell in the image: the command is a program of its own. */
    @Test
    void commandsRunInTheContainer() throws Exception {
        DockerClient engine = DockerClientFactory.lazyClient();
        String volume = engine.createVolumeCmd().exec().getName();
        try (GenericContainer<?> running = container(volume)) {
            running.start();
            Container.ExecResult space = running.execInContainer("volute", "space", "--json");
            assertThat(space.getExitCode()).as(space.getStderr()).isZero();
            assertThat(space.getStdout()).contains("\"capacityBytes\"");
            Container.ExecResult wrong = running.execInContainer("volute", "spaec");
            assertThat(wrong.getExitCode()).isEqualTo(2);
        } finally {
            engine.removeVolumeCmd(volume).exec();
        }
    }

    @Test
    void theImageHasNothingForOtherMachines() {
        Long bytes = DockerClientFactory.lazyClient().inspectImageCmd(IMAGE).exec().getSize();
        assertThat(bytes).isLessThan(IMAGE_BYTES_MAX);
    }

    @Test
    void aDirectoryOfAnotherUserIsNamedWithBothUsers(@TempDir Path directory) throws Exception {
        assumeThat(Files.getAttribute(directory, "unix:uid"))
                .as("SKIPPED: the directory must belong to another user than 10001")
                .isNotEqualTo(USER);
        DockerClient engine = DockerClientFactory.lazyClient();
        String id =
                engine.createContainerCmd(IMAGE)
                        .withHostConfig(
                                new HostConfig()
                                        .withTmpFs(Map.of("/tmp", "exec"))
                                        .withBinds(
                                                new Bind(
                                                        directory.toString(), new Volume("/data"))))
                        .exec()
                        .getId();
        try {
            engine.startContainerCmd(id).exec();
            assertThat(
                            engine.waitContainerCmd(id)
                                    .start()
                                    .awaitStatusCode(EXIT_SECONDS, TimeUnit.SECONDS))
                    .isEqualTo(1);
            assertThat(log(engine, id))
                    .contains("runs as uid " + USER)
                    .contains("/data belongs to uid " + Files.getAttribute(directory, "unix:uid"))
                    .contains("chown -R " + USER + " /data");
        } finally {
            engine.removeContainerCmd(id).withForce(true).exec();
        }
    }

    private static String log(DockerClient engine, String id) throws InterruptedException {
        StringBuilder text = new StringBuilder();
        engine.logContainerCmd(id)
                .withStdOut(true)
                .withStdErr(true)
                .exec(
                        new ResultCallback.Adapter<Frame>() {
                            @Override
                            public void onNext(Frame frame) {
                                text.append(new String(frame.getPayload(), StandardCharsets.UTF_8));
                            }
                        })
                .awaitCompletion();
        return text.toString();
    }

    /** Uses the setup of docker/compose.yaml, except that Prometheus runs outside of it. */
    @Test
    void aRealPrometheusAsksTheContainer(@TempDir Path directory) throws Exception {
        ExternalClient program = Prometheus.orSkip(directory);
        DockerClient engine = DockerClientFactory.lazyClient();
        String volume = engine.createVolumeCmd().exec().getName();
        try (GenericContainer<?> watched =
                container(volume, 9000, METRICS)
                        .withEnv("VOLUTE_METRICS_LISTEN", "0.0.0.0:" + METRICS)) {
            watched.start();
            String metrics = watched.getHost() + ":" + watched.getMappedPort(METRICS);
            try (Prometheus prometheus = Prometheus.start(program, directory, metrics);
                    S3Client s3 = Clients.once(endpoint(watched))) {
                s3.createBucket(create -> create.bucket("kept"));
                roundTrip(new Store(endpoint(watched), s3));
                prometheus.awaitData(
                        "volute_requests_total{operation=\"GetObject\",status=\"2xx\"} == 2");
                assertThat(prometheus.result("volute_cube_state{state=\"healthy\"} == 1"))
                        .hasSize(1);
                engine.killContainerCmd(watched.getContainerId()).exec();
                prometheus.awaitData("up{job=\"volute\"} == 0");
            }
        } finally {
            engine.removeVolumeCmd(volume).exec();
        }
    }

    private static GenericContainer<?> container(String volume) {
        return container(volume, 9000);
    }

    private static GenericContainer<?> container(String volume, Integer... ports) {
        return new GenericContainer<>(DockerImageName.parse(IMAGE))
                .withEnv("VOLUTE_ACCESS_KEY", ServerProcess.ACCESS_KEY)
                .withEnv("VOLUTE_SECRET_KEY", ServerProcess.SECRET_KEY)
                .withExposedPorts(ports)
                .withCreateContainerCmdModifier(
                        create -> {
                            Objects.requireNonNull(create.getHostConfig())
                                    .withReadonlyRootfs(true)
                                    .withPortBindings(
                                            Stream.of(ports).map(ContainerIT::onLoopback).toList())
                                    .withTmpFs(Map.of("/tmp", "exec"))
                                    .withBinds(new Bind(volume, new Volume("/data")));
                            // The image's own check, only sooner.
                            create.withHealthcheck(
                                    new HealthCheck()
                                            .withInterval(TimeUnit.SECONDS.toNanos(1))
                                            .withRetries(60));
                        })
                .waitingFor(Wait.forHealthcheck());
    }

    private static PortBinding onLoopback(int port) {
        return new PortBinding(Ports.Binding.bindIp("127.0.0.1"), new ExposedPort(port));
    }

    private static URI endpoint(GenericContainer<?> container) {
        return URI.create("http://" + container.getHost() + ":" + container.getMappedPort(9000));
    }

    private static void roundTrip(Store store) {
        byte[] small = Bytes.random(1, 1_000);
        byte[] large = Bytes.random(2, 6 << 20);
        store.put("kept", "small", small);
        store.put("kept", "large", large);
        assertThat(store.get("kept", "small")).isEqualTo(small);
        assertThat(store.get("kept", "large")).isEqualTo(large);
    }

    /** SIGKILL while several threads write; notes what had been answered. */
    private static void killWhileWriting(
            S3Client s3, GenericContainer<?> container, Map<String, String> acknowledged)
            throws InterruptedException {
        Store store = new Store(endpoint(container), s3);
        CountDownLatch enough = new CountDownLatch(ACKNOWLEDGED_BEFORE_THE_KILL);
        List<Thread> writers =
                IntStream.range(0, WRITERS)
                        .mapToObj(
                                writer ->
                                        Thread.ofVirtual()
                                                .start(
                                                        () ->
                                                                writeUntilItFails(
                                                                        store,
                                                                        writer,
                                                                        acknowledged,
                                                                        enough)))
                        .toList();
        assertThat(enough.await(60, TimeUnit.SECONDS)).as("the writes go on").isTrue();
        container.getDockerClient().killContainerCmd(container.getContainerId()).exec();
        for (Thread writer : writers) {
            writer.join();
        }
    }

    private static void writeUntilItFails(
            Store store, int writer, Map<String, String> acknowledged, CountDownLatch enough) {
        try {
            for (int number = 0; ; number++) {
                String key = "written/" + writer + "/" + number;
                String body = key.repeat(1 + number % 50);
                store.put("kept", key, body);
                acknowledged.put(key, body);
                enough.countDown();
            }
        } catch (SdkException e) {
            // The kill; what this write became is unknown.
            enough.countDown();
        }
    }

    private static long exitCode(DockerClient engine, GenericContainer<?> container) {
        return Objects.requireNonNull(
                engine.inspectContainerCmd(container.getContainerId())
                        .exec()
                        .getState()
                        .getExitCodeLong());
    }
}
