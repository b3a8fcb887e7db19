package io.volute.server.credentials;

import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The root's credential in the data directory, encrypted under a key beside it that only the owner
 * of the process may read. So a copy of the data without {@code master.key} gives nothing away.
 *
 * <pre>
 *   keys/master.key        32 random bytes, mode 0600
 *   keys/root.credential   "VOLUTECR" | version 1 (1 byte) | nonce (12) | AES-256-GCM of
 *                          access key LF secret key (UTF-8), with tag; the 9 bytes before the nonce
 *                          are authenticated too
 *   keys/root.unused       the access key, or nothing for any; there until the first request that
 *                          the root signs
 *   keys/root.environment  access key of the last start with keys of the environment
 * </pre>
 *
 * After a crash there is the whole file or none.
 */
final class CredentialFile {
    private static final Logger LOG = LoggerFactory.getLogger(CredentialFile.class);
    private static final byte[] PREFIX = "VOLUTECR\1".getBytes(StandardCharsets.US_ASCII);
    private static final int NONCE_BYTES = 12;
    private static final int KEY_BYTES = 32;
    private static final int FILE_BYTES_MAX = 4096;
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rw-------");

    /** Access key and secret. */
    record Pair(String accessKey, String secretKey) {
        @Override
        public String toString() {
            return "Pair[accessKey=" + accessKey + "]";
        }
    }

    private final FileSystem files;
    private final Path directory;
    private final Path keyFile;
    private final Path credentialFile;
    private final Path unusedFile;
    private final Path environmentFile;
    private final RandomGenerator random;

    CredentialFile(FileSystem files, Path directory, RandomGenerator random) {
        this.files = files;
        this.directory = directory;
        this.keyFile = directory.resolve("master.key");
        this.credentialFile = directory.resolve("root.credential");
        this.unusedFile = directory.resolve("root.unused");
        this.environmentFile = directory.resolve("root.environment");
        this.random = random;
    }

    /** Reads the stored credential; empty when there is none. */
    Optional<Pair> read() throws IOException {
        if (!Files.exists(credentialFile)) {
            return Optional.empty();
        }
        if (!Files.exists(keyFile)) {
            throw unusable(keyFile + " is missing; put it back");
        }
        checkMode();
        if (Files.size(credentialFile) > FILE_BYTES_MAX) {
            throw unusable("it is too long");
        }
        byte[] bytes = Files.readAllBytes(credentialFile);
        boolean ours =
                bytes.length > PREFIX.length + NONCE_BYTES
                        && ByteBuffer.wrap(bytes, 0, PREFIX.length).equals(ByteBuffer.wrap(PREFIX));
        if (!ours) {
            throw unusable("it is not of a form that this version knows");
        }
        byte[] plain;
        try {
            plain =
                    cipher(Cipher.DECRYPT_MODE, key(), bytes)
                            .doFinal(bytes, bodyBegin(), bytes.length - bodyBegin());
        } catch (GeneralSecurityException e) {
            throw unusable(
                    "it does not fit to " + keyFile + "; put back the two that belong together");
        }
        String text = new String(plain, StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        return Optional.of(new Pair(text.substring(0, end), text.substring(end + 1)));
    }

    /**
     * Returns whether a stored credential was made by this server and never used. A credential that
     * was put back in place of a made one was used before.
     */
    boolean isUnused(Pair stored) throws IOException {
        if (!Files.exists(unusedFile)) {
            return false;
        }
        String marked = text(unusedFile);
        return marked.isEmpty() || marked.equals(stored.accessKey());
    }

    /** Reads a file with an access key, which is ASCII; a damaged one has other characters. */
    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    /** Returns the access key of the last start with keys of the environment; empty for none. */
    Optional<String> lastOfEnvironment() throws IOException {
        return Files.exists(environmentFile)
                ? Optional.of(text(environmentFile).strip())
                : Optional.empty();
    }

    /** Records the access key of a start with keys of the environment. */
    void noteEnvironment(String accessKey) throws IOException {
        if (!lastOfEnvironment().equals(Optional.of(accessKey))) {
            DurableDirectories.create(files, directory);
            writeDurably(environmentFile, accessKey.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Records that the credential was used. A crash can undo it: then it is shown once more. */
    void markUsed() throws IOException {
        Files.deleteIfExists(unusedFile);
    }

    void write(Pair pair) throws IOException {
        DurableDirectories.create(files, directory);
        if (Files.exists(keyFile)) {
            LOG.warn(
                    "{} is missing: the root has a new key. To have the one before, put the file"
                            + " back and start again",
                    credentialFile);
        }
        writeDurably(unusedFile, pair.accessKey().getBytes(StandardCharsets.UTF_8));
        byte[] key;
        if (Files.exists(keyFile)) {
            checkMode();
            key = key();
        } else {
            key = new byte[KEY_BYTES];
            random.nextBytes(key);
            writeDurably(keyFile, key);
        }
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        byte[] head = ByteBuffer.allocate(bodyBegin()).put(PREFIX).put(nonce).array();
        byte[] plain =
                (pair.accessKey() + "\n" + pair.secretKey()).getBytes(StandardCharsets.UTF_8);
        try {
            byte[] secret = cipher(Cipher.ENCRYPT_MODE, key, head).doFinal(plain);
            writeDurably(
                    credentialFile,
                    ByteBuffer.allocate(head.length + secret.length).put(head).put(secret).array());
        } catch (GeneralSecurityException e) {
            throw new IOException("this JDK lacks AES-GCM", e);
        }
    }

    private static int bodyBegin() {
        return PREFIX.length + NONCE_BYTES;
    }

    private static Cipher cipher(int mode, byte[] key, byte[] head)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(
                mode,
                new SecretKeySpec(key, "AES"),
                new GCMParameterSpec(128, head, PREFIX.length, NONCE_BYTES));
        cipher.updateAAD(PREFIX);
        return cipher;
    }

    private byte[] key() throws IOException {
        byte[] key = Files.size(keyFile) == KEY_BYTES ? Files.readAllBytes(keyFile) : new byte[0];
        if (key.length != KEY_BYTES) {
            throw unusable(keyFile + " is not " + KEY_BYTES + " bytes long; put it back");
        }
        return key;
    }

    private void writeDurably(Path file, byte[] bytes) throws IOException {
        DurableFile.write(
                files, file, DurableFile.Readers.OWNER, out -> out.write(bytes), any -> {});
    }

    private void checkMode() throws IOException {
        if (isPosix() && !OWNER_ONLY.containsAll(Files.getPosixFilePermissions(keyFile))) {
            throw unusable("others may read " + keyFile + "; run: chmod 600 " + keyFile);
        }
    }

    private boolean isPosix() {
        return directory.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private IOException unusable(String why) {
        return new IOException(
                "the root credential in "
                        + credentialFile
                        + " cannot be used: "
                        + why
                        + ". Or set VOLUTE_ACCESS_KEY and VOLUTE_SECRET_KEY, or delete "
                        + credentialFile
                        + " to have a new one made");
    }
}
