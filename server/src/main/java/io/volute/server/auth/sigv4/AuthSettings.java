package io.volute.server.auth.sigv4;

import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * The settings of authentication.
 *
 * @param region that the scope of signatures must name
 * @param clock of the server
 * @param unsignedPayloadOverHttp setting {@code auth.allow-unsigned-payload-over-http}:
 *     header-signed requests may leave their body unsigned without TLS
 * @param timer called when an authentication begins; its result is run when the authentication ends
 * @param failures slows callers with too many failures; shared by all authenticators of a server
 */
public record AuthSettings(
        String region,
        InstantSource clock,
        boolean unsignedPayloadOverHttp,
        Supplier<Runnable> timer,
        FailedSignatures failures) {
    /** A timer that measures nothing. */
    public static final Supplier<Runnable> UNTIMED = () -> () -> {};

    /** Untimed, and never slowed. */
    public AuthSettings(String region, InstantSource clock, boolean unsignedPayloadOverHttp) {
        this(region, clock, unsignedPayloadOverHttp, UNTIMED, FailedSignatures.unlimited());
    }
}
