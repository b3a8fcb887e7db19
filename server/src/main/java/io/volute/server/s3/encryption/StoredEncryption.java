package io.volute.server.s3.encryption;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.secrecy.Aead;
import io.volute.server.encryption.WrappedKey;
import io.volute.versioning.value.ObjectAttributes;
import java.util.Base64;
import java.util.Optional;

/**
 * The encryption of an object or upload, as it lies among its headers. Clients never see that
 * header. In Base64:
 *
 * <pre>
 *   u8 version 1 | u8 mode | u8 1 with a bucket key | text16 named key | u32 its version
 *   | u32 generation | 12 bytes nonce | 48 bytes encrypted data key
 * </pre>
 *
 * @param bucketKey whether the client selected a bucket key, which saves nothing here
 */
public record StoredEncryption(Mode mode, boolean bucketKey, WrappedKey key) {
    /** Name of the header, which no client can set. */
    private static final String HEADER = "x-volute-encryption";

    private static final int VERSION = 1;
    private static final int LONGEST_NAME_BYTES = 2048;

    /** The owner of the key that wraps the data key. Codes are on disk. */
    public enum Mode {
        /** The store: SSE-S3. */
        STORE(1),
        /** A named key of the store: SSE-KMS. */
        NAMED(2),
        /** The client, which sends its key with each request: SSE-C. */
        CUSTOMER(3);

        private final int code;

        Mode(int code) {
            this.code = code;
        }
    }

    /** Returns the encryption of an object; empty when it is not encrypted. */
    public static Optional<StoredEncryption> of(ObjectAttributes attributes) {
        return Optional.ofNullable(attributes.headers().get(HEADER)).map(StoredEncryption::read);
    }

    /** Returns whether a stored header is this one, which is not shown. */
    public static boolean isHeader(String name) {
        return name.equals(HEADER);
    }

    /** Returns the attributes of an object that is encrypted so, or not at all. */
    public static ObjectAttributes in(
            ObjectAttributes attributes, Optional<StoredEncryption> encryption) {
        return attributes.withHeader(HEADER, encryption.map(StoredEncryption::text));
    }

    private String text() {
        Bytes encoded =
                new ByteWriter()
                        .u8(VERSION)
                        .u8(mode.code)
                        .u8(bucketKey ? 1 : 0)
                        .text(key.name())
                        .u32(key.version())
                        .u32(key.generation())
                        .raw(key.nonce())
                        .raw(key.encrypted())
                        .toBytes();
        return Base64.getEncoder().encodeToString(encoded.toArray());
    }

    private static StoredEncryption read(String text) {
        try {
            ByteReader in =
                    new ByteReader(
                            Bytes.of(Base64.getDecoder().decode(text)), "encryption of an object");
            in.only(VERSION, "version");
            Mode mode = mode(in);
            boolean bucketKey = in.u8("bucket key") == 1;
            WrappedKey key =
                    new WrappedKey(
                            in.text(0, LONGEST_NAME_BYTES, "name"),
                            (int) in.u32("version"),
                            (int) in.u32("generation"),
                            in.raw(Aead.NONCE_BYTES, "nonce"),
                            in.raw(Aead.KEY_BYTES + Aead.TAG_BYTES, "data key"));
            in.end();
            return new StoredEncryption(mode, bucketKey, key);
        } catch (RefusedException | IllegalArgumentException e) {
            throw new IllegalStateException("the encryption of an object cannot be read", e);
        }
    }

    private static Mode mode(ByteReader in) throws RefusedException {
        int code = in.u8("mode");
        for (Mode mode : Mode.values()) {
            if (mode.code == code) {
                return mode;
            }
        }
        throw in.refused("mode " + code + " is unknown");
    }
}
