package io.volute.server.config;

import io.volute.server.config.key.ValueType;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The choice of traced requests, and the receiver of their spans.
 *
 * @param endpoint takes spans by OTLP over HTTP
 * @param sample share of the requests that are traced, 0 to 1
 * @param parentRate most requests/s that are traced at the request of their client; 0 ignores
 *     clients
 * @param headersFile a private file of headers that the endpoint wants
 */
public record TracingConfig(
        URI endpoint, double sample, long parentRate, Optional<Path> headersFile) {
    /** Scheme, host and perhaps a port, then perhaps a path. */
    static final String FORM =
            "(https?://(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\\[[0-9A-Fa-f:.]{2,45}\\])"
                    + "(?::[0-9]{1,5})?)(/[A-Za-z0-9._~/-]{0,1024})?";

    /** The usual path for spans at a receiver. */
    private static final String USUAL_PATH = "/v1/traces";

    static Optional<TracingConfig> of(ConfigSource from) {
        String endpoint = from.get(Keys.TRACING_ENDPOINT);
        double sample = from.get(Keys.TRACING_SAMPLE);
        long parentRate = from.get(Keys.TRACING_PARENT_RATE);
        Optional<Path> headers = from.get(Keys.TRACING_HEADERS_FILE).map(Path::toAbsolutePath);
        if (endpoint.isEmpty()) {
            if (headers.isPresent()) {
                from.problem("tracing.headers-file belongs to tracing.endpoint: write that, too");
            }
            return Optional.empty();
        }
        Optional<URI> uri = ValueType.withHost(endpoint);
        if (uri.isEmpty()) {
            from.problem("tracing.endpoint is " + endpoint + ", which names no host; write one");
        }
        return uri.map(
                address ->
                        new TracingConfig(
                                address.getPath().length() > 1
                                        ? address
                                        : address.resolve(USUAL_PATH),
                                sample,
                                parentRate,
                                headers));
    }

    /** Returns whether spans travel unencrypted to another machine. */
    public boolean isPlainToOthers() {
        String host = endpoint.getHost();
        boolean isHere =
                host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
        return endpoint.getScheme().equals("http") && !isHere;
    }
}
