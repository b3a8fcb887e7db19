package io.volute.server.startup;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.PassphraseParameters;
import io.volute.provenance.keys.PrivateFile;
import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.security.SecureRandom;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The master key from a passphrase. The passphrase is the first line of a file that only its owner
 * may read or write. The parameters are in the data directory, because they are public.
 */
final class PassphraseKey {
    private static final Logger LOG = LoggerFactory.getLogger(PassphraseKey.class);
    private static final int LONGEST_PASSPHRASE_BYTES = 4096;
    private static final int LONGEST_PARAMETERS_BYTES = 256;

    private final FileSystem files;
    private final Path file;
    private final Path parameters;

    /**
     * @param files hold the parameters
     * @param file with the passphrase
     * @param parameters of the derivation; made when they are not there
     */
    PassphraseKey(FileSystem files, Path file, Path parameters) {
        this.files = files;
        this.file = file;
        this.parameters = parameters;
    }

    /**
     * Derives the master key, in some tenths of a second with 64 MiB. No passphrase is wrong here:
     * with another one, the store's signing keys do not open.
     *
     * @param isSealed whether the store has signing keys; then the parameters must exist already
     * @throws IOException when the passphrase or its parameters cannot be used; the message names
     *     the next step
     */
    MasterKey derive(boolean isSealed, SecureRandom random) throws IOException {
        char[] passphrase = read();
        try {
            return MasterKey.ofPassphrase(passphrase, parameters(isSealed, random));
        } finally {
            Arrays.fill(passphrase, '\0');
        }
    }

    private char[] read() throws IOException {
        PosixFileAttributes attributes;
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            attributes = Files.readAttributes(file, PosixFileAttributes.class);
            bytes = in.readNBytes(LONGEST_PASSPHRASE_BYTES + 1);
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "the passphrase file " + file + " is missing: write the passphrase in it", e);
        }
        new PrivateFile("the passphrase file", file).checkReaders(attributes);
        int end = 0;
        while (end < bytes.length && bytes[end] != '\n' && bytes[end] != '\r') {
            end++;
        }
        if (end == 0 || end > LONGEST_PASSPHRASE_BYTES) {
            throw new IOException(
                    "the first line of "
                            + file
                            + " is no passphrase: it has 1 to "
                            + LONGEST_PASSPHRASE_BYTES
                            + " bytes");
        }
        return decode(bytes, end);
    }

    private char[] decode(byte[] bytes, int end) throws IOException {
        try {
            CharBuffer text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, end));
            char[] passphrase = new char[text.remaining()];
            text.get(passphrase);
            Arrays.fill(text.array(), '\0');
            return passphrase;
        } catch (CharacterCodingException e) {
            throw new IOException("the passphrase in " + file + " is not UTF-8", e);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /**
     * Returns the parameters, which survive a crash from now on. Those that nothing was sealed with
     * are made, and replaced when they are damaged.
     */
    PassphraseParameters parameters(boolean isSealed, SecureRandom random) throws IOException {
        boolean exists = files.exists(parameters);
        if (!exists && isSealed) {
            throw new IOException(
                    parameters
                            + " is missing, and the signing keys of this store are sealed already:"
                            + " put it back; or, if they were never sealed with a passphrase, leave"
                            + " out provenance.passphrase-file");
        }
        if (exists) {
            try {
                PassphraseParameters stored = PassphraseParameters.decode(stored());
                if (!isSealed) {
                    MasterKeys.keep(files, parameters);
                }
                return stored;
            } catch (RefusedException e) {
                if (isSealed) {
                    throw new IOException(
                            parameters + " is damaged: put back a copy (" + e.getMessage() + ")",
                            e);
                }
                LOG.warn("{} is damaged and nothing was sealed with it: replaced", parameters);
            }
        }
        PassphraseParameters made = PassphraseParameters.generate(random);
        DurableDirectories.create(files, parameters.toAbsolutePath().getParent());
        DurableFile.write(files, parameters, out -> out.write(made.encode().toArray()));
        return made;
    }

    private Bytes stored() throws IOException {
        try (StoredFile open = files.open(parameters, FileSystem.Access.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(LONGEST_PARAMETERS_BYTES);
            int length = open.read(bytes, 0);
            return Bytes.of(Arrays.copyOf(bytes.array(), length));
        }
    }
}
