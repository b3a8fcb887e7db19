package io.volute.server.notification;

import io.volute.adminapi.tls.Authorities;
import io.volute.server.config.targets.TargetConfig;
import io.volute.server.config.targets.TargetConfig.Login;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.Addresses.Plain;
import io.volute.server.s3.notification.EventMessage;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A topic of a Kafka cluster. The key of a record is the subject of the message, so the messages
 * about one object are in one partition. All replicas in sync have a record before it counts as
 * delivered.
 *
 * <p>The order of a partition needs two things: one request at a time for each broker, and the end
 * of the producer at the first failure, before it sends the records behind the failed one.
 */
final class KafkaTarget implements Target {
    private static final int BATCH_BYTES = 256 * 1024;
    private static final long BUFFER_BYTES = 16L * 1024 * 1024;
    private static final int CONNECT_MILLIS = 5_000;
    private static final int REQUEST_MILLIS = 10_000;

    /** Time for a batch with all its retries, as for the request of a webhook. */
    private static final int DELIVERY_MILLIS = 30_000;

    private static final int LINGER_MILLIS = 1_000;
    private static final int RECONNECT_MILLIS = 500;
    private static final int RECONNECT_MOST_MILLIS = 5_000;

    private final TargetConfig.Kafka config;
    private final Addresses addresses;
    private final Function<Map<String, Object>, Producer<byte[], byte[]>> producers;

    // Of the sending thread.
    private final Set<String> checkedHosts = new HashSet<>();

    // Under the monitor.
    private Producer<byte[], byte[]> producer;
    private boolean isClosed;

    /**
     * @throws IOException when the certificates or the password cannot be used; the message names
     *     the reason
     */
    KafkaTarget(TargetConfig.Kafka config, Addresses.Resolver resolver) throws IOException {
        this(
                config,
                resolver,
                settings ->
                        new KafkaProducer<>(
                                settings, new ByteArraySerializer(), new ByteArraySerializer()));
    }

    /**
     * @param producers creates a producer of these settings
     */
    KafkaTarget(
            TargetConfig.Kafka config,
            Addresses.Resolver resolver,
            Function<Map<String, Object>, Producer<byte[], byte[]>> producers)
            throws IOException {
        this.config = config;
        this.producers = producers;
        this.addresses = new Addresses(resolver, config.brokers().isLoopbackAllowed(), Plain.NEVER);
        // A bad file should fail the start, not the first delivery.
        security();
    }

    @Override
    public Sent send(List<EventMessage> messages) {
        Attempt attempt = new Attempt(messages.size());
        try {
            Producer<byte[], byte[]> open = opened();
            checkBrokers(open);
            attempt.send(open, messages);
        } catch (IOException | KafkaException | IllegalStateException e) {
            attempt.failed(e);
        }
        if (attempt.failure().isPresent()) {
            discard();
        }
        return attempt.sent();
    }

    /** The records of one call. The thread of the producer reports their ends. */
    private final class Attempt {
        private final BitSet done;
        private Exception failure;

        Attempt(int count) {
            this.done = new BitSet(count);
        }

        void send(Producer<byte[], byte[]> open, List<EventMessage> messages) {
            for (int i = 0; i < messages.size() && failure().isEmpty(); i++) {
                int place = i;
                Future<?> unused =
                        open.send(
                                record(messages.get(i)),
                                (metadata, e) -> {
                                    if (e == null) {
                                        succeeded(place);
                                    } else {
                                        failed(e);
                                        // Within the producer's thread: it sends nothing behind
                                        // this.
                                        open.close(Duration.ZERO);
                                    }
                                });
            }
            open.flush();
        }

        private synchronized void succeeded(int place) {
            done.set(place);
        }

        synchronized void failed(Exception e) {
            if (failure == null) {
                failure = e;
            }
        }

        synchronized Optional<Exception> failure() {
            return Optional.ofNullable(failure);
        }

        synchronized Sent sent() {
            return new Sent((BitSet) done.clone(), failure().map(KafkaTarget.this::described));
        }
    }

    private IOException described(Exception e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        String reason =
                e.getMessage()
                        + (cause == e || cause.getMessage() == null
                                ? ""
                                : ": " + cause.getMessage());
        return new IOException(
                "topic "
                        + config.topic()
                        + " of "
                        + String.join(",", config.brokers().addresses())
                        + ": "
                        + reason
                        + (e instanceof TimeoutException
                                ? "; check that the brokers can be reached, and that the topic"
                                        + " exists"
                                : ""),
                e);
    }

    private ProducerRecord<byte[], byte[]> record(EventMessage message) {
        return new ProducerRecord<>(
                config.topic(),
                message.subject().getBytes(StandardCharsets.UTF_8),
                message.document());
    }

    /** Checks the addresses of the brokers that the cluster names, before they get a message. */
    private void checkBrokers(Producer<byte[], byte[]> open) throws IOException {
        for (PartitionInfo partition : open.partitionsFor(config.topic())) {
            for (Node each : partition.replicas()) {
                // A broker that is down may have no host here.
                if (!each.host().isEmpty() && !checkedHosts.contains(each.host())) {
                    addresses.ofHost(each.host(), "the broker " + each.host());
                    checkedHosts.add(each.host());
                }
            }
        }
    }

    private synchronized Producer<byte[], byte[]> opened() throws IOException {
        if (isClosed) {
            throw new IOException("the delivery has ended");
        }
        if (producer == null) {
            checkedHosts.clear();
            producer = producers.apply(settings());
        }
        return producer;
    }

    private Map<String, Object> settings() throws IOException {
        Map<String, Object> settings = security();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap());
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, "volute-" + config.name());
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        // A flush sends: one request for many records.
        settings.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MILLIS);
        settings.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, REQUEST_MILLIS);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
        settings.put(CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, CONNECT_MILLIS);
        settings.put(
                CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, REQUEST_MILLIS);
        settings.put(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, RECONNECT_MILLIS);
        settings.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_MOST_MILLIS);
        // The server has metrics of its own, and sends them to nobody.
        settings.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        settings.put(ProducerConfig.METRIC_REPORTER_CLASSES_CONFIG, "");
        return settings;
    }

    /** Returns the brokers with a known address. A forbidden address fails. */
    private List<String> bootstrap() throws IOException {
        List<String> known = new ArrayList<>();
        for (String each : config.brokers().addresses()) {
            try {
                addresses.ofHost(each.substring(0, each.lastIndexOf(':')), "the broker " + each);
                known.add(each);
            } catch (UnknownHostException e) {
                // Others may be known.
            }
        }
        if (known.isEmpty()) {
            throw new IOException("the names of the brokers have no address; check brokers");
        }
        return known;
    }

    private Map<String, Object> security() throws IOException {
        Map<String, Object> settings = new HashMap<>();
        boolean isTls = config.brokers().isTls();
        Optional<Login> login = config.login();
        SecurityProtocol plain =
                login.isPresent() ? SecurityProtocol.SASL_PLAINTEXT : SecurityProtocol.PLAINTEXT;
        SecurityProtocol secured =
                login.isPresent() ? SecurityProtocol.SASL_SSL : SecurityProtocol.SSL;
        settings.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, (isTls ? secured : plain).name);
        Optional<Path> authorities = config.brokers().authorities();
        if (authorities.isPresent()) {
            Authorities.trusted("ca-file", authorities);
            settings.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
            settings.put(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, authorities.get().toString());
        }
        if (login.isPresent()) {
            settings.put(SaslConfigs.SASL_MECHANISM, config.mechanism());
            settings.put(SaslConfigs.SASL_JAAS_CONFIG, jaas(login.get()));
        }
        return settings;
    }

    private String jaas(Login login) throws IOException {
        String module =
                config.mechanism().equals("PLAIN")
                        ? "org.apache.kafka.common.security.plain.PlainLoginModule"
                        : "org.apache.kafka.common.security.scram.ScramLoginModule";
        return module
                + " required username="
                + quoted(login.user())
                + " password="
                + quoted(SecretFile.line("the password file", login.passwordFile()))
                + ";";
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private void discard() {
        Producer<byte[], byte[]> old;
        synchronized (this) {
            old = producer;
            producer = null;
        }
        if (old != null) {
            old.close(Duration.ZERO);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
        }
        discard();
    }
}
