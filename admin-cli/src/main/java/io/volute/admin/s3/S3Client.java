package io.volute.admin.s3;

import io.volute.admin.client.CommandContext;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.signing.RequestSigner;
import io.volute.adminapi.tls.Authorities;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Sends requests to an S3 server, with the bucket in the path. Repeats those that fail for a
 * passing reason, if their body can be sent again. Thread-safe.
 */
public final class S3Client implements AutoCloseable {
    private static final int MOST_TRIES = 5;
    private static final Duration CONNECT = Duration.ofSeconds(20);
    private static final int ERROR_BYTES_MAX = 64 << 10;
    private static final int WORDS_MAX = 1000;

    /** Too Many Requests, and errors of a server or proxy that may pass. */
    private static final Set<Integer> PASSING = Set.of(429, 500, 502, 503, 504);

    private final URI endpoint;
    private final RequestSigner signer;
    private final CommandContext context;
    private final HttpClient http;

    /**
     * @param endpoint scheme, host and port
     * @throws IOException when the certificates to trust cannot be used
     */
    public S3Client(URI endpoint, RequestSigner signer, CommandContext context) throws IOException {
        this.endpoint = endpoint;
        this.signer = signer;
        this.context = context;
        this.http = context.http(endpoint).connectTimeout(CONNECT).build();
    }

    /** Returns a client of the server that a command asks. */
    public static S3Client of(ServerOptions server) throws IOException {
        return of(server, server.signer());
    }

    /** Returns a client of the server that a command asks, for another access key. */
    public static S3Client of(ServerOptions server, RequestSigner signer) throws IOException {
        return new S3Client(server.address(), signer, server.context());
    }

    /**
     * Sends a request.
     *
     * @throws S3Error if the server answers with an error
     * @throws IOException if it cannot be reached
     */
    public S3Reply send(S3Request request) throws IOException, InterruptedException {
        for (int tries = 1; ; tries++) {
            try {
                return once(request);
            } catch (S3Error e) {
                if (!PASSING.contains(e.status()) || isLast(tries, request)) {
                    throw e;
                }
            } catch (IOException e) {
                if (isLast(tries, request) || Authorities.areMissing(e)) {
                    throw new IOException(
                            "cannot reach " + endpoint + ": " + CommandContext.why(endpoint, e), e);
                }
            }
            for (int pause = 0; pause < tries; pause++) {
                context.pause().pass();
            }
        }
    }

    private static boolean isLast(int tries, S3Request request) {
        return tries == MOST_TRIES || !request.body().isRepeatable();
    }

    /** Sends a request and returns the body of the answer. */
    public byte[] bytes(S3Request request) throws IOException, InterruptedException {
        try (S3Reply reply = send(request)) {
            return reply.document();
        }
    }

    /** Sends a request and returns the XML document of the answer. */
    public XmlTree xml(S3Request request) throws IOException, InterruptedException {
        return XmlTree.parse(bytes(request));
    }

    /** Sends a request and returns the answer, or nothing if what it is about does not exist. */
    public Optional<byte[]> find(S3Request request) throws IOException, InterruptedException {
        try {
            return Optional.of(bytes(request));
        } catch (S3Error e) {
            if (e.status() == 404) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private S3Reply once(S3Request request) throws IOException, InterruptedException {
        String query = RequestSigner.query(request.query());
        String path = request.path();
        URI uri = URI.create(origin() + path + (query.isEmpty() ? "" : "?" + query));
        HttpRequest.Builder sent =
                HttpRequest.newBuilder(uri)
                        .header("user-agent", "volute-command")
                        .method(request.method(), request.body().publisher());
        signer.headersOf(
                        new RequestSigner.Target(
                                request.method(), endpoint.getRawAuthority(), path, query),
                        request.body().sha256(),
                        request.headers(),
                        context.clock().instant())
                .forEach(sent::header);
        HttpResponse<InputStream> answer =
                http.send(sent.build(), HttpResponse.BodyHandlers.ofInputStream());
        if (answer.statusCode() / 100 == 2) {
            return new S3Reply(answer.headers(), answer.body());
        }
        try (InputStream body = answer.body()) {
            throw error(request, answer, body.readNBytes(ERROR_BYTES_MAX));
        }
    }

    private String origin() {
        return endpoint.getScheme() + "://" + endpoint.getRawAuthority();
    }

    private S3Error error(S3Request request, HttpResponse<?> answer, byte[] body) {
        int status = answer.statusCode();
        String what = request.method() + " " + origin() + request.path() + " answered " + status;
        String region =
                answer.headers()
                        .firstValue("x-amz-bucket-region")
                        .filter(each -> !each.equals(signer.region()))
                        .map(each -> ": the bucket is in region " + words(each))
                        .orElse("");
        try {
            XmlTree error = XmlTree.parse(body);
            String code = error.text("Code");
            return new S3Error(
                    status,
                    code,
                    what
                            + " "
                            + words(code)
                            + ": "
                            + words(error.text("Message"))
                            + region
                            + context.clocks(code, answer.headers()));
        } catch (IOException e) {
            String start =
                    words(new String(body, 0, Math.min(body.length, 200), StandardCharsets.UTF_8));
            String rest = start.isEmpty() ? "" : ": " + start;
            return new S3Error(status, Integer.toString(status), what + region + rest);
        }
    }

    /** Returns words of a server as a terminal may show them. */
    private static String words(String text) {
        return AnswerFormat.visible(text.substring(0, Math.min(text.length(), WORDS_MAX)));
    }

    @Override
    public void close() {
        http.close();
    }
}
