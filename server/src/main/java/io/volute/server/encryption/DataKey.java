package io.volute.server.encryption;

import io.volute.provenance.format.Domain;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of one object, or of the parts of one upload. Each body that it encrypts has a stream key
 * of its own, derived with a random salt. Thread-safe. {@link #toString} has no secret.
 */
public final class DataKey {
    static final int SALT_BYTES = 16;
    private static final byte[] LABEL = Domain.prefix("body-stream");

    private final byte[] secret;
    private final SecureRandom random;

    /** The last derived key: most objects have one body. */
    private volatile Optional<Stream> last = Optional.empty();

    private record Stream(byte[] salt, SecretKeySpec key) {}

    DataKey(byte[] secret, SecureRandom random) {
        this.secret = secret;
        this.random = random;
    }

    byte[] secret() {
        return secret;
    }

    /**
     * Returns a writer that encrypts a body.
     *
     * @param target is finished and closed with it
     * @param expectedBytes length of the content, if it is known
     */
    public BlobWriter over(BlobWriter target, OptionalLong expectedBytes) {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        return new EncryptingWriter(target, streamKey(salt), salt, expectedBytes);
    }

    /**
     * Returns a reader of the content of encrypted bodies.
     *
     * @param bodies the reader of their bytes, one behind the other; closed with it
     * @param contentBytes lengths of their contents, in order
     */
    public BlobReader over(BlobReader bodies, List<Long> contentBytes) {
        return new DecryptingReader(bodies, this, contentBytes);
    }

    SecretKeySpec streamKey(byte[] salt) {
        return last.filter(each -> Arrays.equals(each.salt, salt))
                .orElseGet(
                        () -> {
                            byte[] derived = mac(secret, LABEL, salt);
                            Stream made = new Stream(salt, new SecretKeySpec(derived, "AES"));
                            last = Optional.of(made);
                            return made;
                        })
                .key;
    }

    /** Returns the HMAC-SHA256 of the parts, one behind the other. */
    static byte[] mac(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HMAC-SHA256", e);
        }
    }

    @Override
    public String toString() {
        return "data key";
    }
}
