package io.volute.provenance.secrecy;

import io.volute.provenance.format.Bytes;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.generators.HKDFBytesGenerator;
import org.bouncycastle.crypto.params.HKDFParameters;

/**
 * AES-256-GCM. This package uses a zero nonce because {@link #derive} makes each key for one use:
 * its info contains place and name of the plaintext. Other callers pass a nonce that they never
 * reuse.
 */
public final class Aead {
    public static final int KEY_BYTES = 32;
    public static final int NONCE_BYTES = 12;
    public static final int TAG_BYTES = 16;
    private static final Bytes ZERO_NONCE = Bytes.of(new byte[NONCE_BYTES]);

    private Aead() {}

    /** HKDF with SHA-256. */
    static byte[] derive(byte[] secret, byte[] salt, Bytes info) {
        HKDFBytesGenerator hkdf = new HKDFBytesGenerator(new SHA256Digest());
        hkdf.init(new HKDFParameters(secret, salt, info.toArray()));
        byte[] key = new byte[KEY_BYTES];
        hkdf.generateBytes(key, 0, key.length);
        return key;
    }

    static Bytes encrypt(byte[] key, Bytes plain) {
        return encrypt(key, ZERO_NONCE, Bytes.EMPTY, plain);
    }

    /**
     * Ciphertext, then the tag.
     *
     * @param nonce 12 bytes that this key has never been used with
     * @param associated must be the same to decrypt
     */
    public static Bytes encrypt(byte[] key, Bytes nonce, Bytes associated, Bytes plain) {
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, key, nonce, associated);
            return Bytes.of(cipher.doFinal(plain.toArray()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    static Optional<Bytes> decrypt(byte[] key, Bytes encrypted) {
        return decrypt(key, ZERO_NONCE, Bytes.EMPTY, encrypted);
    }

    /** Empty when key, nonce or associated data are not the ones, or the bytes are not those. */
    public static Optional<Bytes> decrypt(
            byte[] key, Bytes nonce, Bytes associated, Bytes encrypted) {
        try {
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, key, nonce, associated);
            return Optional.of(Bytes.of(cipher.doFinal(encrypted.toArray())));
        } catch (AEADBadTagException e) {
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    private static Cipher cipher(int mode, byte[] key, Bytes nonce, Bytes associated)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        GCMParameterSpec spec = new GCMParameterSpec(TAG_BYTES * 8, nonce.toArray());
        cipher.init(mode, new SecretKeySpec(key, "AES"), spec);
        cipher.updateAAD(associated.toArray());
        return cipher;
    }
}
