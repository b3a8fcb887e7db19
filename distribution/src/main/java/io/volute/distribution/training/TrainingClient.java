package io.volute.distribution.training;

import io.volute.adminapi.signing.RequestSigner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.CRC32;

/** Sends S3 requests with bodies in each form that SDKs use. Thread-safe. */
final class TrainingClient implements AutoCloseable {
    private static final String UNSIGNED = "UNSIGNED-PAYLOAD";
    private static final int CHUNK_BYTES = 64 * 1024;

    /** The forms of a body (S3 API Reference, "Signature calculations"). */
    enum BodyForm {
        SIGNED("") {
            @Override
            Encoded encode(TrainingClient client, RequestSigner.Target target, byte[] body) {
                return new Encoded(client.headers(target, hex(sha256(body)), Map.of()), body);
            }
        },
        UNSIGNED_BODY(UNSIGNED) {
            @Override
            Encoded encode(TrainingClient client, RequestSigner.Target target, byte[] body) {
                return new Encoded(client.headers(target, mode, Map.of()), body);
            }
        },
        CHUNKS("STREAMING-AWS4-HMAC-SHA256-PAYLOAD"),
        CHUNKS_AND_TRAILER("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"),
        TRAILER("STREAMING-UNSIGNED-PAYLOAD-TRAILER");

        final String mode;

        BodyForm(String mode) {
            this.mode = mode;
        }

        Encoded encode(TrainingClient client, RequestSigner.Target target, byte[] body) {
            return client.chunked(target, body, mode, this != CHUNKS, this != TRAILER);
        }
    }

    /** A request's headers and the bytes of its body as they are sent. */
    record Encoded(Map<String, String> headers, byte[] body) {}

    private final URI endpoint;
    private final RequestSigner signer;
    private final InstantSource clock;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /**
     * @param endpoint scheme, host and port
     */
    TrainingClient(URI endpoint, RequestSigner signer, InstantSource clock) {
        this.endpoint = endpoint;
        this.signer = signer;
        this.clock = clock;
    }

    /**
     * Sends a request with a body that its SHA-256 covers.
     *
     * @param query encoded and sorted; empty for none
     * @param headers by lower-case name
     * @return the answer's body
     * @throws IOException also if the server answers with an error
     */
    byte[] send(String method, String path, String query, Map<String, String> headers, byte[] body)
            throws IOException, InterruptedException {
        RequestSigner.Target target = target(method, path, query);
        return exchange(target, new Encoded(headers(target, hex(sha256(body)), headers), body));
    }

    /** Stores an object whose body travels in the given form. */
    void put(String path, String query, BodyForm form, byte[] body)
            throws IOException, InterruptedException {
        RequestSigner.Target target = target("PUT", path, query);
        exchange(target, form.encode(this, target, body));
    }

    private RequestSigner.Target target(String method, String path, String query) {
        return new RequestSigner.Target(method, endpoint.getAuthority(), path, query);
    }

    private Map<String, String> headers(
            RequestSigner.Target target, String payload, Map<String, String> more) {
        return signer.headersOf(target, payload, more, clock.instant());
    }

    private Encoded chunked(
            RequestSigner.Target target,
            byte[] body,
            String mode,
            boolean hasTrailer,
            boolean isSigned) {
        CRC32 crc = new CRC32();
        crc.update(body);
        byte[] sum = ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
        String trailer = "x-amz-checksum-crc32:" + Base64.getEncoder().encodeToString(sum);
        Map<String, String> framing =
                Map.of(
                        "content-encoding",
                        "aws-chunked",
                        "x-amz-decoded-content-length",
                        Integer.toString(body.length));
        Map<String, String> withTrailer =
                Map.of(
                        "content-encoding", "aws-chunked",
                        "x-amz-decoded-content-length", Integer.toString(body.length),
                        "x-amz-trailer", "x-amz-checksum-crc32");
        Map<String, String> headers = headers(target, mode, hasTrailer ? withTrailer : framing);
        RequestSigner.ChunkSigner signing = signer.chunks(headers);
        ByteArrayOutputStream sent = new ByteArrayOutputStream(body.length + 1024);
        for (int from = 0; from < body.length; from += CHUNK_BYTES) {
            byte[] chunk =
                    Arrays.copyOfRange(body, from, Math.min(from + CHUNK_BYTES, body.length));
            append(sent, Integer.toHexString(chunk.length) + mark(signing, chunk, isSigned));
            sent.writeBytes(chunk);
            append(sent, "");
        }
        append(sent, "0" + mark(signing, new byte[0], isSigned));
        if (hasTrailer) {
            append(sent, trailer);
            if (isSigned) {
                byte[] canonical = (trailer + "\n").getBytes(StandardCharsets.UTF_8);
                append(sent, "x-amz-trailer-signature:" + signing.signTrailer(sha256(canonical)));
            }
        }
        append(sent, "");
        return new Encoded(headers, sent.toByteArray());
    }

    private static String mark(RequestSigner.ChunkSigner signing, byte[] chunk, boolean isSigned) {
        return isSigned ? ";chunk-signature=" + signing.signChunk(sha256(chunk)) : "";
    }

    private static void append(ByteArrayOutputStream sent, String line) {
        sent.writeBytes((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private byte[] exchange(RequestSigner.Target target, Encoded encoded)
            throws IOException, InterruptedException {
        String query = target.query().isEmpty() ? "" : "?" + target.query();
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(endpoint + target.path() + query))
                        .method(target.method(), BodyPublishers.ofByteArray(encoded.body()));
        encoded.headers().forEach(request::header);
        HttpResponse<byte[]> answer =
                http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() >= 300) {
            throw new IOException(
                    target.method()
                            + " "
                            + request.build().uri()
                            + ": "
                            + answer.statusCode()
                            + " "
                            + new String(answer.body(), StandardCharsets.UTF_8));
        }
        return answer.body();
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static byte[] sha256(byte[] bytes) {
        return digest("SHA-256", bytes);
    }

    /** Returns the hash of the named algorithm, which every JVM has. */
    static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM lacks " + algorithm, e);
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
