package io.volute.provenance.keys;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.secrecy.Aead;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * A master key as a line of text, so that it can be copied by hand and a bad copy is noticed:
 *
 * <pre>
 *   volute-master-key-1 BASE64 CHECKSUM LF
 *       BASE64    of the 32 bytes, with padding
 *       CHECKSUM  the first 8 bytes of H("master-key", the 32 bytes), in hex
 * </pre>
 *
 * Without the key nothing that was sealed can be opened, so a file is never replaced. Making one:
 *
 * <ol>
 *   <li>A file aside, mode 0600 from the first moment, written and forced. After a crash: only that
 *       one, which nothing depends on yet.
 *   <li>Linked to its name, which fails when there is one. After a crash: none, or the whole file;
 *       maybe the one aside too, with the same mode.
 *   <li>The name aside is removed, the directory forced. From then on the key may be used.
 * </ol>
 */
final class MasterKeyFile {
    private static final String FORM = "volute-master-key-1";
    private static final int CHECKSUM_CHARS = 16;
    private static final int FILE_BYTES_MAX = 256;
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OF_OTHERS =
            EnumSet.of(
                    PosixFilePermission.GROUP_READ,
                    PosixFilePermission.GROUP_WRITE,
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.OTHERS_WRITE);

    private final Path file;

    MasterKeyFile(Path file) {
        this.file = file.toAbsolutePath();
    }

    MasterKey read() throws IOException {
        check(attributes());
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(FILE_BYTES_MAX);
        }
        // An editor, or what carries secrets to a container, may have changed the end of the line.
        String line = new String(bytes, StandardCharsets.ISO_8859_1).stripTrailing();
        return parse(line)
                .orElseThrow(
                        () ->
                                unusable(
                                        "is damaged, or of a form that this version does not know;"
                                                + " put back a copy of it"));
    }

    private PosixFileAttributes attributes() throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null) {
            throw notPosix();
        }
        try {
            return view.readAttributes();
        } catch (NoSuchFileException e) {
            IOException missing =
                    unusable("is missing; put back a copy of it, what it sealed needs it");
            missing.initCause(e);
            throw missing;
        }
    }

    private void check(PosixFileAttributes attributes) throws IOException {
        if (!attributes.isRegularFile()) {
            throw unusable("is no regular file; name the file with the key");
        }
        Set<PosixFilePermission> permissions = attributes.permissions();
        if (!Collections.disjoint(permissions, OF_OTHERS)) {
            throw unusable(
                    "may be read or written by others than its owner ("
                            + PosixFilePermissions.toString(permissions)
                            + "); run: chmod 600 "
                            + file);
        }
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

    /** What was made is read back, so that a key is only used when its file can be. */
    MasterKey create(SecureRandom random) throws IOException {
        Path directory = file.getParent();
        if (Files.getFileAttributeView(directory, PosixFileAttributeView.class) == null) {
            throw notPosix();
        }
        byte[] key = new byte[Aead.KEY_BYTES];
        random.nextBytes(key);
        Path aside =
                Files.createTempFile(
                        directory,
                        file.getFileName() + ".",
                        ".new",
                        PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        try {
            write(aside, (line(key) + "\n").getBytes(StandardCharsets.US_ASCII));
            // A rename would replace what is there.
            Files.createLink(file, aside);
        } catch (FileAlreadyExistsException e) {
            IOException exists =
                    unusable("exists and is not replaced; use it, or choose another name");
            exists.initCause(e);
            throw exists;
        } finally {
            Files.delete(aside);
        }
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
        return read();
    }

    private static void write(Path file, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
    }

    private IOException notPosix() {
        return unusable(
                "lies where files have no POSIX permissions, so that others might read it;"
                        + " keep it elsewhere, or use a passphrase");
    }

    private IOException unusable(String why) {
        return new IOException("the master key file " + file + " " + why);
    }
}
