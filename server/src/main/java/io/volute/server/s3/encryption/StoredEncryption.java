package io.volute.server.s3.encryption;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.secrecy.Aead;
import io.volute.server.encryption.EncryptionContext;
import io.volute.server.encryption.WrappedKey;
import io.volute.server.encryption.WrappedKey.ByKeyring;
import io.volute.server.encryption.WrappedKey.ByService;
import io.volute.server.encryption.WrappedKey.Form;
import io.volute.versioning.value.ObjectAttributes;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The encryption of an object or upload, as it lies among its headers. Clients never see that
 * header. In Base64:
 *
 * <pre>
 *   u8 version 3 | u8 mode | u8 1 with a bucket key | text16 named key | u32 its version
 *   | u64 id of the bucket | u32 generation | the wrapped data key
 *   | encryption context: u16 number of pairs | text16 name and text16 value for each
 * </pre>
 *
 * <p>The wrapped data key is 1, a nonce of 12 bytes and 48 encrypted bytes, or for one of a key
 * service 2 and the text16 of the service. Version 2, of data keys that hang on the name of the
 * bucket, has no id. Version 1 had neither the byte before the nonce nor a context.
 *
 * @param bucketKey whether the client selected a bucket key, which saves nothing here
 */
public record StoredEncryption(Mode mode, boolean bucketKey, WrappedKey key) {
    /** Name of the header, which no client can set. */
    private static final String HEADER = "x-volute-encryption";

    private static final int WITHOUT_CONTEXT = 1;
    private static final int BY_NAME = 2;
    private static final int VERSION = 3;
    private static final int BY_KEYRING = 1;
    private static final int BY_SERVICE = 2;
    private static final int LONGEST_CIPHERTEXT_BYTES = 4096;
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
        ByteWriter out =
                new ByteWriter()
                        .u8(key.bucketId().isPresent() ? VERSION : BY_NAME)
                        .u8(mode.code)
                        .u8(bucketKey ? 1 : 0)
                        .text(key.name())
                        .u32(key.version());
        key.bucketId().ifPresent(out::u64);
        out.u32(key.generation());
        switch (key.form()) {
            case ByKeyring form -> out.u8(BY_KEYRING).raw(form.nonce()).raw(form.encrypted());
            case ByService form -> out.u8(BY_SERVICE).text(form.ciphertext());
        }
        key.context().encode(out);
        return Base64.getEncoder().encodeToString(out.toBytes().toArray());
    }

    private static StoredEncryption read(String text) {
        try {
            ByteReader in =
                    new ByteReader(
                            Bytes.of(Base64.getDecoder().decode(text)), "encryption of an object");
            int format = in.u8("version");
            if (format < WITHOUT_CONTEXT || format > VERSION) {
                throw in.refused("version " + format + " is unknown");
            }
            Mode mode = mode(in);
            boolean bucketKey = in.u8("bucket key") == 1;
            String name = in.text(0, LONGEST_NAME_BYTES, "name");
            int version = (int) in.u32("version");
            OptionalLong bucketId =
                    format == VERSION ? OptionalLong.of(in.u64("bucket id")) : OptionalLong.empty();
            int generation = (int) in.u32("generation");
            Form form = form(in, format == WITHOUT_CONTEXT ? BY_KEYRING : in.u8("named key"));
            EncryptionContext context =
                    format == WITHOUT_CONTEXT
                            ? EncryptionContext.NONE
                            : EncryptionContext.decode(in);
            in.end();
            return new StoredEncryption(
                    mode,
                    bucketKey,
                    new WrappedKey(name, version, bucketId, generation, context, form));
        } catch (RefusedException | IllegalArgumentException e) {
            throw new IllegalStateException("the encryption of an object cannot be read", e);
        }
    }

    private static Form form(ByteReader in, int place) throws RefusedException {
        return switch (place) {
            case BY_KEYRING ->
                    new ByKeyring(
                            in.raw(Aead.NONCE_BYTES, "nonce"),
                            in.raw(Aead.KEY_BYTES + Aead.TAG_BYTES, "data key"));
            case BY_SERVICE -> new ByService(in.text(1, LONGEST_CIPHERTEXT_BYTES, "data key"));
            default -> throw in.refused("place " + place + " of the named key is unknown");
        };
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
