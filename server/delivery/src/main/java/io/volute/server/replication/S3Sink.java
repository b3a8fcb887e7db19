package io.volute.server.replication;

import io.volute.server.config.ReplicationConfig;
import io.volute.server.outbound.Content;
import io.volute.server.outbound.S3Client.Answer;
import io.volute.server.s3.bucket.BucketDocuments;
import io.volute.server.s3.call.Locks;
import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.checksum.MultipartChecksums;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.s3.replication.ReplicaLookup;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A server of S3 that takes replicas over one connection. Another Volute finds the replica of a
 * version by a header, and refuses a second one. Other servers get each change as an ordinary
 * request about the newest version.
 */
final class S3Sink implements Sink {
    /** Bodies up to this size are signed, and sent without a question whether they are there. */
    private static final int MOST_SIGNED_BYTES = 64 * 1024;

    /** The reason for a version at the destination that claims to be a replica and is none. */
    static final String CLAIMED =
            "the destination has another object that claims to be this version: remove it, then"
                    + " retry";

    /** The reason for a version that a server without marks of replicas would show as newest. */
    static final String OVERTAKEN =
            "a later version of the key was replicated before it, which it would hide";

    private final String target;
    private final Sources sources;
    private final ConfigurerRights rights;
    private final ReplicationConfig.Type type;
    private final S3Requests requests;
    private final InstantSource clock;

    S3Sink(
            String target,
            Sources sources,
            ConfigurerRights rights,
            ReplicationConfig.Type type,
            S3Requests requests,
            InstantSource clock) {
        this.target = target;
        this.sources = sources;
        this.rights = rights;
        this.type = type;
        this.requests = requests;
        this.clock = clock;
    }

    @Override
    public Optional<String> apply(ReplicationMessage change) throws IOException {
        Optional<ObjectVersion> version = sources.find(change);
        if (version.isEmpty() && change.kind() != ReplicationMessage.Kind.REMOVAL) {
            return Optional.empty();
        }
        boolean makes =
                change.kind() == ReplicationMessage.Kind.VERSION
                        || change.kind() == ReplicationMessage.Kind.MARKER;
        if (makes
                && type == ReplicationConfig.Type.S3
                && !version.orElseThrow().latest()
                && sources.isOvertaken(change, target)) {
            return Optional.of(OVERTAKEN);
        }
        try {
            // The target judges its own credential; this store judges who reads the source.
            ConfigurerRights.Rights unused = rights.of(change, version);
            switch (change.kind()) {
                case EXISTING -> add(change, version.orElseThrow());
                case VERSION -> put(change, version.orElseThrow());
                case MARKER ->
                        requests.send(change, "DELETE", Map.of(), replica(change), Content.NONE);
                case REMOVAL -> remove(change);
                case TAGS -> tag(change, version.orElseThrow());
                case LOCK -> lock(change, version.orElseThrow());
            }
            return Optional.empty();
        } catch (ConfigurerRights.RefusedException e) {
            return Optional.of(e.getMessage());
        } catch (S3Requests.Repeated e) {
            return isOther(change, version) ? Optional.of(CLAIMED) : Optional.empty();
        } catch (S3Requests.Refusal e) {
            return Optional.of(e.getMessage());
        }
    }

    /** Returns whether the version that is there already is not the replica. */
    private boolean isOther(ReplicationMessage change, Optional<ObjectVersion> version)
            throws IOException {
        if (type != ReplicationConfig.Type.VOLUTE || version.isEmpty()) {
            return false;
        }
        Answer there = head(change);
        if (version.get().deleteMarker() || there.status() != 200) {
            return there.status() == 200;
        }
        String bytes = there.headers().getOrDefault("content-length", "");
        String etag = there.headers().getOrDefault("etag", "").replace("\"", "");
        boolean isPlain = StoredEncryption.of(version.get().attributes()).isEmpty();
        return !bytes.equals(Long.toString(version.get().bytes()))
                || isPlain && !etag.equals(version.get().attributes().etag());
    }

    private Map<String, String> replica(ReplicationMessage change) {
        return type == ReplicationConfig.Type.VOLUTE
                ? Map.of(ObjectAttributes.REPLICA, sources.origin(change).text())
                : Map.of();
    }

    /** Sends a version that was there before the configuration, unless the destination has it. */
    private void add(ReplicationMessage change, ObjectVersion version) throws IOException {
        if (isThere(change, version)) {
            return;
        }
        if (version.deleteMarker()) {
            Answer unused =
                    requests.send(change, "DELETE", Map.of(), replica(change), Content.NONE);
        } else {
            put(change, version);
        }
    }

    /** A server that knows no replicas gets the newest version alone: any other would hide it. */
    private boolean isThere(ReplicationMessage change, ObjectVersion version) throws IOException {
        if (type == ReplicationConfig.Type.VOLUTE) {
            return find(change).isPresent();
        }
        if (!version.latest()) {
            return true;
        }
        Answer head = head(change);
        return switch (head.status()) {
            case 200 ->
                    version.attributes()
                            .etag()
                            .equals(head.headers().getOrDefault("etag", "").replace("\"", ""));
            case 404, 405 -> version.deleteMarker();
            default -> throw ofHead(head);
        };
    }

    private static DeliveryException ofHead(Answer answer) {
        return new DeliveryException(
                S3Requests.reach(answer.status(), ""), "HEAD answered with " + answer.status());
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
                        requests.send(
                                change,
                                "PUT",
                                Map.of(),
                                headers,
                                Content.unsigned(
                                        version.bytes(),
                                        out -> content.copy(0, version.bytes(), out)));
            } else {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                content.copy(0, version.bytes(), bytes);
                Answer unused =
                        requests.send(
                                change, "PUT", Map.of(), headers, Content.of(bytes.toByteArray()));
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
        boolean isComposite = MultipartChecksums.isComposite(version);
        headers.putAll(replica(change));
        Answer begun = requests.send(change, "POST", Map.of("uploads", ""), headers, Content.NONE);
        String upload =
                S3Requests.xml(begun, "InitiateMultipartUploadResult")
                        .childText("UploadId")
                        .orElse("");
        XmlWriter complete = XmlWriter.document("CompleteMultipartUpload");
        try {
            long begin = 0;
            for (int number = 1; number <= content.parts().size(); number++) {
                long from = begin;
                PartInfo sent = content.parts().get(number - 1);
                long end = begin + sent.bytes();
                Answer part =
                        requests.send(
                                change,
                                "PUT",
                                Map.of("uploadId", upload, "partNumber", Integer.toString(number)),
                                isComposite ? checksum(sent) : Map.of(),
                                Content.unsigned(end - from, out -> content.copy(from, end, out)));
                complete.begin("Part").element("PartNumber", Integer.toString(number));
                complete.element("ETag", part.headers().getOrDefault("etag", ""));
                if (isComposite) {
                    Documents.checksum(complete, sent.checksum());
                }
                complete.end();
                begin = end;
            }
            Answer done =
                    requests.send(
                            change,
                            "POST",
                            Map.of("uploadId", upload),
                            replica(change),
                            Content.of(complete.finish()));
            XmlElement unused = S3Requests.xml(done, "CompleteMultipartUploadResult");
        } catch (IOException e) {
            abort(change, upload);
            throw e;
        }
    }

    /** S3 demands the checksum of each part where the whole has one over them. */
    private static Map<String, String> checksum(PartInfo part) {
        return part.checksum()
                .map(each -> Map.of(ChecksumFamily.header(each.algorithm()), each.value()))
                .orElse(Map.of());
    }

    private void abort(ReplicationMessage change, String upload) {
        try {
            Answer unused =
                    requests.send(
                            change, "DELETE", Map.of("uploadId", upload), Map.of(), Content.NONE);
        } catch (IOException e) {
            return; // The failure of the upload is the one to report.
        }
    }

    private void remove(ReplicationMessage change) throws IOException {
        if (type == ReplicationConfig.Type.S3) {
            throw new S3Requests.Refusal(
                    "a target of type s3 cannot find the replica of a version");
        }
        Optional<String> id = find(change);
        if (id.isPresent()) {
            Answer unused =
                    requests.send(
                            change,
                            "DELETE",
                            Map.of("versionId", id.get()),
                            replica(change),
                            Content.NONE);
        }
    }

    private void tag(ReplicationMessage change, ObjectVersion version) throws IOException {
        Optional<Map<String, String>> query = query(change, version, "tagging");
        if (query.isPresent()) {
            Map<String, String> tags = version.attributes().tags();
            Answer unused =
                    tags.isEmpty()
                            ? requests.send(
                                    change, "DELETE", query.get(), replica(change), Content.NONE)
                            : requests.send(
                                    change,
                                    "PUT",
                                    query.get(),
                                    replica(change),
                                    Content.of(BucketDocuments.tagging(tags)));
        }
    }

    /** Sets holds and longer retention. The target keeps what protects the replica more. */
    private void lock(ReplicationMessage change, ObjectVersion version) throws IOException {
        ObjectLock wanted = ConfigurerRights.lasting(version.attributes().lock(), clock.instant());
        Optional<Map<String, String>> retention = query(change, version, "retention");
        Optional<Map<String, String>> hold = query(change, version, "legal-hold");
        if (retention.isPresent() && wanted.retention().isPresent() && isLonger(change, wanted)) {
            Answer unused =
                    requests.send(
                            change,
                            "PUT",
                            retention.get(),
                            replica(change),
                            Content.of(Locks.document(wanted.retention().get())));
        }
        if (hold.isPresent() && wanted.legalHold().equals(Optional.of(LegalHold.ON))) {
            Answer unused =
                    requests.send(
                            change,
                            "PUT",
                            hold.get(),
                            replica(change),
                            Content.of(Locks.document(LegalHold.ON)));
        }
    }

    /** Returns whether the retention lasts longer than that of the replica, if it shows one. */
    private boolean isLonger(ReplicationMessage change, ObjectLock wanted) throws IOException {
        String shown = head(change).headers().get("x-amz-object-lock-retain-until-date");
        if (shown == null) {
            return true;
        }
        try {
            return wanted.retention().orElseThrow().until().isAfter(Instant.parse(shown));
        } catch (DateTimeException e) {
            throw new IOException("HEAD answered with the retention " + shown, e);
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
            // Without a mark the object there need not be a replica.
            boolean isMarked =
                    version.attributes().headers().containsKey(ObjectAttributes.REPLICATION);
            return version.latest() && isMarked
                    ? Optional.of(Map.of(subresource, ""))
                    : Optional.empty();
        }
        return find(change).map(id -> Map.of(subresource, "", "versionId", id));
    }

    private Answer head(ReplicationMessage change) throws IOException {
        Map<String, String> selection =
                type == ReplicationConfig.Type.VOLUTE
                        ? Map.of(ReplicaLookup.HEADER, sources.origin(change).text())
                        : Map.of();
        return requests.answer(change, "HEAD", Map.of(), selection, Content.NONE);
    }

    /** Returns the version id of the replica; empty when there is none. */
    private Optional<String> find(ReplicationMessage change) throws IOException {
        Answer answer = head(change);
        return switch (answer.status()) {
            // A delete marker has status 405.
            case 200, 405 -> Optional.ofNullable(answer.headers().get("x-amz-version-id"));
            case 404 -> Optional.empty();
            default -> throw ofHead(answer);
        };
    }

    @Override
    public void close() {
        requests.close();
    }
}
