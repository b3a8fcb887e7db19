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
 * AES-256-GCM with a key that is derived for one use, so that the nonce may be zero. Every key
 * comes from {@link #derive}, with the place and name of what is encrypted in its info.
 */
final class Aead {
    static final int KEY_BYTES = 32;
    private static final GCMParameterSpec ZERO_NONCE = new GCMParameterSpec(128, new byte[12]);

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
        try {
            return Bytes.of(cipher(Cipher.ENCRYPT_MODE, key).doFinal(plain.toArray()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    /** Empty when the key is not the one, or the bytes are not those. */
    static Optional<Bytes> decrypt(byte[] key, Bytes encrypted) {
        try {
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, key);
            return Optional.of(Bytes.of(cipher.doFinal(encrypted.toArray())));
        } catch (AEADBadTagException e) {
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    private static Cipher cipher(int mode, byte[] key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), ZERO_NONCE);
        return cipher;
    }
}
