package io.volute.server.config;

import io.volute.server.http.HttpSettings;
import io.volute.server.http.HttpSettings.BodyRate;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.http.HttpSettings.TlsFiles;
import io.volute.server.http.Proxies;
import java.nio.file.Path;
import java.util.Optional;

/** Settings of the HTTP layer from keys. */
final class HttpConfig {
    private HttpConfig() {}

    static HttpSettings of(ConfigSource source) {
        return new HttpSettings(
                source.get(Keys.LISTEN),
                tls(source),
                caps(source),
                timeouts(source),
                new Proxies(source.get(Keys.TRUSTED_PROXIES), source.get(Keys.CLIENT_ADDRESS)));
    }

    private static Optional<TlsFiles> tls(ConfigSource source) {
        Optional<Path> certificate = source.get(Keys.CERTIFICATE);
        Optional<Path> key = source.get(Keys.TLS_KEY);
        if (certificate.isPresent() != key.isPresent()) {
            source.problem(
                    "tls.certificate and tls.key belong together: write both, or none for plain"
                            + " HTTP");
        }
        return certificate.flatMap(chain -> key.map(file -> new TlsFiles(chain, file)));
    }

    private static Caps caps(ConfigSource source) {
        return new Caps(
                Math.toIntExact(source.get(Keys.CONNECTIONS)),
                Math.toIntExact(source.get(Keys.CONNECTIONS_PER_ADDRESS)),
                Math.toIntExact(source.get(Keys.REQUESTS)),
                Math.toIntExact(source.get(Keys.REQUESTS_PER_ADDRESS)),
                source.get(Keys.BUFFERS),
                Math.toIntExact(
                        Math.min(source.get(Keys.REQUESTS), source.get(Keys.UNAUTHENTICATED))),
                source.get(Keys.REQUEST_MEMORY));
    }

    private static Timeouts timeouts(ConfigSource source) {
        return new Timeouts(
                source.get(Keys.HANDSHAKE_TIME),
                source.get(Keys.HEADER_TIME),
                source.get(Keys.IDLE_TIME),
                source.get(Keys.BODY_TIME),
                source.get(Keys.WRITE_TIME),
                new BodyRate(source.get(Keys.BODY_RATE), source.get(Keys.BODY_WINDOW)));
    }
}
