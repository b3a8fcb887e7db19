package io.volute.server.config;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import io.volute.server.config.key.ValueType;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The replication to other servers.
 *
 * @param targets that configurations of buckets can name
 */
public record ReplicationConfig(List<Target> targets) {
    /** The name that stands for this store. */
    public static final String LOCAL = "local";

    /** The names of targets; with a prefix they are names of consumers in the outbox. */
    public static final String NAME = "[A-Za-z0-9][A-Za-z0-9_-]{0,40}";

    public ReplicationConfig {
        targets = List.copyOf(targets);
    }

    /** Returns the names of the targets. */
    public Set<String> names() {
        return targets.stream().map(Target::name).collect(Collectors.toUnmodifiableSet());
    }

    /** The protocol of a target. */
    public enum Type {
        /** Another Volute: each change finds the replica of its version. */
        VOLUTE,
        /** Any server of S3, which knows nothing of replicas. */
        S3
    }

    /**
     * A server that takes replicas.
     *
     * @param endpoint scheme, host and perhaps a port
     * @param region for signatures
     * @param credentialFile a private file: access key, a colon and the secret key
     * @param authorities PEM file of the certificates that TLS trusts; empty: those of Java
     * @param isLoopbackAllowed whether the host may be this machine
     * @param isPlainAllowed whether the endpoint may be {@code http}
     */
    public record Target(
            String name,
            Type type,
            URI endpoint,
            String region,
            Path credentialFile,
            Optional<Path> authorities,
            boolean isLoopbackAllowed,
            boolean isPlainAllowed) {}

    /** Reads the targets of replication in the configuration file. */
    static final class TargetList {
        private static final int MOST_TARGETS = 64;
        private static final String ENDPOINT =
                "https?://(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\\[[0-9A-Fa-f:.]{2,45}\\])"
                        + "(?::[0-9]{1,5})?/?";

        private static final List<String> FIELDS =
                List.of(
                        "name",
                        "type",
                        "endpoint",
                        "region",
                        "credential-file",
                        "ca-file",
                        "allow-loopback",
                        "allow-http");

        private final String where;
        private final List<String> problems;

        TargetList(String where, List<String> problems) {
            this.where = where;
            this.problems = problems;
        }

        List<Target> read(ConfigList list) {
            List<Target> targets = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (ConfigValue value : list) {
                if (value instanceof ConfigObject object) {
                    Optional<Target> target = target(object);
                    target.ifPresent(targets::add);
                    if (target.isPresent() && !names.add(target.get().name())) {
                        problem("the name " + target.get().name() + " is there twice");
                    }
                } else {
                    problem("write a list of { name = ..., endpoint = ... }");
                }
            }
            if (targets.size() > MOST_TARGETS) {
                problem(targets.size() + " targets; write at most " + MOST_TARGETS);
            }
            return targets;
        }

        private void problem(String what) {
            problems.add(Keys.REPLICATION_TARGETS.name() + " in " + where + ": " + what);
        }

        private Optional<Target> target(ConfigObject object) {
            int before = problems.size();
            object.keySet().stream()
                    .filter(field -> !FIELDS.contains(field))
                    .forEach(
                            field ->
                                    problem(
                                            "unknown key "
                                                    + field
                                                    + SpellingAdvice.advice(field, FIELDS)));
            String name =
                    required(
                            object,
                            "name",
                            ValueType.matching("a name of 1 to 41 letters, digits, - and _", NAME));
            if (name.equals(LOCAL)) {
                problem("the name local stands for this store; write another");
            }
            String endpoint =
                    required(object, "endpoint", ValueType.matching("https://HOST", ENDPOINT));
            boolean isPlainAllowed = isTrue(object, "allow-http");
            if (endpoint.startsWith("http:") && !isPlainAllowed) {
                problem(
                        name
                                + " has the endpoint "
                                + endpoint
                                + "; write https, or allow-http = true if the network between is"
                                + " trusted");
            }
            String address = endpoint.replaceFirst("/$", "");
            String credentials = required(object, "credential-file", ValueType.text());
            Type type = field(object, "type", ValueType.oneOf(Type.class)).orElse(Type.VOLUTE);
            String region = field(object, "region", ValueType.region()).orElse("us-east-1");
            Optional<Path> authorities =
                    field(object, "ca-file", ValueType.path()).map(Path::toAbsolutePath);
            boolean isLoopbackAllowed = isTrue(object, "allow-loopback");
            if (problems.size() > before) {
                return Optional.empty();
            }
            URI uri = URI.create(address);
            if (uri.getHost() == null) {
                problem(name + " has the endpoint " + endpoint + ", which names no host");
                return Optional.empty();
            }
            return Optional.of(
                    new Target(
                            name,
                            type,
                            uri,
                            region,
                            Path.of(credentials).toAbsolutePath(),
                            authorities,
                            isLoopbackAllowed,
                            isPlainAllowed));
        }

        private boolean isTrue(ConfigObject object, String name) {
            return field(object, name, ValueType.FLAG).filter(Boolean::booleanValue).isPresent();
        }

        private String required(ConfigObject object, String name, ValueType<String> type) {
            if (!object.containsKey(name)) {
                problem("a target has no " + name + "; write " + type.expects());
            }
            return field(object, name, type).orElse("");
        }

        private <T> Optional<T> field(ConfigObject object, String name, ValueType<T> type) {
            ConfigValue value = object.get(name);
            if (value == null) {
                return Optional.empty();
            }
            Optional<T> parsed = type.parser().parse(String.valueOf(value.unwrapped()));
            if (parsed.isEmpty()) {
                problem(name + " is \"" + value.unwrapped() + "\"; write " + type.expects());
            }
            return parsed;
        }
    }
}
