package io.volute.server.oidc;

import io.volute.server.config.OidcConfig;
import io.volute.server.json.Json;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.Addresses.Plain;
import io.volute.server.outbound.AnswerReader;
import io.volute.server.outbound.Tls;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLSocketFactory;

/**
 * One fetch of the provider's keys: its discovery document, then the keys that it names (OpenID
 * Connect Discovery 1.0). Each name is resolved once; the connection goes to a checked address, and
 * follows no redirect. Used once.
 */
final class KeyFetch {
    private static final Duration TIME = Duration.ofSeconds(5);
    private static final int CONNECT_MILLIS = 2000;

    private final OidcConfig config;
    private final SSLSocketFactory tls;
    private final Addresses.Resolver resolver;
    private boolean isStopped;
    private Socket open;

    private KeyFetch(OidcConfig config, SSLSocketFactory tls, Addresses.Resolver resolver) {
        this.config = config;
        this.tls = tls;
        this.resolver = resolver;
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
        KeyFetch fetch = new KeyFetch(config, tls, resolver);
        FutureTask<KeySet> task = new FutureTask<>(fetch::keys);
        Thread.ofVirtual().name("oidc-keys").start(task);
        try {
            return task.get(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + time.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause().getMessage()), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            fetch.stop();
        }
    }

    private KeySet keys() throws IOException {
        URI issuer = URI.create(config.issuer());
        InetAddress[] home = addresses(issuer, true);
        String base = config.issuer().replaceFirst("/$", "");
        URI discovery = URI.create(base + "/.well-known/openid-configuration");
        var found = Json.read(get(discovery, home));
        if (!config.issuer().equals(found.get("issuer"))) {
            throw new IOException(discovery + " is of another issuer");
        }
        URI keys = address(found.get("jwks_uri"));
        return KeySet.read(get(keys, addresses(keys, home[0].isLoopbackAddress())));
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

    private InetAddress[] addresses(URI uri, boolean isLoopbackAllowed) throws IOException {
        return new Addresses(
                        resolver,
                        isLoopbackAllowed,
                        config.plainOnLoopback() ? Plain.ON_LOOPBACK : Plain.NEVER)
                .of(uri);
    }

    private byte[] get(URI uri, InetAddress[] addresses) throws IOException {
        boolean isPlain = "http".equals(uri.getScheme());
        int port = uri.getPort() >= 0 ? uri.getPort() : isPlain ? 80 : 443;
        try (Socket raw = connected(addresses, port);
                Socket socket = isPlain ? raw : Tls.over(raw, tls, uri.getHost(), port)) {
            String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
            String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
            String request =
                    "GET "
                            + path
                            + query
                            + " HTTP/1.1\r\nhost: "
                            + uri.getRawAuthority()
                            + "\r\naccept: application/json\r\nconnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            AnswerReader.Answer answer = new AnswerReader(socket.getInputStream()).next();
            if (answer.status() != 200) {
                throw new IOException("answered with " + answer.status());
            }
            return answer.body();
        } catch (IOException e) {
            throw new IOException("GET " + uri + ": " + e.getMessage(), e);
        }
    }

    private Socket connected(InetAddress[] addresses, int port) throws IOException {
        IOException last = new IOException("the host has no address");
        for (InetAddress each : addresses) {
            Socket socket = registered(new Socket());
            try {
                socket.connect(new InetSocketAddress(each, port), CONNECT_MILLIS);
                socket.setSoTimeout((int) TIME.toMillis());
                return socket;
            } catch (IOException e) {
                socket.close();
                last = e;
            }
        }
        throw last;
    }

    private synchronized Socket registered(Socket socket) throws IOException {
        if (isStopped) {
            socket.close();
            throw new IOException("stopped");
        }
        open = socket;
        return socket;
    }

    /** Closes the connection, so that the thread of a late fetch ends. */
    private synchronized void stop() throws IOException {
        isStopped = true;
        if (open != null) {
            open.close();
        }
    }
}
