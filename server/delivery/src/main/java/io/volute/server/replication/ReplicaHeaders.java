package io.volute.server.replication;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.request.HttpDates;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import io.volute.versioning.value.ObjectVersion;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The headers with which a version is written as it is at the source. */
final class ReplicaHeaders {
    private static final String ENCRYPTION = "x-amz-server-side-encryption";

    private ReplicaHeaders() {}

    /** Returns the headers of a new version, without checksums of its content. */
    static Map<String, String> of(ObjectVersion version, ReplicationMessage change, Instant now) {
        ObjectAttributes attributes = version.attributes();
        Map<String, String> headers = new TreeMap<>();
        attributes
                .headers()
                .forEach(
                        (name, value) -> {
                            if (!name.startsWith("x-volute-")) {
                                headers.put(name, value);
                            }
                        });
        headers.putIfAbsent("content-type", "binary/octet-stream");
        attributes
                .userMetadata()
                .forEach((name, value) -> headers.put("x-amz-meta-" + name, value));
        if (!attributes.tags().isEmpty()) {
            headers.put("x-amz-tagging", RequestSigner.query(attributes.tags()));
        }
        if (!change.storageClass().isEmpty()) {
            headers.put(ObjectAttributes.STORAGE_CLASS, change.storageClass());
        }
        attributes
                .lock()
                .retention()
                .filter(retention -> retention.lasts(now))
                .ifPresent(
                        retention -> {
                            headers.put("x-amz-object-lock-mode", retention.mode().name());
                            headers.put(
                                    "x-amz-object-lock-retain-until-date",
                                    HttpDates.document(retention.until()));
                        });
        attributes
                .lock()
                .legalHold()
                .ifPresent(hold -> headers.put("x-amz-object-lock-legal-hold", hold.name()));
        StoredEncryption.of(attributes)
                .ifPresent(
                        encryption -> {
                            boolean isNamed = encryption.mode() == StoredEncryption.Mode.NAMED;
                            headers.put(ENCRYPTION, isNamed ? "aws:kms" : "AES256");
                            if (isNamed) {
                                headers.put(ENCRYPTION + "-aws-kms-key-id", change.keyId());
                            }
                        });
        return headers;
    }

    /** Returns the headers with checksums of the whole content. */
    static Map<String, String> checksums(ObjectVersion version) {
        Map<String, String> headers = new TreeMap<>();
        String etag = version.attributes().etag();
        if (etag.matches("[0-9a-f]{32}")) {
            headers.put(
                    "content-md5",
                    Base64.getEncoder().encodeToString(HexFormat.of().parseHex(etag)));
        }
        Optional<Checksum> checksum = version.attributes().checksum();
        if (checksum.isPresent() && checksum.get().type() == Type.FULL_OBJECT) {
            headers.put(ChecksumFamily.header(checksum.get().algorithm()), checksum.get().value());
        }
        return headers;
    }
}
