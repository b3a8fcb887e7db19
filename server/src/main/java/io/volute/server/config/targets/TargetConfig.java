package io.volute.server.config.targets;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A target of event notifications in the settings. */
public sealed interface TargetConfig {
    /** Returns the name, which is part of the ARN. */
    String name();

    /** Returns the type, which is part of the ARN. */
    String type();

    /**
     * A server that takes messages by HTTP.
     *
     * @param tokenFile a private file with the bearer token
     * @param authorities PEM file of the certificates that TLS trusts; empty: those of Java
     * @param isLoopbackAllowed whether the host may be this machine
     * @param isPlainAllowed whether the address may be {@code http}
     */
    record Webhook(
            String name,
            URI url,
            Optional<Path> tokenFile,
            Optional<Path> authorities,
            boolean isLoopbackAllowed,
            boolean isPlainAllowed)
            implements TargetConfig {
        @Override
        public String type() {
            return "webhook";
        }
    }

    /**
     * A file with one message a line.
     *
     * @param path absolute
     * @param rotateBytes size from which on the file is renamed, and a new one begun
     */
    record File(String name, Path path, long rotateBytes) implements TargetConfig {
        @Override
        public String type() {
            return "file";
        }
    }

    /**
     * A topic of a Kafka cluster.
     *
     * @param mechanism of SASL; without meaning if there is no login
     */
    record Kafka(
            String name, Servers brokers, String topic, Optional<Login> login, String mechanism)
            implements TargetConfig {
        @Override
        public String type() {
            return "kafka";
        }
    }

    /**
     * A subject of NATS that a stream of JetStream stores.
     *
     * @param credentials a private file with a token of NATS and its key, as nsc writes it
     * @param tokenFile a private file with a token
     */
    record Nats(
            String name,
            Servers servers,
            String subject,
            Optional<Login> login,
            Optional<Path> credentials,
            Optional<Path> tokenFile)
            implements TargetConfig {
        @Override
        public String type() {
            return "nats";
        }
    }

    /**
     * The servers of a message broker.
     *
     * @param addresses as HOST:PORT
     * @param isTls whether connections are encrypted, and the servers authenticated
     * @param authorities PEM file of the certificates that TLS trusts; empty: those of Java
     * @param isLoopbackAllowed whether a host may be this machine
     */
    record Servers(
            List<String> addresses,
            boolean isTls,
            Optional<Path> authorities,
            boolean isLoopbackAllowed) {
        public Servers {
            addresses = List.copyOf(addresses);
        }
    }

    /** A user, and a private file with the password. */
    record Login(String user, Path passwordFile) {}
}
