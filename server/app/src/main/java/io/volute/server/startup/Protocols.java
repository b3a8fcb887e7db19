package io.volute.server.startup;

import io.volute.server.ResourceStack;
import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.FailedSignatures;
import io.volute.server.config.ServerConfig;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.notification.EventSettings;
import io.volute.server.tracing.Tracing;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Makes the settings of the S3 protocol, and the tracing, from the settings of a server. */
public final class Protocols {
    private Protocols() {}

    /** Starts to trace requests, if the configuration enables it. */
    public static Optional<Tracing> tracing(
            ServerConfig config, InstantSource clock, LongSupplier nanos, ResourceStack resources)
            throws IOException {
        return config.tracing().isEmpty()
                ? Optional.empty()
                : Optional.of(
                        resources.add(
                                "tracing", Tracing.start(config.tracing().get(), nanos, clock)));
    }

    /**
     * Returns the settings of a server that starts.
     *
     * @param tracing times requests; empty when nothing is traced
     */
    public static S3Settings settings(
            ServerConfig config,
            Encryption encryption,
            EventSettings events,
            Optional<Tracing> tracing,
            InstantSource clock,
            SecureRandom random) {
        return new S3Settings(
                config.protocol().region(),
                config.protocol().domains(),
                clock,
                config.protocol().unsignedPayloadOverHttp(),
                tracing.<Supplier<Runnable>>map(on -> on::authentication)
                        .orElse(AuthSettings.UNTIMED),
                new FailedSignatures(random.nextLong()),
                config.protocol().signatureV2(),
                encryption,
                config.protocol().ownership(),
                config.protocol().listsReadable(),
                config.protocol().bucketsOfUserMax(),
                events,
                new AtomicLong());
    }
}
