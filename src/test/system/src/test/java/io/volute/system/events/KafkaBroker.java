package io.volute.system.events;

import io.volute.system.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A Kafka broker that is its own controller, with a topic of three partitions and a consumer. A
 * second listener can have TLS and a login.
 */
final class KafkaBroker implements EventTarget {
    static final String TOPIC = "volute-events";
    private static final int PARTITIONS = 3;
    private static final String CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg";

    private final EventLedger ledger = new EventLedger();
    private final int port = ServerProcess.freePort();
    private final BrokerProcess process;
    private final Thread reader = new Thread(this::read, "kafka-reader");
    private volatile boolean isClosed;

    KafkaBroker(Path directory) throws IOException {
        this(directory, List.of());
    }

    /**
     * @param more lines of the broker's properties; {@code listeners=} adds to those of the broker
     */
    KafkaBroker(Path directory, List<String> more) throws IOException {
        Path output = directory.resolve("kafka.txt");
        Path properties = directory.resolve("kafka.properties");
        Files.write(properties, properties(directory, more));
        BrokerProcess.run(
                output,
                command(
                        "kafka.tools.StorageTool",
                        "format",
                        "-t",
                        CLUSTER,
                        "-c",
                        properties.toString()));
        process = new BrokerProcess(output, command("kafka.Kafka", properties.toString()));
        up();
        process.await(this::createTopic);
        reader.start();
    }

    private List<String> properties(Path directory, List<String> more) {
        int controller = ServerProcess.freePort();
        List<String> lines =
                new ArrayList<>(
                        List.of(
                                "process.roles=broker,controller",
                                "node.id=1",
                                "controller.quorum.voters=1@127.0.0.1:" + controller,
                                "controller.listener.names=CONTROLLER",
                                "log.dirs=" + directory.resolve("kafka"),
                                "offsets.topic.replication.factor=1",
                                "transaction.state.log.replication.factor=1",
                                "transaction.state.log.min.isr=1"));
        String listeners =
                "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller;
        Optional<String> other =
                more.stream().filter(line -> line.startsWith("listeners=")).findFirst();
        lines.add("listeners=" + listeners + other.map(l -> "," + l.substring(10)).orElse(""));
        more.stream().filter(line -> !line.startsWith("listeners=")).forEach(lines::add);
        return lines;
    }

    private static List<String> command(String type, String... arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx384m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("volute.kafka") + "/*",
                                type));
        command.addAll(List.of(arguments));
        return command;
    }

    private Map<String, Object> client() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", "127.0.0.1:" + port);
        settings.put("auto.offset.reset", "earliest");
        settings.put("reconnect.backoff.max.ms", 500);
        return settings;
    }

    private void createTopic() throws Exception {
        try (Admin admin = Admin.create(client())) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get(20, TimeUnit.SECONDS);
        }
    }

    private void read() {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        client(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(
                    IntStream.range(0, PARTITIONS)
                            .mapToObj(partition -> new TopicPartition(TOPIC, partition))
                            .toList());
            while (!isClosed) {
                consumer.poll(Duration.ofMillis(200))
                        .forEach(
                                each ->
                                        ledger.take(
                                                new String(each.value(), StandardCharsets.UTF_8)));
            }
        }
    }

    @Override
    public Kind kind() {
        return Kind.KAFKA;
    }

    @Override
    public String settings() {
        return """
                type = kafka, brokers = "127.0.0.1:%d", topic = %s, tls = false,
                allow-loopback = true
                """
                .formatted(port, TOPIC);
    }

    @Override
    public void up() throws IOException {
        process.start();
    }

    @Override
    public void down() {
        process.kill();
    }

    @Override
    public EventLedger ledger() {
        return ledger;
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.kill();
    }
}
