package io.volute.server.config;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.ValueType;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The Transit engine of HashiCorp Vault or OpenBao that has the named keys.
 *
 * @param address of the service: scheme, host and perhaps a port
 * @param mount path of the engine
 * @param prefix stands before the names of keys there
 * @param namespace empty for the root namespace
 * @param login how this server proves who it is
 * @param authorities PEM file of the certificates that TLS trusts; empty: those of Java
 * @param cache how long a decrypted text is kept; zero: not at all
 */
public record VaultConfig(
        URI address,
        String mount,
        String prefix,
        Optional<String> namespace,
        Login login,
        Optional<Path> authorities,
        Duration cache) {
    /** The form of names in the engine. */
    private static final String NAME = "[A-Za-z0-9_]([A-Za-z0-9_.-]{0,254}[A-Za-z0-9_])?";

    /** The way to a token. */
    public sealed interface Login {}

    /** A token in a file, which somebody may replace while the server runs. */
    public record TokenFile(Path file) implements Login {}

    /** The AppRole method; the file has the secret id. */
    public record AppRole(String roleId, Path secretIdFile) implements Login {}

    /** The services that can have named keys. */
    enum Service {
        EMBEDDED,
        VAULT
    }

    static ValueType<String> pathType() {
        return ValueType.matching(
                "a path such as transit or a/b, without a slash at its ends",
                "|[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}(/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}){0,7}");
    }

    static ValueType<String> prefixType() {
        return ValueType.matching("letters, digits, _, . and -", "[A-Za-z0-9_.-]{0,64}");
    }

    static ValueType<Duration> cacheType() {
        return ValueType.zeroOr(
                Duration.ZERO, ValueType.duration(Duration.ofSeconds(1), Duration.ofHours(1)));
    }

    /** Reads the settings; empty when the keyring has the keys, or when a setting is wrong. */
    static Optional<VaultConfig> of(ConfigSource from) {
        String address = from.get(VaultKeys.ADDRESS);
        if (from.get(Keys.KMS) == Service.EMBEDDED) {
            if (!address.isEmpty()) {
                from.problem("encryption.vault.address is set: write encryption.kms = vault, too");
            }
            return Optional.empty();
        }
        Optional<Login> login = login(from);
        Optional<URI> uri = ValueType.withHost(address);
        if (login.isEmpty()) {
            return Optional.empty();
        }
        boolean isLoopback = uri.isPresent() && uri.get().getHost().matches("127\\..*|\\[::1]");
        if (uri.isEmpty() || !"https".equals(uri.get().getScheme()) && !isLoopback) {
            from.problem(
                    "encryption.vault.address is \""
                            + address
                            + "\"; write https and a host, such as https://vault.example.com:8200,"
                            + " or http and a loopback address");
            return Optional.empty();
        }
        String prefix = from.get(VaultKeys.PREFIX);
        for (Key<List<String>> key : List.of(Keys.ENCRYPTION_KEYS, Keys.RESTRICTED_KEYS)) {
            for (String name : from.get(key)) {
                if (!(prefix + name).matches(NAME)) {
                    from.problem(
                            key.name()
                                    + " has the name "
                                    + name
                                    + ", which the Transit engine does not take: write letters,"
                                    + " digits, _, . and -");
                }
            }
        }
        String namespace = from.get(VaultKeys.NAMESPACE);
        return Optional.of(
                new VaultConfig(
                        uri.get(),
                        from.get(VaultKeys.MOUNT),
                        prefix,
                        Optional.of(namespace).filter(text -> !text.isEmpty()),
                        login.get(),
                        from.get(VaultKeys.CA).map(Path::toAbsolutePath),
                        from.get(VaultKeys.CACHE)));
    }

    private static Optional<Login> login(ConfigSource from) {
        Optional<Path> token = from.get(VaultKeys.TOKEN).map(Path::toAbsolutePath);
        Optional<Path> secret = from.get(VaultKeys.SECRET).map(Path::toAbsolutePath);
        String role = from.get(VaultKeys.ROLE);
        if (token.isPresent() && role.isEmpty() && secret.isEmpty()) {
            return Optional.of(new TokenFile(token.get()));
        }
        if (token.isEmpty() && !role.isEmpty() && secret.isPresent()) {
            return Optional.of(new AppRole(role, secret.get()));
        }
        from.problem(
                "encryption.kms = vault needs either encryption.vault.token-file, or"
                        + " encryption.vault.role-id and encryption.vault.secret-id-file");
        return Optional.empty();
    }

    /** The keys of the engine. */
    static final class VaultKeys {
        private VaultKeys() {}

        static final Key.Section SECTION = new Key.Section("vault");

        static final Key<String> ADDRESS =
                SECTION.add(
                        "encryption.vault.address",
                        "",
                        ValueType.server("https://vault.example.com:8200"),
                        "Address of the service; `http` for loopback addresses alone.",
                        "With `vault`.");
        static final Key<String> MOUNT =
                SECTION.add(
                        "encryption.vault.mount",
                        "transit",
                        pathType(),
                        "Path of the Transit engine.",
                        "If it is mounted at another path.");
        static final Key<String> PREFIX =
                SECTION.add(
                        "encryption.vault.prefix",
                        "",
                        prefixType(),
                        "Text before the names of keys in the engine.",
                        "If several servers share an engine.");
        static final Key<String> NAMESPACE =
                SECTION.add(
                        "encryption.vault.namespace",
                        "",
                        pathType(),
                        "Namespace of the service.",
                        "With Vault Enterprise or OpenBao namespaces.");
        static final Key<Optional<Path>> TOKEN =
                SECTION.file(
                        "encryption.vault.token-file",
                        "File with a token, mode 0600. It is read again when the token is refused.",
                        "With a token of an agent or operator.");
        static final Key<String> ROLE =
                SECTION.add(
                        "encryption.vault.role-id",
                        "",
                        ValueType.text(),
                        "Role id of the AppRole method.",
                        "In place of a token file.");
        static final Key<Optional<Path>> SECRET =
                SECTION.file(
                        "encryption.vault.secret-id-file",
                        "File with the secret id of the AppRole method, mode 0600.",
                        "With a role id.");
        static final Key<Optional<Path>> CA =
                SECTION.file(
                        "encryption.vault.ca-file",
                        "PEM file of the certificates that TLS trusts at the service. Without it,"
                                + " the authorities of Java.",
                        "For a private certificate authority.");
        static final Key<Duration> CACHE =
                SECTION.add(
                        "encryption.vault.cache",
                        "60s",
                        cacheType(),
                        "Time for which the server keeps a data key that the service has decrypted,"
                                + " at most 10,000 keys. `0` keeps none.",
                        "Lower, if a revoked key must end sooner.");
    }
}
