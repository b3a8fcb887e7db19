package io.volute.server.config;

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
        String address = from.get(Keys.VAULT_ADDRESS);
        if (from.get(Keys.KMS) == Service.EMBEDDED) {
            if (!address.isEmpty()) {
                from.problem("encryption.vault.address is set: write encryption.kms = vault, too");
            }
            return Optional.empty();
        }
        Optional<Login> login = login(from);
        URI uri = URI.create(address);
        if (login.isEmpty()) {
            return Optional.empty();
        }
        boolean isLoopback = uri.getHost() != null && uri.getHost().matches("127\\..*|\\[::1]");
        if (uri.getHost() == null || !"https".equals(uri.getScheme()) && !isLoopback) {
            from.problem(
                    "encryption.vault.address is \""
                            + address
                            + "\"; write https and a host, such as https://vault.example.com:8200,"
                            + " or http and a loopback address");
            return Optional.empty();
        }
        String prefix = from.get(Keys.VAULT_PREFIX);
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
        String namespace = from.get(Keys.VAULT_NAMESPACE);
        return Optional.of(
                new VaultConfig(
                        uri,
                        from.get(Keys.VAULT_MOUNT),
                        prefix,
                        Optional.of(namespace).filter(text -> !text.isEmpty()),
                        login.get(),
                        from.get(Keys.VAULT_CA).map(Path::toAbsolutePath),
                        from.get(Keys.VAULT_CACHE)));
    }

    private static Optional<Login> login(ConfigSource from) {
        Optional<Path> token = from.get(Keys.VAULT_TOKEN).map(Path::toAbsolutePath);
        Optional<Path> secret = from.get(Keys.VAULT_SECRET).map(Path::toAbsolutePath);
        String role = from.get(Keys.VAULT_ROLE);
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
}
