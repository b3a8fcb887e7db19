package io.volute.server.replication;

import io.volute.server.outbound.Content;
import io.volute.server.outbound.S3Client;
import io.volute.server.outbound.S3Client.Answer;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Requests about the object of a change, and what their answers mean for it. Thread-safe. */
record S3Requests(S3Client s3) implements AutoCloseable {
    /** A document, or a range of an object. */
    private static final int MOST_ANSWER_BYTES = 256 << 10;

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

    Answer send(
            ReplicationMessage change,
            String method,
            Map<String, String> query,
            Map<String, String> headers,
            Content content)
            throws IOException {
        Answer answer = answer(change, method, query, headers, content);
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
            Content content)
            throws IOException {
        Map<String, String> all = new TreeMap<>(headers);
        all.put("x-volute-actor", "replication");
        try {
            return s3.send(
                    new S3Client.Request(
                            method, change.destination(), change.key(), query, all, content),
                    MOST_ANSWER_BYTES);
        } catch (IOException e) {
            throw DeliveryException.isKnown(e) ? e : ofTarget(e);
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
        s3.close();
    }
}
