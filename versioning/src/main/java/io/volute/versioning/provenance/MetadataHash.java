package io.volute.versioning.provenance;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.EventKind;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Hashes of the attributes of a version, in the forms of docs/format/provenance.md. */
public final class MetadataHash {
    private MetadataHash() {}

    /** Returns the hash of headers, user metadata and tags; empty when there are none. */
    public static Optional<Hash> of(ObjectAttributes attributes) {
        SortedMap<String, String> headers =
                attributes.withHeader(ObjectAttributes.REPLICATION, Optional.empty()).headers();
        if (headers.isEmpty()
                && attributes.userMetadata().isEmpty()
                && attributes.tags().isEmpty()) {
            return Optional.empty();
        }
        ByteWriter out = new ByteWriter();
        write(out, headers);
        write(out, attributes.userMetadata());
        write(out, attributes.tags());
        return Optional.of(Domain.METADATA.hash(out.toBytes()));
    }

    public static Hash ofTags(Map<String, String> tags) {
        ByteWriter out = new ByteWriter();
        write(out, tags);
        return Domain.TAGS.hash(out.toBytes());
    }

    /**
     * Returns the hash of what a change of a version in place sets; of an ACL as it is stored, of
     * no bytes when there is none.
     *
     * @param kind TAGS, ACL or LOCK
     */
    static Hash of(EventKind kind, ObjectAttributes attributes) {
        return switch (kind) {
            case TAGS -> ofTags(attributes.tags());
            case ACL ->
                    Domain.ACL.hash(
                            Bytes.of(attributes.headers().getOrDefault(ObjectAttributes.ACL, "")));
            case LOCK -> ofLock(attributes.lock());
            default -> throw new IllegalArgumentException(kind + " changes no version in place");
        };
    }

    /** Returns the hash of the parts of a lock that are set. */
    public static Hash ofLock(ObjectLock lock) {
        Map<String, String> words = new HashMap<>();
        lock.retention()
                .ifPresent(
                        retention -> {
                            words.put("mode", retention.mode().name());
                            words.put("until", Long.toString(retention.until().toEpochMilli()));
                        });
        lock.legalHold().ifPresent(hold -> words.put("legal-hold", hold.name()));
        ByteWriter out = new ByteWriter();
        write(out, words);
        return Domain.LOCK.hash(out.toBytes());
    }

    /** Returns the hash of the attributes that never change: size, parts, time, ETag, checksum. */
    public static Hash ofAttributes(ObjectVersion version) {
        String checksum =
                version.attributes()
                        .checksum()
                        .map(each -> each.algorithm() + "/" + each.type() + "/" + each.value())
                        .orElse("");
        ByteWriter out =
                new ByteWriter()
                        .u64(version.bytes())
                        .u32(version.parts())
                        .u64(version.modified().toEpochMilli())
                        .bytes32(Bytes.of(version.attributes().etag()))
                        .bytes32(Bytes.of(checksum));
        return Domain.ATTRIBUTES.hash(out.toBytes());
    }

    private static void write(ByteWriter out, Map<String, String> map) {
        SortedMap<Bytes, Bytes> sorted = new TreeMap<>();
        map.forEach((name, value) -> sorted.put(Bytes.of(name), Bytes.of(value)));
        out.u32(sorted.size());
        sorted.forEach((name, value) -> out.bytes32(name).bytes32(value));
    }
}
