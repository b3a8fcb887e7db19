package io.volute.server.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Who is told metrics.
 *
 * @param listen address of a listener for them alone; empty: nobody
 * @param tokenFile has the token that must be shown; empty: none must
 */
public record MetricsConfig(Optional<InetSocketAddress> listen, Optional<Path> tokenFile) {}
