package io.volute.server.oidc;

import io.volute.adminapi.tls.Authorities;
import io.volute.server.LogText;
import io.volute.server.config.OidcConfig;
import io.volute.server.outbound.Addresses;
import io.volute.server.query.QueryException;
import java.io.IOException;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The provider's keys, fetched when a token needs them. Callers without a credential cause these
 * fetches, so there is one at a time, and at most one a minute while keys are known. Thread-safe.
 */
final class ProviderKeys {
    private static final Logger LOG = LoggerFactory.getLogger(ProviderKeys.class);

    /** Older keys are fetched again, so that a key that the provider withdraws ends here. */
    private static final Duration FRESH = Duration.ofMinutes(15);

    /** Keys are used so long when the provider cannot be reached. */
    private static final Duration LONGEST = Duration.ofHours(24);

    private static final Duration PAUSE = Duration.ofMinutes(1);

    /** Pause between attempts while no keys are known: each caller gets an error meanwhile. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

    private final OidcConfig config;
    private final SSLSocketFactory tls;
    private final Addresses.Resolver resolver;
    private final InstantSource clock;
    private final ReentrantLock fetching = new ReentrantLock();
    private Instant lastAttempt = Instant.MIN;
    private volatile Optional<Known> known = Optional.empty();

    private record Known(KeySet keys, Instant fetched) {
        private boolean isYounger(Duration age, Instant now) {
            return now.isBefore(fetched.plus(age));
        }
    }

    ProviderKeys(OidcConfig config, InstantSource clock) throws IOException {
        this(config, clock, Addresses.Resolver.OF_SYSTEM);
    }

    ProviderKeys(OidcConfig config, InstantSource clock, Addresses.Resolver resolver)
            throws IOException {
        this.config = config;
        this.clock = clock;
        this.resolver = resolver;
        this.tls =
                Authorities.trusted("identity.oidc.ca-file", config.authorities())
                        .getSocketFactory();
    }

    /**
     * Finds the key of a token.
     *
     * @throws QueryException IDPCommunicationError when no keys are known
     */
    Optional<PublicKey> find(Optional<String> id, TokenAlgorithm algorithm) {
        Optional<Known> before = usable();
        Optional<PublicKey> found = before.flatMap(each -> each.keys().find(id, algorithm));
        if (found.isPresent() && before.get().isYounger(FRESH, clock.instant())) {
            return found;
        }
        if (found.isEmpty()) {
            fetching.lock();
        } else if (!fetching.tryLock()) {
            return found;
        }
        try {
            refresh();
        } finally {
            fetching.unlock();
        }
        return usable().orElseThrow(
                        () ->
                                new QueryException(
                                        400,
                                        "IDPCommunicationError",
                                        "The keys of the provider "
                                                + config.issuer()
                                                + " cannot be fetched: see the log of the server."))
                .keys()
                .find(id, algorithm);
    }

    private Optional<Known> usable() {
        return known.filter(each -> each.isYounger(LONGEST, clock.instant()));
    }

    private void refresh() {
        Instant now = clock.instant();
        Duration pause = usable().isPresent() ? PAUSE : FIRST_PAUSE;
        if (!lastAttempt.equals(Instant.MIN) && now.isBefore(lastAttempt.plus(pause))) {
            return;
        }
        lastAttempt = now;
        try {
            known = Optional.of(new Known(KeyFetch.run(config, tls, resolver), now));
        } catch (IOException e) {
            LOG.warn(
                    "cannot fetch the keys of identity.oidc.issuer {}: {}",
                    config.issuer(),
                    LogText.of(String.valueOf(e.getMessage())));
        }
    }
}
