package io.volute.server.s3.replication;

import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectVersion;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.OptionalLong;

/**
 * A message about a change to replicate. In the outbox: octet 1, the version of this layout; octet,
 * the kind; u64, the number of the version; u64, the id of the source bucket, which layout 1 does
 * not have; then in UTF-8, each behind its length as u16, the source bucket, the key, the
 * destination bucket, the storage class and the named key of encryption.
 *
 * @param number of the version
 * @param bucketId of the source bucket; empty in a message of an earlier release
 * @param storageClass of the replica; empty for that of the version
 * @param keyId named key of encryption of the replica; empty for none
 */
public record ReplicationMessage(
        Kind kind,
        long number,
        OptionalLong bucketId,
        String bucket,
        String key,
        String destination,
        String storageClass,
        String keyId) {
    private static final int WITHOUT_ID = 1;
    private static final int LAYOUT = 2;

    /** The kind of a change. Codes are on disk. */
    public enum Kind {
        VERSION(1),
        MARKER(2),
        REMOVAL(3),
        TAGS(4),
        LOCK(5),
        /** A version or delete marker that a run for existing objects found. */
        EXISTING(6);

        private final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    public static ReplicationMessage of(
            BucketInfo bucket, ObjectVersion version, Kind kind, ReplicationRule rule) {
        return new ReplicationMessage(
                kind,
                version.number(),
                OptionalLong.of(bucket.id()),
                bucket.name().value(),
                version.key().value(),
                rule.destination().bucket(),
                rule.storageClass().orElse(""),
                rule.keyId().orElse(""));
    }

    /** Returns whether a bucket with the name of the source bucket is the source bucket. */
    public boolean isOf(long id) {
        return bucketId.orElse(id) == id;
    }

    /** Returns the content of a message in the outbox, in the layout that it was decoded from. */
    public byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(bucketId.isPresent() ? LAYOUT : WITHOUT_ID);
            out.writeByte(kind.code);
            out.writeLong(number);
            if (bucketId.isPresent()) {
                out.writeLong(bucketId.getAsLong());
            }
            out.writeUTF(bucket);
            out.writeUTF(key);
            out.writeUTF(destination);
            out.writeUTF(storageClass);
            out.writeUTF(keyId);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Decodes the content of a message.
     *
     * @throws IOException when it is damaged, or of a later version
     */
    public static ReplicationMessage decode(byte[] content) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        int layout = in.readByte();
        int code = in.readByte();
        if (layout != LAYOUT && layout != WITHOUT_ID) {
            throw new IOException("a replication message of an unknown version");
        }
        for (Kind kind : Kind.values()) {
            if (kind.code == code) {
                return new ReplicationMessage(
                        kind,
                        in.readLong(),
                        layout == LAYOUT ? OptionalLong.of(in.readLong()) : OptionalLong.empty(),
                        in.readUTF(),
                        in.readUTF(),
                        in.readUTF(),
                        in.readUTF(),
                        in.readUTF());
            }
        }
        throw new IOException("a replication message of kind " + code);
    }
}
