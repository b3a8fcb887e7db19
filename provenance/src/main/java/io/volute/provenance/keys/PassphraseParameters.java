package io.volute.provenance.keys;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import java.security.SecureRandom;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * How a passphrase becomes a key: Argon2id (RFC 9106), version 0x13, one lane, because it is
 * computed by one thread here. Public; kept beside what was sealed.
 *
 * @param memoryKib taken while the key is derived, 8 MiB to 1 GiB
 * @param passes over that memory, 1 to 16
 * @param salt 16 bytes, random
 */
public record PassphraseParameters(int memoryKib, int passes, Bytes salt) {
    public static final int SALT_BYTES = 16;

    private static final int VERSION = 1;
    private static final int ARGON2ID = 1;
    private static final int MEMORY_KIB_MIN = 8 << 10;
    private static final int MEMORY_KIB_MAX = 1 << 20;
    private static final int PASSES_MAX = 16;

    /** The memory size that RFC 9106 recommends for memory-constrained environments. */
    private static final int MEMORY_KIB = 64 << 10;

    private static final int PASSES = 3;

    public PassphraseParameters {
        if (!isMemory(memoryKib) || !isPasses(passes) || salt.length() != SALT_BYTES) {
            throw new IllegalArgumentException(
                    memoryKib + " KiB, " + passes + " passes, salt of " + salt.length());
        }
    }

    /** Creates parameters with a new salt, 64 MiB of memory and 3 passes. */
    public static PassphraseParameters generate(SecureRandom random) {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        return new PassphraseParameters(MEMORY_KIB, PASSES, Bytes.of(salt));
    }

    private static boolean isMemory(long kib) {
        return kib >= MEMORY_KIB_MIN && kib <= MEMORY_KIB_MAX;
    }

    private static boolean isPasses(int passes) {
        return passes >= 1 && passes <= PASSES_MAX;
    }

    byte[] derive(char[] passphrase, int bytes) {
        if (passphrase.length == 0) {
            throw new IllegalArgumentException("the passphrase is empty");
        }
        Argon2BytesGenerator argon2 = new Argon2BytesGenerator();
        argon2.init(
                new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                        .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                        .withMemoryAsKB(memoryKib)
                        .withIterations(passes)
                        .withParallelism(1)
                        .withSalt(salt.toArray())
                        .build());
        byte[] key = new byte[bytes];
        argon2.generateBytes(passphrase, key);
        return key;
    }

    public Bytes encode() {
        return new ByteWriter()
                .u8(VERSION)
                .u8(ARGON2ID)
                .u32(memoryKib)
                .u8(passes)
                .raw(salt)
                .toBytes();
    }

    /**
     * @throws RefusedException also when deriving would take more than 1 GiB or 16 passes
     */
    public static PassphraseParameters decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "passphrase parameters");
        in.only(VERSION, "version");
        in.only(ARGON2ID, "key derivation");
        long memoryKib = in.u32("memory");
        if (!isMemory(memoryKib)) {
            throw in.refused("memory of " + memoryKib + " KiB is not 8 MiB to 1 GiB");
        }
        int passes = in.u8("passes");
        if (!isPasses(passes)) {
            throw in.refused(passes + " passes, not 1 to " + PASSES_MAX);
        }
        Bytes salt = in.raw(SALT_BYTES, "salt");
        in.end();
        return new PassphraseParameters((int) memoryKib, passes, salt);
    }
}
