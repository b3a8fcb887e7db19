package io.volute.server.startup;

import io.volute.server.ResourceStack;
import io.volute.server.config.ServerConfig;
import io.volute.server.credentials.RootCredentials.Root;
import io.volute.server.tracing.Tracing;
import io.volute.storage.io.FileSystem;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What all parts of a starting server need.
 *
 * @param hasUpkeep whether the history ages, and lifecycle rules and deliveries run
 * @param nanos the clock of durations
 * @param root the credential of the root user
 * @param resources closes what a part opens, in reverse
 */
record StartContext(
        ServerConfig config,
        ServerRole role,
        boolean hasUpkeep,
        FileSystem files,
        InstantSource clock,
        LongSupplier nanos,
        SecureRandom random,
        Optional<Tracing> tracing,
        ServerRole.Place place,
        Root root,
        ResourceStack resources) {}
