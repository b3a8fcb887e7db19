package io.volute.server.replication;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.config.ReplicationConfig;
import io.volute.server.outbound.AnswerReader.Answer;
import io.volute.server.outbound.HttpExchange;
import io.volute.server.s3.bucket.BucketDocuments;
import io.volute.server.s3.call.Locks;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.replication.ReplicaLookup;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A server of S3 that takes replicas over one connection. Another Volute finds the replica of a
 * version by a header, and refuses a second one. Other servers get each change as an ordinary
 * request about the newest version.
 */
final class S3Sink implements Sink {
    private static final String UNSIGNED = "UNSIGNED-PAYLOAD";

    /** Bodies up to this size are signed, and sent without a question whether they are there. */
    private static final int MOST_SIGNED_BYTES = 64 * 1024;

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
                    "NotImplemented");

    private final Sources sources;
    private final ReplicationConfig.Type type;
    private final HttpExchange http;
    private final Signing signing;
    private final InstantSource clock;

    /** The credential of a target, read anew for each request: it may be renewed. */
    interface Signing {
        RequestSigner signer() throws IOException;

        /** Returns the host and perhaps the port, as the Host header has it. */
        String authority();
    }

    S3Sink(
            Sources sources,
            ReplicationConfig.Type type,
            HttpExchange http,
            Signing signing,
            InstantSource clock) {
        this.sources = sources;
        this.type = type;
        this.http = http;
        this.signing = signing;
        this.clock = clock;
    }

    /** The refusal of one change for good. */
    private static final class Refusal extends IOException {
        Refusal(String message) {
            super(message);
        }
    }

    /** The change is at the destination. */
    private static final class Repeated extends IOException {}

    @Override
    public Optional<String> apply(ReplicationMessage change) throws IOException {
        Optional<ObjectVersion> version = sources.find(change);
        if (version.isEmpty() && change.kind() != ReplicationMessage.Kind.REMOVAL) {
            return Optional.empty();
        }
        try {
            switch (change.kind()) {
                case VERSION -> put(change, version.orElseThrow());
                case MARKER -> send(change, "DELETE", Map.of(), replica(change), new byte[0]);
                case REMOVAL -> remove(change);
                case TAGS -> tag(change, version.orElseThrow());
                case LOCK -> lock(change, version.orElseThrow());
            }
            return Optional.empty();
        } catch (Repeated e) {
            return Optional.empty();
        } catch (Refusal e) {
            return Optional.of(e.getMessage());
        }
    }

    private Map<String, String> replica(ReplicationMessage change) {
        return type == ReplicationConfig.Type.VOLUTE
                ? Map.of(ObjectAttributes.REPLICA, sources.origin(change).text())
                : Map.of();
    }

    private void put(ReplicationMessage change, ObjectVersion version) throws IOException {
        boolean isLarge = version.bytes() > MOST_SIGNED_BYTES;
        if (isLarge && type == ReplicationConfig.Type.VOLUTE && find(change).isPresent()) {
            return;
        }
        Map<String, String> headers =
                new TreeMap<>(ReplicaHeaders.of(version, change, clock.instant()));
        try (Sources.Content content = sources.open(change)) {
            if (!content.parts().isEmpty()) {
                putParts(change, version, headers, content);
                return;
            }
            headers.putAll(ReplicaHeaders.checksums(version));
            headers.putAll(replica(change));
            if (isLarge) {
                Answer unused =
                        send(
                                change,
                                "PUT",
                                Map.of(),
                                headers,
                                new Sent(
                                        out -> content.copy(0, version.bytes(), out),
                                        version.bytes(),
                                        UNSIGNED));
            } else {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                content.copy(0, version.bytes(), bytes);
                Answer unused = send(change, "PUT", Map.of(), headers, bytes.toByteArray());
            }
        }
    }

    /** The same parts make the same ETag. */
    private void putParts(
            ReplicationMessage change,
            ObjectVersion version,
            Map<String, String> headers,
            Sources.Content content)
            throws IOException {
        Optional<Checksum> checksum = version.attributes().checksum();
        if (checksum.isPresent()) {
            headers.put("x-amz-checksum-algorithm", checksum.get().algorithm().name());
            headers.put("x-amz-checksum-type", checksum.get().type().name());
        }
        headers.putAll(replica(change));
        Answer begun = send(change, "POST", Map.of("uploads", ""), headers, new byte[0]);
        String upload =
                xml(begun, "InitiateMultipartUploadResult").childText("UploadId").orElse("");
        XmlWriter complete = XmlWriter.document("CompleteMultipartUpload");
        try {
            long begin = 0;
            for (int number = 1; number <= content.parts().size(); number++) {
                long from = begin;
                long end = begin + content.parts().get(number - 1);
                Answer part =
                        send(
                                change,
                                "PUT",
                                Map.of("uploadId", upload, "partNumber", Integer.toString(number)),
                                Map.of(),
                                new Sent(
                                        out -> content.copy(from, end, out), end - from, UNSIGNED));
                complete.begin("Part").element("PartNumber", Integer.toString(number));
                complete.element("ETag", part.headers().getOrDefault("etag", "")).end();
                begin = end;
            }
            Answer done =
                    send(
                            change,
                            "POST",
                            Map.of("uploadId", upload),
                            replica(change),
                            complete.finish());
            XmlElement unused = xml(done, "CompleteMultipartUploadResult");
        } catch (IOException e) {
            abort(change, upload);
            throw e;
        }
    }

    private void abort(ReplicationMessage change, String upload) {
        try {
            Answer unused =
                    send(change, "DELETE", Map.of("uploadId", upload), Map.of(), new byte[0]);
        } catch (IOException e) {
            return; // The failure of the upload is the one to report.
        }
    }

    private void remove(ReplicationMessage change) throws IOException {
        if (type == ReplicationConfig.Type.S3) {
            throw new Refusal("a target of type s3 cannot find the replica of a version");
        }
        Optional<String> id = find(change);
        if (id.isPresent()) {
            Map<String, String> headers = new HashMap<>(replica(change));
            headers.put("x-amz-bypass-governance-retention", "true");
            Answer unused =
                    send(change, "DELETE", Map.of("versionId", id.get()), headers, new byte[0]);
        }
    }

    private void tag(ReplicationMessage change, ObjectVersion version) throws IOException {
        Optional<Map<String, String>> query = query(change, version, "tagging");
        if (query.isPresent()) {
            Map<String, String> tags = version.attributes().tags();
            Answer unused =
                    tags.isEmpty()
                            ? send(change, "DELETE", query.get(), replica(change), new byte[0])
                            : sendXml(change, query.get(), BucketDocuments.tagging(tags));
        }
    }

    private void lock(ReplicationMessage change, ObjectVersion version) throws IOException {
        Optional<Map<String, String>> retention = query(change, version, "retention");
        Optional<Map<String, String>> hold = query(change, version, "legal-hold");
        ObjectLock lock = version.attributes().lock();
        boolean isOver = lock.retention().filter(each -> !each.lasts(clock.instant())).isPresent();
        if (retention.isPresent() && !isOver) {
            byte[] document =
                    lock.retention()
                            .map(Locks::document)
                            .orElseGet(() -> XmlWriter.document("Retention").finish());
            Answer unused = sendXml(change, retention.get(), document);
        }
        if (hold.isPresent() && lock.legalHold().isPresent()) {
            Answer unused = sendXml(change, hold.get(), Locks.document(lock.legalHold().get()));
        }
    }

    /**
     * Returns the query of a change of a version; empty when the destination does not have the
     * version.
     */
    private Optional<Map<String, String>> query(
            ReplicationMessage change, ObjectVersion version, String subresource)
            throws IOException {
        if (type == ReplicationConfig.Type.S3) {
            return version.latest() ? Optional.of(Map.of(subresource, "")) : Optional.empty();
        }
        return find(change).map(id -> Map.of(subresource, "", "versionId", id));
    }

    /** Returns the version id of the replica; empty when there is none. */
    private Optional<String> find(ReplicationMessage change) throws IOException {
        Answer answer =
                answer(
                        change,
                        "HEAD",
                        Map.of(),
                        Map.of(ReplicaLookup.HEADER, sources.origin(change).text()),
                        Sent.of(new byte[0]));
        return switch (answer.status()) {
            // A delete marker has status 405.
            case 200, 405 -> Optional.ofNullable(answer.headers().get("x-amz-version-id"));
            case 404 -> Optional.empty();
            default -> throw new IOException("HEAD answered with " + answer.status());
        };
    }

    /** The body of a request and its hash, as the signature has it. */
    private record Sent(HttpExchange.Body body, long bytes, String sha256) {
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

    private Answer sendXml(ReplicationMessage change, Map<String, String> query, byte[] document)
            throws IOException {
        Map<String, String> headers = new HashMap<>(replica(change));
        headers.put("x-amz-bypass-governance-retention", "true");
        headers.put("content-md5", Base64.getEncoder().encodeToString(digest("MD5", document)));
        return send(change, "PUT", query, headers, document);
    }

    private Answer send(
            ReplicationMessage change,
            String method,
            Map<String, String> query,
            Map<String, String> headers,
            byte[] body)
            throws IOException {
        return send(change, method, query, headers, Sent.of(body));
    }

    private Answer send(
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
        throw FINAL.contains(code) ? new Refusal(what) : new IOException(what);
    }

    private Answer answer(
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
                        signing.signer()
                                .headersOf(
                                        new RequestSigner.Target(
                                                method, signing.authority(), path, parameters),
                                        body.sha256(),
                                        all,
                                        clock.instant()));
        signed.put("content-length", Long.toString(body.bytes()));
        String target = parameters.isEmpty() ? path : path + "?" + parameters;
        return http.send(method, target, signed, body.body(), body.bytes());
    }

    private static XmlElement xml(Answer answer, String root) throws IOException {
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
