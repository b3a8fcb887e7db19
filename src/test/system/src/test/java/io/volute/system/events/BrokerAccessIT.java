package io.volute.system.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Brokers with TLS and a login: no event reaches one whose certificate is of another host, or that
 * refuses the password. A new password needs no restart of the server.
 */
class BrokerAccessIT {
    private static final String PASSWORD = "s3cret-of-Brokers";
    private static final long WAIT_SECONDS = 120;

    @Test
    void kafkaHasTlsAndALogin() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("kafka")) {
            Certificate certificate = Certificate.create(work.path());
            int port = ServerProcess.freePort();
            List<String> more =
                    List.of(
                            "listeners=SASL_SSL://127.0.0.1:" + port,
                            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,"
                                    + "CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL",
                            "sasl.enabled.mechanisms=PLAIN",
                            "listener.name.sasl_ssl.plain.sasl.jaas.config="
                                    + "org.apache.kafka.common.security.plain.PlainLoginModule"
                                    + " required user_volute=\""
                                    + PASSWORD
                                    + "\";",
                            "ssl.keystore.type=PEM",
                            "ssl.keystore.location=" + certificate.both());
            try (KafkaBroker broker = new KafkaBroker(work.path(), more)) {
                String settings =
                        "type = kafka, brokers = \"HOST:"
                                + port
                                + "\", mechanism = PLAIN, topic = "
                                + KafkaBroker.TOPIC;
                isReachedWithItsCertificateAndLogin(
                        work, broker, settings, certificate, "Authentication failed");
            }
        }
    }

    @Test
    void natsHasTlsAndALogin() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("nats")) {
            Certificate certificate = Certificate.create(work.path());
            String more =
                    """
                    tls { cert_file: "%s", key_file: "%s" }
                    authorization { user: volute, password: "%s" }
                    """
                            .formatted(certificate.chain(), certificate.key(), PASSWORD);
            try (NatsServer broker = new NatsServer(work.path(), more, "volute", PASSWORD)) {
                String settings =
                        "type = nats, servers = \"HOST:"
                                + broker.port()
                                + "\", subject = "
                                + NatsServer.SUBJECT;
                isReachedWithItsCertificateAndLogin(
                        work, broker, settings, certificate, "Authorization Violation");
            }
        }
    }

    private static void isReachedWithItsCertificateAndLogin(
            TemporaryStore work,
            EventTarget broker,
            String settings,
            Certificate certificate,
            String refusal)
            throws Exception {
        Path password = Files.writeString(work.path().resolve("password"), "wrong");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
        String all =
                settings
                        + ", user = volute, password-file = \"%s\", ca-file = \"%s\","
                                .formatted(password, certificate.chain())
                        + " allow-loopback = true";
        String version;
        try (ServerProcess server =
                ServerProcess.start(
                        NotificationIT.options(work, all.replace("HOST", "localhost")))) {
            NotificationIT.configure(server, broker.kind());
            version = NotificationIT.put(server);
            awaitLog(server, "No name matching localhost");
            assertThat(server.stop()).as(server.log()).isZero();
        }
        try (ServerProcess server =
                ServerProcess.start(
                        NotificationIT.options(work, all.replace("HOST", "127.0.0.1")))) {
            awaitLog(server, refusal);
            assertThat(broker.ledger().received()).isZero();
            Files.writeString(password, PASSWORD);
            assertThat(broker.ledger().missing(Set.of(version), WAIT_SECONDS))
                    .as(server.log())
                    .isEmpty();
            assertThat(server.stop()).as(server.log()).isZero();
        }
    }

    /** Waits for the report of a failed delivery. */
    private static void awaitLog(ServerProcess server, String reason) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (failures(server).noneMatch(line -> line.contains(reason))) {
            assertThat(System.nanoTime()).as("%s: %s", reason, server.log()).isLessThan(end);
            BrokerProcess.pause();
        }
    }

    private static Stream<String> failures(ServerProcess server) {
        return server.log().lines().filter(line -> line.contains("Cannot deliver notifications"));
    }
}
