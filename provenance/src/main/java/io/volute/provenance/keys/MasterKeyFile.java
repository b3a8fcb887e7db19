package io.volute.provenance.keys;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.secrecy.Aead;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;

/**
 * A master key as a line of text, so that it can be copied by hand and a bad copy is noticed:
 *
 * <pre>
 *   volute-master-key-1 BASE64 CHECKSUM LF
 *       BASE64    of the 32 bytes, with padding
 *       CHECKSUM  the first 8 bytes of H("master-key", the 32 bytes), in hex
 * </pre>
 *
 * Without the key nothing that was sealed can be opened, so a file is never replaced.
 */
final class MasterKeyFile {
    private static final String FORM = "volute-master-key-1";
    private static final int CHECKSUM_CHARS = 16;

    private final PrivateFile file;

    MasterKeyFile(Path file) {
        this.file = new PrivateFile("the master key file", file);
    }

    MasterKey read() throws IOException {
        return parse(file.read())
                .orElseThrow(
                        () ->
                                file.unusable(
                                        "is damaged, or of a form that this version does not know;"
                                                + " put back a copy of it"));
    }

    private static Optional<MasterKey> parse(String line) {
        String[] parts = line.split(" ", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        byte[] key;
        try {
            key = Base64.getDecoder().decode(parts[1]);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        return key.length == Aead.KEY_BYTES && line(key).equals(line)
                ? Optional.of(new MasterKey(key))
                : Optional.empty();
    }

    private static String line(byte[] key) {
        String checksum = Domain.MASTER_KEY.hash(Bytes.of(key)).hex().substring(0, CHECKSUM_CHARS);
        return FORM + " " + Base64.getEncoder().encodeToString(key) + " " + checksum;
    }

    static MasterKey create(SecureRandom random, MasterKey.Saving saving) throws IOException {
        byte[] key = new byte[Aead.KEY_BYTES];
        random.nextBytes(key);
        saving.save(line(key) + "\n");
        return new MasterKey(key);
    }
}
