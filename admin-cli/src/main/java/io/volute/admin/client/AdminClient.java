package io.volute.admin.client;

import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.AdminJson;
import io.volute.adminapi.ClusterApi.MissingOwner;
import io.volute.adminapi.Failure;
import io.volute.adminapi.IdentityApi.Page;
import io.volute.adminapi.IdentityApi.PageRequest;
import io.volute.adminapi.OwnersAnswer;
import io.volute.adminapi.Route;
import io.volute.adminapi.Route.Nothing;
import io.volute.adminapi.signing.RequestSigner;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.DurableFile.Readers;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/** Asks a server's admin API. */
public final class AdminClient implements AutoCloseable {
    private static final Duration CONNECT_TIME_MAX = Duration.ofSeconds(10);

    /** The server refused; the message is its own. */
    public static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        private final String code;

        public RefusedException(String message) {
            this("", message);
        }

        public RefusedException(String code, String message) {
            super(message);
            this.code = code;
        }

        /** Returns true if the error has the given code. */
        public boolean isOf(String other) {
            return code.equals(other);
        }
    }

    /** A page has at most 1,000 entries, and a report 1,000 findings. */
    private static final int DOCUMENT_BYTES_MAX = 64 << 20;

    private static final int ERROR_BYTES_MAX = 1 << 20;

    private static final String EMPTY_SHA256 =
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private final URI endpoint;
    private final RequestSigner signer;
    private static final int PART_BYTES = 1 << 16;

    private final CommandContext context;
    private final Consumer<String> warnings;
    private final Set<MissingOwner> warned = new HashSet<>();
    private final HttpClient http;

    /**
     * @param endpoint scheme, host and port
     * @param warnings receives a line for each owner of a cluster whose part an answer lacks
     */
    AdminClient(
            URI endpoint, RequestSigner signer, CommandContext context, Consumer<String> warnings)
            throws IOException {
        this.endpoint = endpoint;
        this.signer = signer;
        this.context = context;
        this.warnings = warnings;
        this.http = context.http(endpoint).connectTimeout(CONNECT_TIME_MAX).build();
    }

    /**
     * Asks a route without arguments.
     *
     * @throws RefusedException when the server answers with an error
     * @throws IOException when it cannot be reached
     */
    public <A> Answer<A> ask(Route<Nothing, A> route) throws IOException, InterruptedException {
        return ask(route, new Nothing());
    }

    /**
     * Asks a route.
     *
     * @throws RefusedException when the server answers with an error
     * @throws IOException when it cannot be reached
     */
    public <Q extends Record, A> Answer<A> ask(Route<Q, A> route, Q request)
            throws IOException, InterruptedException {
        Map<String, Object> fields = ask(route, AdminJson.fields(request));
        A answer = AdminJson.as(fields, route.answer());
        if (answer instanceof OwnersAnswer<?> parts) {
            warn(parts.missing());
        }
        return new Answer<>(answer, fields);
    }

    /** Warns once of each: some commands ask again and again. */
    private void warn(List<MissingOwner> missing) {
        missing.stream()
                .filter(warned::add)
                .forEach(each -> warnings.accept(AnswerFormat.visible(each.words())));
    }

    /** Returns all members of a list, page by page, by name. */
    public <E> List<E> all(Route<PageRequest, ? extends Page<E>> route)
            throws IOException, InterruptedException {
        List<E> all = new ArrayList<>();
        Optional<String> from = Optional.empty();
        do {
            Page<E> page = ask(route, new PageRequest(OptionalLong.empty(), from)).value();
            all.addAll(page.members());
            from = page.next();
        } while (from.isPresent());
        return all;
    }

    /**
     * Creates a bucket by a request of S3.
     *
     * @param headers further headers, by lower-case name
     * @throws RefusedException when the server refuses it; the message is that of S3
     */
    public void createBucket(String bucket, Map<String, String> headers)
            throws IOException, InterruptedException {
        String path = "/" + bucket;
        RequestSigner.Target target =
                new RequestSigner.Target("PUT", endpoint.getRawAuthority(), path, "");
        HttpRequest.Builder request =
                HttpRequest.newBuilder(endpoint.resolve(path))
                        .PUT(HttpRequest.BodyPublishers.noBody());
        signer.headersOf(target, EMPTY_SHA256, headers, context.clock().instant())
                .forEach(request::header);
        HttpResponse<InputStream> response =
                exchange(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        String xml = new String(read(response), StandardCharsets.UTF_8);
        if (response.statusCode() / 100 != 2) {
            String code = element(xml, "Code");
            String message = element(xml, "Message");
            throw new RefusedException(
                    code,
                    message.isEmpty()
                            ? endpoint
                                    + " answered "
                                    + response.statusCode()
                                    + ": is S3 there, or on another address (admin.address)?"
                            : code + ": " + message);
        }
    }

    private static String element(String xml, String name) {
        int begin = xml.indexOf("<" + name + ">");
        int end = xml.indexOf("</" + name + ">");
        return begin < 0 || end < begin ? "" : xml.substring(begin + name.length() + 2, end);
    }

    /** Returns the fields of the answer to a request of these fields. */
    Map<String, Object> ask(Route<?, ?> route, Map<String, Object> request)
            throws IOException, InterruptedException {
        HttpResponse<InputStream> response =
                exchange(route, request, HttpResponse.BodyHandlers.ofInputStream());
        byte[] body = read(response);
        if (response.statusCode() / 100 != 2) {
            throw refused(response, body);
        }
        return read(response.statusCode(), body);
    }

    /** Downloads an answer into a file that others may read. The content is not checked. */
    public <Q extends Record> long download(Route<Q, Void> route, Q request, Path file)
            throws IOException, InterruptedException {
        return download(route, request, target -> WholeFile.write(file, Readers.USUAL, target));
    }

    /** The receiver of a downloaded answer. */
    public interface Target {
        void take(DurableFile.Content answer) throws IOException;
    }

    /**
     * What time it is for the server, to the second.
     *
     * @throws RefusedException when what answers does not say
     */
    public Instant serverTime() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(endpoint.resolve("/health/live")).build();
        HttpResponse<Void> response = exchange(request, HttpResponse.BodyHandlers.discarding());
        try {
            return response.headers()
                    .firstValue("date")
                    .map(date -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date)))
                    .orElseThrow(() -> new RefusedException(endpoint + " does not say the time"));
        } catch (DateTimeException e) {
            throw new RefusedException(endpoint + " sends a Date header in an unknown format");
        }
    }

    /**
     * Gives what the server answers to a target.
     *
     * @return its bytes
     */
    public <Q extends Record> long download(Route<Q, Void> route, Q request, Target target)
            throws IOException, InterruptedException {
        return download(route, request, target, (headers, part, length) -> {});
    }

    /** Watches a download. */
    @FunctionalInterface
    public interface Watch {
        /**
         * Notes that bytes have arrived.
         *
         * @param part has them at its beginning, until the call returns
         */
        void part(HttpHeaders headers, byte[] part, int length);
    }

    /**
     * Gives what the server answers to a target.
     *
     * @param watch receives each part that has arrived
     * @return its bytes
     */
    public <Q extends Record> long download(
            Route<Q, Void> route, Q request, Target target, Watch watch)
            throws IOException, InterruptedException {
        HttpResponse<InputStream> response =
                exchange(
                        route,
                        AdminJson.fields(request),
                        HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            if (response.statusCode() / 100 != 2) {
                throw refused(response, read(response));
            }
            long[] bytes = new long[1];
            target.take(
                    out -> {
                        byte[] part = new byte[PART_BYTES];
                        for (int read = body.read(part); read >= 0; read = body.read(part)) {
                            out.write(part, 0, read);
                            bytes[0] += read;
                            watch.part(response.headers(), part, read);
                        }
                    });
            return bytes[0];
        }
    }

    private <T> HttpResponse<T> exchange(
            Route<?, ?> route, Map<String, Object> fields, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        String query = route.isGet() ? query(fields) : "";
        byte[] body = route.isGet() ? new byte[0] : AdminJson.write(fields);
        String path = route.path();
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                                endpoint.resolve(query.isEmpty() ? path : path + "?" + query))
                        .method(route.method(), HttpRequest.BodyPublishers.ofByteArray(body));
        signer.headers(
                        route.method(),
                        endpoint.getRawAuthority(),
                        path,
                        query,
                        body,
                        context.clock().instant())
                .forEach(request::header);
        return exchange(request.build(), handler);
    }

    private static String query(Map<String, Object> fields) {
        Map<String, String> parameters = new LinkedHashMap<>();
        fields.forEach((name, value) -> parameters.put(name, value.toString()));
        return RequestSigner.query(parameters);
    }

    private <T> HttpResponse<T> exchange(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        try {
            return http.send(request, handler);
        } catch (IOException e) {
            throw new IOException(
                    "cannot reach " + endpoint + ": " + CommandContext.why(endpoint, e), e);
        }
    }

    /** Reads a document, whoever answers. */
    private byte[] read(HttpResponse<InputStream> response) throws IOException {
        int max = response.statusCode() / 100 == 2 ? DOCUMENT_BYTES_MAX : ERROR_BYTES_MAX;
        byte[] document;
        try (InputStream body = response.body()) {
            document = body.readNBytes(max + 1);
        } catch (IOException e) {
            throw new IOException(
                    "cannot read the answer of "
                            + endpoint
                            + ": "
                            + CommandContext.why(endpoint, e),
                    e);
        }
        if (document.length > max) {
            throw new RefusedException(
                    endpoint
                            + " answered "
                            + response.statusCode()
                            + " with more than "
                            + (max >> 20)
                            + " MiB: is it a Volute server?");
        }
        return document;
    }

    private Map<String, Object> read(int status, byte[] body) throws RefusedException {
        try {
            return AdminJson.fields(body);
        } catch (IOException e) {
            throw new RefusedException(
                    endpoint
                            + " answered "
                            + status
                            + " and no JSON: is it a Volute server of this version, and"
                            + " is its admin API there (admin.address)?");
        }
    }

    private RefusedException refused(HttpResponse<?> response, byte[] body) throws IOException {
        int status = response.statusCode();
        Failure failure = AdminJson.as(read(status, body), Failure.class);
        String code = failure.code().isEmpty() ? Integer.toString(status) : failure.code();
        String id = failure.requestId().isEmpty() ? "unknown" : failure.requestId();
        return new RefusedException(
                code,
                code
                        + ": "
                        + failure.message()
                        + context.clocks(code, response.headers())
                        + " (request "
                        + id
                        + ")");
    }

    @Override
    public void close() {
        http.close();
    }
}
