package io.volute.server.startup;

import io.volute.server.config.ServerConfig;
import io.volute.server.encryption.KeyService;
import io.volute.server.replication.Replication;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.notification.EventSettings;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.util.Optional;

/**
 * What requests need besides the store: their callers, the settings of S3, the service of named
 * keys, and the delivery to replicas, which writes on behalf of callers.
 */
record RequestParts(
        KnownCallers callers,
        Optional<KeyService> keys,
        S3Settings settings,
        Replication replication) {

    /**
     * Reads the users, connects to the service of keys and starts the delivery.
     *
     * @throws IOException when something cannot be used; the message names it and the next step
     */
    static RequestParts open(StartContext start, StoreParts stored) throws IOException {
        ServerConfig config = start.config();
        KnownCallers callers =
                KnownCallers.of(
                        config,
                        start.root().credential(),
                        start.place().system(),
                        start.role()::awaitUsers,
                        stored.master(),
                        start.random(),
                        start.clock());
        Optional<KeyService> keys = KeyServices.open(config, start.nanos(), start.resources());
        S3Settings settings =
                Protocols.settings(
                        config,
                        MasterKeys.encryption(config, stored.keyring(), keys),
                        new EventSettings(
                                config.notifications().types(),
                                config.replication().names(),
                                stored.streams()),
                        start.tracing(),
                        start.clock(),
                        start.random());
        Replication replication =
                start.hasUpkeep()
                        ? callers.replication(
                                config,
                                stored.store(),
                                start.place().files().identity(StoreCubes.SYSTEM).orElseThrow(),
                                settings)
                        : Replication.idle(stored.store(), start.clock());
        start.resources().add("replication", replication);
        return new RequestParts(callers, keys, settings, replication);
    }
}
