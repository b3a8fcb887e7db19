package io.volute.server.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.config.targets.TargetConfig;
import io.volute.server.config.targets.TargetConfig.Login;
import io.volute.server.config.targets.TargetConfig.Servers;
import io.volute.server.notification.Target.Sent;
import io.volute.server.outbound.Addresses.Resolver;
import io.volute.server.s3.notification.EventMessage;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Targets of brokers without a broker; NotificationIT has real ones. */
class BrokerTargetsTest {
    private static final String TOPIC = "events";
    private static final Node BROKER = new Node(1, "inner.example.com", 9092);

    @TempDir private Path directory;

    private static Servers servers(boolean isTls) {
        return new Servers(List.of("broker.example.com:9092"), isTls, Optional.empty(), false);
    }

    private static TargetConfig.Kafka kafka(
            boolean isTls, Optional<Login> login, String mechanism) {
        return new TargetConfig.Kafka("hook", servers(isTls), TOPIC, login, mechanism);
    }

    private static TargetConfig.Kafka kafka() {
        return kafka(false, Optional.empty(), "PLAIN");
    }

    private static Resolver to(Map<String, String> addresses) {
        return host -> new InetAddress[] {InetAddress.getByName(addresses.get(host))};
    }

    private static final Resolver PUBLIC =
            to(Map.of("broker.example.com", "192.0.2.1", "inner.example.com", "192.0.2.2"));

    private static List<EventMessage> messages(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new EventMessage("b/k", bytes("message " + i)))
                .toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A producer of one partition. It is like the real one, whose sender ends at a close. */
    private static final class OnePartition extends MockProducer<byte[], byte[]> {
        private final int failing;

        OnePartition(int failing) {
            super(
                    new Cluster(
                            "c",
                            List.of(BROKER),
                            List.of(
                                    new PartitionInfo(
                                            TOPIC,
                                            0,
                                            BROKER,
                                            new Node[] {BROKER},
                                            new Node[] {BROKER})),
                            Set.of(),
                            Set.of()),
                    false,
                    new RoundRobinPartitioner(),
                    new ByteArraySerializer(),
                    new ByteArraySerializer());
            this.failing = failing;
        }

        @Override
        public synchronized void flush() {
            for (int i = 0; !closed() && i < history().size(); i++) {
                if (i == failing) {
                    errorNext(new KafkaException("refused"));
                } else {
                    completeNext();
                }
            }
        }
    }

    @Test
    void aRecordHasTheObjectAsKey() throws IOException {
        OnePartition producer = new OnePartition(-1);
        try (KafkaTarget target = new KafkaTarget(kafka(), PUBLIC, settings -> producer)) {
            Sent sent = target.send(messages(3));
            assertThat(sent.failure()).isEmpty();
            assertThat(sent.done().cardinality()).isEqualTo(3);
        }
        assertThat(producer.history())
                .extracting(each -> new String(each.key(), StandardCharsets.UTF_8))
                .containsOnly("b/k");
        assertThat(producer.history())
                .extracting(each -> new String(each.value(), StandardCharsets.UTF_8))
                .containsExactly("message 0", "message 1", "message 2");
    }

    /** The order: a record behind the failed one must not become durable first. */
    @Test
    void theFirstFailureEndsTheProducer() throws IOException {
        OnePartition failing = new OnePartition(1);
        OnePartition next = new OnePartition(-1);
        AtomicReference<Producer<byte[], byte[]>> producer = new AtomicReference<>(failing);
        try (KafkaTarget target = new KafkaTarget(kafka(), PUBLIC, settings -> producer.get())) {
            Sent sent = target.send(messages(4));
            assertThat(sent.failure().orElseThrow()).hasMessageContaining("refused");
            assertThat(sent.done()).hasToString("{0}");
            assertThat(failing.closed()).isTrue();

            producer.set(next);
            assertThat(target.send(messages(4)).failure()).isEmpty();
            assertThat(next.history()).hasSize(4);
        }
    }

    /** The attack: a broker that names the cloud's metadata as another broker of the cluster. */
    @Test
    void brokersThatTheClusterNamesAreChecked() throws IOException {
        OnePartition producer = new OnePartition(-1);
        Resolver resolver =
                to(
                        Map.of(
                                "broker.example.com",
                                "192.0.2.1",
                                "inner.example.com",
                                "169.254.169.254"));
        try (KafkaTarget target = new KafkaTarget(kafka(), resolver, settings -> producer)) {
            Sent sent = target.send(messages(1));
            assertThat(sent.done().isEmpty()).isTrue();
            assertThat(sent.failure().orElseThrow())
                    .hasMessageContaining("inner.example.com")
                    .hasMessageContaining("not allowed");
        }
        assertThat(producer.history()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "169.254.169.254", "0.0.0.0"})
    void addressesThatAreNotAllowedGetNothing(String address) throws IOException {
        Resolver resolver = to(Map.of("broker.example.com", address));
        try (KafkaTarget kafka =
                        new KafkaTarget(
                                kafka(),
                                resolver,
                                settings -> {
                                    throw new AssertionError("a producer");
                                });
                NatsTarget nats =
                        new NatsTarget(
                                new TargetConfig.Nats(
                                        "hook",
                                        servers(true),
                                        "events",
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty()),
                                resolver)) {
            assertThat(kafka.send(messages(1)).failure().orElseThrow())
                    .hasMessageContaining("not allowed");
            assertThat(nats.send(messages(1)).failure().orElseThrow())
                    .hasMessageContaining("not allowed");
        }
    }

    private Path secret(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("secret"), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    @ParameterizedTest
    @CsvSource({
        "false,false,PLAIN,PLAINTEXT,null",
        "true,false,PLAIN,SSL,null",
        "false,true,PLAIN,SASL_PLAINTEXT,plain.PlainLoginModule",
        "true,true,SCRAM-SHA-512,SASL_SSL,scram.ScramLoginModule",
    })
    void settingsAreThoseOfKafka(
            boolean isTls, boolean hasLogin, String mechanism, String protocol, String module)
            throws IOException {
        Optional<Login> login =
                hasLogin ? Optional.of(new Login("volute", secret("a\"b\\c\n"))) : Optional.empty();
        AtomicReference<Map<String, Object>> settings = new AtomicReference<>();
        try (KafkaTarget target =
                new KafkaTarget(
                        kafka(isTls, login, mechanism),
                        PUBLIC,
                        used -> {
                            settings.set(used);
                            return new OnePartition(-1);
                        })) {
            assertThat(target.send(messages(1)).failure()).isEmpty();
        }
        assertThat(settings.get())
                .containsEntry("security.protocol", protocol)
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .containsEntry("max.in.flight.requests.per.connection", 1);
        assertThat(String.valueOf(settings.get().get("sasl.jaas.config"))).contains(module);
        if (hasLogin) {
            assertThat(settings.get().get("sasl.jaas.config").toString())
                    .endsWith("username=\"volute\" password=\"a\\\"b\\\\c\";");
        }
        // Kafka itself accepts them all.
        Map<String, Object> reachable = settings.get();
        reachable.put("bootstrap.servers", "127.0.0.1:1");
        new KafkaProducer<>(reachable, new ByteArraySerializer(), new ByteArraySerializer())
                .close(Duration.ZERO);
    }

    @Test
    void aPasswordThatOthersCanReadEndsTheStart() throws IOException {
        Path file = secret("x");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Optional<Login> login = Optional.of(new Login("volute", file));
        assertThatThrownBy(() -> new KafkaTarget(kafka(true, login, "PLAIN"), PUBLIC))
                .hasMessageContaining("chmod 600");
        assertThatThrownBy(
                        () ->
                                new NatsTarget(
                                        new TargetConfig.Nats(
                                                "hook",
                                                servers(true),
                                                "events",
                                                login,
                                                Optional.empty(),
                                                Optional.empty()),
                                        PUBLIC))
                .hasMessageContaining("chmod 600");
    }
}
