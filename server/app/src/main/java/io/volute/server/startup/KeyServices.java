package io.volute.server.startup;

import io.volute.server.ResourceStack;
import io.volute.server.Upkeep;
import io.volute.server.config.ServerConfig;
import io.volute.server.config.VaultConfig;
import io.volute.server.encryption.CachingKeyService;
import io.volute.server.encryption.KeyService;
import io.volute.server.encryption.VaultKeys;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Opens the key service of the settings. */
public final class KeyServices {
    private static final Duration USUAL = Duration.ofSeconds(30);
    private static final Upkeep.Pauses PAUSES = new Upkeep.Pauses(Duration.ZERO, USUAL, USUAL);

    private KeyServices() {}

    /**
     * Returns the key service; empty if the keyring has all keys. A service that does not answer
     * does not prevent the start.
     *
     * @param nanos a clock that only goes forward
     * @throws IOException if a file of the settings cannot be used; the message names the reason
     */
    public static Optional<KeyService> open(
            ServerConfig config, LongSupplier nanos, ResourceStack resources) throws IOException {
        Optional<VaultConfig> vault = config.protocol().vault();
        if (vault.isEmpty()) {
            return Optional.empty();
        }
        List<String> names = new ArrayList<>(config.protocol().encryptionKeys());
        names.addAll(config.protocol().restrictedKeys());
        VaultKeys keys =
                resources.add(
                        "key service",
                        new VaultKeys(vault.get(), names, nanos, VaultKeys.CALL_TIME));
        resources.add("key service upkeep", Upkeep.start("key-service", PAUSES, keys::look));
        return Optional.of(new CachingKeyService(keys, vault.get().cache(), nanos));
    }
}
