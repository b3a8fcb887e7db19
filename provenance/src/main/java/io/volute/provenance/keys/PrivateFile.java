package io.volute.provenance.keys;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Reads a small file with a secret, which its owner alone may read. A file of root may be readable
 * by its group too, because Kubernetes mounts secrets that way for programs without root's rights.
 */
public final class PrivateFile {
    private static final int FILE_BYTES_MAX = 256;
    private static final Set<PosixFilePermission> OF_OTHERS =
            EnumSet.of(
                    PosixFilePermission.GROUP_READ,
                    PosixFilePermission.GROUP_WRITE,
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.OTHERS_WRITE);

    private final String what;
    private final Path file;

    /**
     * @param what it is, for messages: "the master key file"
     */
    public PrivateFile(String what, Path file) {
        this.what = what;
        this.file = file.toAbsolutePath();
    }

    /**
     * Returns the text of the file, at most 256 characters, without trailing white space.
     *
     * @throws IOException if it is missing, or others may read it; the message names the remedy
     */
    public String read() throws IOException {
        return read(FILE_BYTES_MAX);
    }

    /**
     * Reads the text like {@link #read()}, with another limit.
     *
     * @param bytesMax of the file
     * @throws IOException also when it is longer
     */
    public String read(int bytesMax) throws IOException {
        check(attributes());
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(bytesMax + 1);
            if (bytes.length > bytesMax) {
                throw unusable("is longer than " + bytesMax + " bytes; is it the right file?");
            }
            // An editor, or what carries secrets to a container, may have changed the line's end.
            return new String(bytes, StandardCharsets.ISO_8859_1).stripTrailing();
        }
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
                    unusable(
                            "is missing; put back a copy of it, because it opens the data that it"
                                    + " sealed");
            missing.initCause(e);
            throw missing;
        }
    }

    private void check(PosixFileAttributes attributes) throws IOException {
        if (!attributes.isRegularFile()) {
            throw unusable("is no regular file; name the file with the key");
        }
        checkReaders(attributes);
    }

    /**
     * Checks that only the owner may read or write the file.
     *
     * @param attributes of the file
     * @throws IOException if others may read or write it; the message names the remedy
     */
    public void checkReaders(PosixFileAttributes attributes) throws IOException {
        checkReaders(
                attributes.permissions(),
                attributes.owner().getName(),
                System.getProperty("user.name"));
    }

    void checkReaders(Set<PosixFilePermission> permissions, String owner, String user)
            throws IOException {
        // Users without an entry in /etc/passwd have their number as name.
        boolean isOfRoot = !user.equals("root") && (owner.equals("root") || owner.equals("0"));
        Set<PosixFilePermission> excess = EnumSet.copyOf(OF_OTHERS);
        excess.retainAll(permissions);
        if (isOfRoot) {
            excess.remove(PosixFilePermission.GROUP_READ);
        }
        if (!excess.isEmpty()) {
            throw unusable(
                    "may be read or written by others than its owner ("
                            + PosixFilePermissions.toString(permissions)
                            + "); run: chmod 600 "
                            + file);
        }
    }

    /**
     * Checks that the file system of the file supports POSIX permissions.
     *
     * @throws IOException if it does not; the message names the remedy
     */
    public void checkPlace() throws IOException {
        if (Files.getFileAttributeView(file.getParent(), PosixFileAttributeView.class) == null) {
            throw notPosix();
        }
    }

    /** Creates the exception for a file that already exists. */
    public IOException existing(FileAlreadyExistsException reason) {
        IOException exists = unusable("exists and is not replaced; use it, or choose another name");
        exists.initCause(reason);
        return exists;
    }

    private IOException notPosix() {
        return unusable(
                "lies where files have no POSIX permissions, so that others might read it; keep it"
                        + " in another file system, or use a passphrase");
    }

    /** Creates the exception for an unusable file, with the reason. */
    public IOException unusable(String why) {
        return new IOException(what + " " + file + " " + why);
    }
}
