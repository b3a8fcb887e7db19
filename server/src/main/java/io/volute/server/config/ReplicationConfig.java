package io.volute.server.config;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.ValueType;
import java.net.URI;
import java.nio.file.Path;
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

    /** The fields of a target, which {@link ConfigSource} reads from the configuration file. */
    static final class TargetFields {
        private static final String ENDPOINT_FORM =
                "https?://(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\\[[0-9A-Fa-f:.]{2,45}\\])"
                        + "(?::[0-9]{1,5})?/?";

        static final Key.Section SECTION = new Key.Section("any");

        private static final Key<String> TARGET =
                SECTION.field(
                        "name",
                        "",
                        ValueType.matching("a name of 1 to 41 letters, digits, - and _", NAME),
                        "Name of the target; not `local`.");
        private static final Key<String> ENDPOINT =
                SECTION.field(
                        "endpoint",
                        "",
                        ValueType.matching("https://HOST:PORT", ENDPOINT_FORM),
                        "Address of the server.");
        private static final Key<Path> CREDENTIALS =
                SECTION.field(
                        "credential-file",
                        "",
                        ValueType.path(),
                        "File (mode 0600) with `ACCESSKEY:SECRETKEY`. The server reads it for each"
                                + " request.");
        private static final Key<Type> TYPE =
                SECTION.field(
                        "type",
                        "volute",
                        ValueType.oneOf(Type.class),
                        "Kind of the server: `volute`, or `s3` for others.");
        private static final Key<String> REGION =
                SECTION.field(
                        "region", "us-east-1", ValueType.region(), "Region of the signatures.");
        private static final Key<Optional<Path>> CA =
                SECTION.field(
                        "ca-file",
                        "",
                        ValueType.pathOrNone("the path of a file"),
                        "PEM file of the certificates that TLS trusts. Without it, the authorities"
                                + " of Java.");
        private static final Key<Boolean> LOOPBACK =
                SECTION.field(
                        "allow-loopback",
                        "false",
                        ValueType.FLAG,
                        "`true` allows a loopback address.");
        private static final Key<Boolean> PLAIN =
                SECTION.field(
                        "allow-http",
                        "false",
                        ValueType.FLAG,
                        "`true` allows `http`: everyone on the way can read the objects.");

        private static final URI UNUSABLE = URI.create("https://unusable.invalid");

        private TargetFields() {}

        /** Reads a target. */
        static Optional<Target> read(ObjectList.Element from) {
            from.accept(List.of(SECTION));
            String name = from.get(TARGET, "");
            if (name.equals(LOCAL)) {
                from.problem("the name local stands for this store; write another");
            }
            String endpoint = from.get(ENDPOINT, "");
            boolean isPlainAllowed = from.get(PLAIN);
            if (endpoint.startsWith("http:") && !isPlainAllowed) {
                from.problem(
                        name
                                + " has the endpoint "
                                + endpoint
                                + "; write https, or allow-http = true if the network between is"
                                + " trusted");
            }
            Optional<URI> uri = ValueType.withHost(endpoint.replaceFirst("/$", ""));
            if (!endpoint.isEmpty() && uri.isEmpty()) {
                from.problem(name + " has the endpoint " + endpoint + ", which names no host");
            }
            Target target =
                    new Target(
                            name,
                            from.get(TYPE),
                            uri.orElse(UNUSABLE),
                            from.get(REGION),
                            from.get(CREDENTIALS, Path.of("unusable")).toAbsolutePath(),
                            from.get(CA).map(Path::toAbsolutePath),
                            from.get(LOOPBACK),
                            isPlainAllowed);
            return Optional.of(target);
        }
    }
}
