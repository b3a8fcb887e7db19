package io.volute.server.http;

import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The settings of the HTTP layer.
 *
 * @param listen address and port; port 0 takes a free one
 * @param addedHeaders headers that a request may have beyond those of a client
 */
public record HttpSettings(
        InetSocketAddress listen,
        Optional<TlsFiles> tls,
        Caps caps,
        Timeouts timeouts,
        Proxies proxies,
        int addedHeaders) {

    /** Creates the settings of a listener for clients. */
    public HttpSettings(
            InetSocketAddress listen,
            Optional<TlsFiles> tls,
            Caps caps,
            Timeouts timeouts,
            Proxies proxies) {
        this(listen, tls, caps, timeouts, proxies, 0);
    }

    /** Creates the settings of a listener for clients without proxies. */
    public HttpSettings(
            InetSocketAddress listen, Optional<TlsFiles> tls, Caps caps, Timeouts timeouts) {
        this(listen, tls, caps, timeouts, Proxies.NONE);
    }

    /**
     * PEM files of the certificate chain and its key (PKCS#8, not encrypted).
     *
     * @param settings what the names of their settings begin with, for messages
     * @param clientAuthorities PEM file of the authorities of clients, which must have a
     *     certificate then; empty: clients need none
     */
    public record TlsFiles(
            String settings, Path certificate, Path key, Optional<Path> clientAuthorities) {

        /** Creates the files of a listener for clients without certificates. */
        public TlsFiles(Path certificate, Path key) {
            this("tls", certificate, key, Optional.empty());
        }

        /** Returns the files. */
        List<Path> all() {
            return Stream.concat(Stream.of(certificate, key), clientAuthorities.stream()).toList();
        }

        /**
         * The dates of a certificate.
         *
         * @param isInvalid whether clients refuse it now
         * @param problem what is wrong with them; empty when nothing is
         */
        public record Dates(Instant end, boolean isInvalid, String problem) {}

        /** Returns the dates of the certificate. */
        public Dates dates(Instant now) throws IOException {
            return Tls.dates(this, now);
        }

        /**
         * Checks that both files can be used.
         *
         * @throws IOException when they cannot be used; the message names the next step
         */
        public void check() throws IOException {
            SslContext unused = Tls.read(this);
        }
    }

    /** Returns the same settings with another address. */
    public HttpSettings on(InetSocketAddress other) {
        return new HttpSettings(other, tls, caps, timeouts, proxies, addedHeaders);
    }

    /**
     * How much at once.
     *
     * @param connections open
     * @param connectionsPerAddress open from one network of clients
     * @param requestsInFlight being handled
     * @param requestsPerAddress being handled for one network of clients
     * @param bufferBytes of buffers beyond the first of each request
     * @param unauthenticatedRequests of these for callers who are not authenticated; they have the
     *     same part of the memory
     * @param memoryBytes of heap for documents and answers
     */
    public record Caps(
            int connections,
            int connectionsPerAddress,
            int requestsInFlight,
            int requestsPerAddress,
            long bufferBytes,
            int unauthenticatedRequests,
            long memoryBytes) {

        /** Creates the caps of a listener without a bound of its own for unknown callers. */
        public Caps(
                int connections,
                int connectionsPerAddress,
                int requestsInFlight,
                int requestsPerAddress,
                long bufferBytes) {
            this(
                    connections,
                    connectionsPerAddress,
                    requestsInFlight,
                    requestsPerAddress,
                    bufferBytes,
                    requestsInFlight,
                    defaults().memoryBytes());
        }

        /** Heap for documents and answers of callers who are not authenticated. */
        long unauthenticatedBytes() {
            return (long)
                    (memoryBytes
                            * Math.min(1, (double) unauthenticatedRequests / requestsInFlight));
        }

        /** Returns the defaults of the settings. */
        public static Caps defaults() {
            return new Caps(
                    /* connections= */ 10_000,
                    /* connectionsPerAddress= */ 1_000,
                    /* requestsInFlight= */ 2_000,
                    /* requestsPerAddress= */ 500,
                    /* bufferBytes= */ 64L << 20,
                    /* unauthenticatedRequests= */ 500,
                    /* memoryBytes= */ 128L << 20);
        }
    }

    /**
     * How long.
     *
     * @param handshake from the connection to the end of the TLS handshake
     * @param header from the first byte of a request to its last header
     * @param idle between requests
     * @param bodyIdle without a byte while the server waits for one
     * @param writeIdle without a byte taken by the client
     * @param bodyRate the slowest body
     */
    public record Timeouts(
            Duration handshake,
            Duration header,
            Duration idle,
            Duration bodyIdle,
            Duration writeIdle,
            BodyRate bodyRate) {

        /** Returns the defaults of the settings. */
        public static Timeouts defaults() {
            return new Timeouts(
                    /* handshake= */ Duration.ofSeconds(10),
                    /* header= */ Duration.ofSeconds(10),
                    /* idle= */ Duration.ofSeconds(60),
                    /* bodyIdle= */ Duration.ofSeconds(60),
                    /* writeIdle= */ Duration.ofSeconds(60),
                    new BodyRate(1024, Duration.ofSeconds(30)));
        }
    }

    /**
     * The slowest body that is accepted.
     *
     * @param bytesPerSecond while the server waits for the client
     * @param window of waiting over which it is measured
     */
    public record BodyRate(long bytesPerSecond, Duration window) {}

    /** Defaults on the given address, without TLS. */
    public static HttpSettings plain(InetSocketAddress listen) {
        return new HttpSettings(listen, Optional.empty(), Caps.defaults(), Timeouts.defaults());
    }
}
