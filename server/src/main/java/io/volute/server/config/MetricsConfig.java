package io.volute.server.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The settings of the metrics endpoint.
 *
 * @param listen address of the listener for metrics alone; empty disables metrics
 * @param tokenFile file with the token that requests must carry; empty when none is required
 */
public record MetricsConfig(Optional<InetSocketAddress> listen, Optional<Path> tokenFile) {}
