package io.volute.provenance.keys;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.secrecy.Aead;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * Bytes encrypted with the master key: they can lie in the store, or be given away. They open only
 * for the purpose and under the name that they were sealed for.
 *
 * <pre>
 *   u8 version 1 | 12 bytes nonce | encrypted bytes with tag of 16
 * </pre>
 *
 * The nonce is random, so a master key must not seal more than 2^32 times (NIST SP 800-38D, 8.3).
 */
public final class SealedSecret {
    private static final int VERSION = 1;

    private SealedSecret() {}

    /**
     * @param purpose what it is for, without 0x00
     * @param name what it belongs to
     */
    public static Bytes seal(
            String purpose, String name, Bytes secret, MasterKey master, SecureRandom random) {
        byte[] fresh = new byte[Aead.NONCE_BYTES];
        random.nextBytes(fresh);
        Bytes nonce = Bytes.of(fresh);
        Bytes encrypted = master.encrypt(nonce, associated(purpose, name), secret);
        return new ByteWriter().u8(VERSION).raw(nonce).raw(encrypted).toBytes();
    }

    /**
     * Decrypts a secret.
     *
     * @throws RefusedException if another master key sealed the secret, its purpose differs, or it
     *     was changed; these causes are indistinguishable
     */
    public static Bytes open(String purpose, String name, Bytes sealed, MasterKey master)
            throws RefusedException {
        ByteReader in = new ByteReader(sealed, "sealed secret");
        in.only(VERSION, "version");
        Bytes nonce = in.raw(Aead.NONCE_BYTES, "nonce");
        Bytes encrypted = in.raw(sealed.length() - 1 - Aead.NONCE_BYTES, "encrypted bytes");
        return master.decrypt(nonce, associated(purpose, name), encrypted)
                .orElseThrow(
                        () ->
                                new RefusedException(
                                        "the "
                                                + purpose
                                                + " of "
                                                + name
                                                + " was sealed with another master key, or is"
                                                + " damaged"));
    }

    private static Bytes associated(String purpose, String name) {
        return new ByteWriter()
                .raw(Domain.prefix("sealed-secret"))
                .u8(VERSION)
                .raw((purpose + "\0" + name).getBytes(StandardCharsets.UTF_8))
                .toBytes();
    }
}
