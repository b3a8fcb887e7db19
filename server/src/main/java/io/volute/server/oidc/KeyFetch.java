package io.volute.server.oidc;

import io.volute.server.config.OidcConfig;
import io.volute.server.json.Json;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.Addresses.Plain;
import io.volute.server.outbound.Content;
import io.volute.server.outbound.HttpClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;

/**
 * One fetch of the provider's keys: its discovery document, then the keys that it names (OpenID
 * Connect Discovery 1.0). The keys may be on a loopback address only if the provider is. Used once,
 * by one thread.
 */
final class KeyFetch {
    /** For both requests. */
    private static final Duration TIME = Duration.ofSeconds(5);

    private static final int MOST_BYTES = 256 << 10;

    private final OidcConfig config;
    private final SSLSocketFactory tls;
    private final Duration time;

    private KeyFetch(OidcConfig config, SSLSocketFactory tls, Duration time) {
        this.config = config;
        this.tls = tls;
        this.time = time;
    }

    /**
     * Fetches the keys in at most {@link #TIME}.
     *
     * @throws IOException when they cannot be had; the message names the reason
     */
    static KeySet run(OidcConfig config, SSLSocketFactory tls, Addresses.Resolver resolver)
            throws IOException {
        return run(config, tls, resolver, TIME);
    }

    static KeySet run(
            OidcConfig config, SSLSocketFactory tls, Addresses.Resolver resolver, Duration time)
            throws IOException {
        return new KeyFetch(config, tls, time.dividedBy(2)).keys(resolver);
    }

    private KeySet keys(Addresses.Resolver resolver) throws IOException {
        Home home = new Home(resolver);
        String base = config.issuer().replaceFirst("/$", "");
        URI discovery = URI.create(base + "/.well-known/openid-configuration");
        var found = Json.read(get(discovery, home, true));
        if (!config.issuer().equals(found.get("issuer"))) {
            throw new IOException(discovery + " is of another issuer");
        }
        URI keys = address(found.get("jwks_uri"));
        return KeySet.read(get(keys, resolver, home.isLoopback));
    }

    /** Resolves the host of the provider, and notes whether it is this machine. */
    private static final class Home implements Addresses.Resolver {
        private final Addresses.Resolver resolver;
        private volatile boolean isLoopback;

        Home(Addresses.Resolver resolver) {
            this.resolver = resolver;
        }

        @Override
        public InetAddress[] resolve(String host) throws IOException {
            InetAddress[] found = resolver.resolve(host);
            isLoopback = found.length > 0 && found[0].isLoopbackAddress();
            return found;
        }
    }

    private static URI address(Object text) throws IOException {
        try {
            URI uri = URI.create(URI.create(String.valueOf(text)).toASCIIString());
            boolean isPlain = uri.getUserInfo() == null && uri.getHost() != null;
            if (isPlain && uri.isAbsolute()) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            throw new IOException("jwks_uri is no address", e);
        }
        throw new IOException("jwks_uri is no address of a host");
    }

    private byte[] get(URI uri, Addresses.Resolver resolver, boolean isLoopbackAllowed)
            throws IOException {
        Plain plain = config.plainOnLoopback() ? Plain.ON_LOOPBACK : Plain.NEVER;
        Addresses addresses = new Addresses(resolver, isLoopbackAllowed, plain);
        try (HttpClient http = new HttpClient(uri, addresses, tls)) {
            HttpClient.Answer answer =
                    http.send(
                            new HttpClient.Request(
                                    "GET",
                                    HttpClient.Request.target(uri),
                                    Map.of("accept", "application/json"),
                                    Content.NONE),
                            time,
                            MOST_BYTES);
            if (answer.status() != 200) {
                throw new IOException("answered with " + answer.status());
            }
            return answer.body();
        } catch (IOException e) {
            throw new IOException("GET " + uri + ": " + e.getMessage(), e);
        }
    }
}
