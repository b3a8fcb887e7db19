package io.volute.server.auth.sigv4;

import java.time.InstantSource;

/**
 * What authentication needs to know.
 *
 * @param region that the scope of signatures must name
 * @param clock of the server
 * @param unsignedPayloadOverHttp setting {@code auth.allow-unsigned-payload-over-http}:
 *     header-signed requests may leave their body unsigned without TLS
 */
public record AuthSettings(String region, InstantSource clock, boolean unsignedPayloadOverHttp) {}
