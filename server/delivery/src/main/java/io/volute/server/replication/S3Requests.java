package io.volute.server.replication;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.outbound.AnswerReader.Answer;
import io.volute.server.outbound.HttpExchange;
import io.volute.server.outbound.S3Access;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Signed requests about the object of a change over one connection. One thread sends; another may
 * close.
 */
record S3Requests(HttpExchange http, S3Access.Signers signers, InstantSource clock)
        implements AutoCloseable {
    /** Stands for the hash of a body that is not signed. */
    static final String UNSIGNED = "UNSIGNED-PAYLOAD";

    private static final int MOST_ELEMENTS = 1000;

    /** Refusals of a single change, which no later attempt changes. */
    private static final Set<String> FINAL =
            Set.of(
                    "BadDigest",
                    "ConditionalRequestConflict",
                    "EntityTooLarge",
                    "InvalidArgument",
                    "InvalidRequest",
                    "InvalidStorageClass",
                    "InvalidTag",
                    "KeyTooLongError",
                    "MetadataTooLarge",
                    "MalformedXML",
                    "MethodNotAllowed",
                    "NoSuchKey",
                    "NoSuchVersion",
                    "NotImplemented");

    /** Errors that every request to the server would get. */
    private static final Set<String> OF_TARGET =
            Set.of(
                    "AuthorizationHeaderMalformed",
                    "ExpiredToken",
                    "InvalidAccessKeyId",
                    "InvalidToken",
                    "RequestTimeTooSkewed",
                    "SignatureDoesNotMatch",
                    "SlowDown");

    private static final Set<String> OF_BUCKET =
            Set.of("AllAccessDisabled", "InvalidBucketState", "NoSuchBucket");

    /** The refusal of one change for good. */
    static final class Refusal extends IOException {
        Refusal(String message) {
            super(message);
        }
    }

    /** The change is at the destination. */
    static final class Repeated extends IOException {}

    /** The body of a request and its hash, as the signature has it. */
    record Sent(HttpExchange.Body body, long bytes, String sha256) {
        static Sent of(byte[] bytes) {
            return new Sent(
                    out -> out.write(bytes),
                    bytes.length,
                    HexFormat.of().formatHex(digest("SHA-256", bytes)));
        }
    }

    private static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM lacks " + algorithm, e);
        }
    }

    Answer sendXml(
            ReplicationMessage change,
            Map<String, String> query,
            Map<String, String> more,
            byte[] document)
            throws IOException {
        Map<String, String> headers = new HashMap<>(more);
        headers.put("content-md5", Base64.getEncoder().encodeToString(digest("MD5", document)));
        return send(change, "PUT", query, headers, document);
    }

    Answer send(
            ReplicationMessage change,
            String method,
            Map<String, String> query,
            Map<String, String> headers,
            byte[] body)
            throws IOException {
        return send(change, method, query, headers, Sent.of(body));
    }

    Answer send(
            ReplicationMessage change,
            String method,
            Map<String, String> query,
            Map<String, String> headers,
            Sent body)
            throws IOException {
        Answer answer = answer(change, method, query, headers, body);
        if (answer.status() / 100 == 2) {
            return answer;
        }
        XmlElement error = xml(answer, "Error");
        String code = error.childText("Code").orElse("");
        String what =
                method
                        + " "
                        + change.destination()
                        + "/"
                        + change.key()
                        + " answered "
                        + answer.status()
                        + " "
                        + code
                        + ": "
                        + error.childText("Message").orElse("");
        if (answer.status() == 412) {
            throw new Repeated();
        }
        throw FINAL.contains(code)
                ? new Refusal(what)
                : new DeliveryException(reach(answer.status(), code), what);
    }

    /** Returns which changes an error concerns that a later attempt may not have. */
    static DeliveryException.Reach reach(int status, String code) {
        if (status == 503 || OF_TARGET.contains(code)) {
            return DeliveryException.Reach.TARGET;
        }
        // A policy may deny one key alone, and an error of the server may concern one alone.
        return OF_BUCKET.contains(code) || status == 301 || status == 307
                ? DeliveryException.Reach.BUCKET
                : DeliveryException.Reach.KEY;
    }

    Answer answer(
            ReplicationMessage change,
            String method,
            Map<String, String> query,
            Map<String, String> headers,
            Sent body)
            throws IOException {
        String path = RequestSigner.path(change.destination(), change.key());
        String parameters = RequestSigner.query(query);
        Map<String, String> all = new TreeMap<>(headers);
        all.put("x-volute-actor", "replication");
        Map<String, String> signed =
                new TreeMap<>(
                        signer().headersOf(
                                        new RequestSigner.Target(
                                                method, http.authority(), path, parameters),
                                        body.sha256(),
                                        all,
                                        clock.instant()));
        signed.put("content-length", Long.toString(body.bytes()));
        String target = parameters.isEmpty() ? path : path + "?" + parameters;
        try {
            return http.send(method, target, signed, body.body(), body.bytes());
        } catch (IOException e) {
            throw DeliveryException.isKnown(e) ? e : ofTarget(e);
        }
    }

    private RequestSigner signer() throws IOException {
        try {
            return signers.get();
        } catch (IOException e) {
            throw ofTarget(e);
        }
    }

    private static IOException ofTarget(IOException e) {
        return new DeliveryException(DeliveryException.Reach.TARGET, e.getMessage(), e);
    }

    static XmlElement xml(Answer answer, String root) throws IOException {
        try {
            return XmlReader.read(answer.body(), root, MOST_ELEMENTS);
        } catch (S3Exception e) {
            String text = new String(answer.body(), StandardCharsets.UTF_8);
            throw new IOException(
                    "answered "
                            + answer.status()
                            + ": "
                            + text.substring(0, Math.min(text.length(), 200)),
                    e);
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
