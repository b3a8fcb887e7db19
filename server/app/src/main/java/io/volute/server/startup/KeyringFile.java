package io.volute.server.startup;

import io.volute.provenance.format.Bytes;
import io.volute.server.encryption.KeyringPlace;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The file of the sealed {@link io.volute.server.encryption.Keyring}. A replacement leaves these
 * states on the disk:
 *
 * <ol>
 *   <li>The old file, and perhaps part of the new one aside.
 *   <li>The new file, durable under its name; the bytes of the old one have no name.
 *   <li>The bytes of the old one are zeros. A file system that writes elsewhere, and a disk that
 *       does, keeps them until it needs the space.
 * </ol>
 */
final class KeyringFile implements KeyringPlace {
    /** No other server changes the file. */
    private static final int VERSION = 0;

    private static final int LONGEST_BYTES = 1 << 30;

    /** The keyring, in the mark of the directory. */
    private static final String KEYRING = "keyring";

    private final FileSystem files;
    private final StoreDirectory directory;
    private final Path file;
    private final boolean beginsAnew;

    /**
     * @param directory records that it has a keyring, so that a lost one is not taken for none
     * @param beginsAnew whether a lost keyring is treated as none
     */
    KeyringFile(FileSystem files, StoreDirectory directory, boolean beginsAnew) {
        this.files = files;
        this.directory = directory;
        this.file = directory.directory().resolve("keys").resolve("encryption.keyring");
        this.beginsAnew = beginsAnew;
    }

    @Override
    public Optional<Stored> load() throws IOException {
        if (!files.exists(file)) {
            if (!beginsAnew && StoreDirectory.hasForGood(files, directory.directory(), KEYRING)) {
                throw new IOException(
                        "the keyring "
                                + file
                                + " is missing, and encrypted objects cannot be read without it:"
                                + " put it back (every backup has it). If it is lost, they are too:"
                                + " go on without them by one start with"
                                + " encryption.on-missing-keyring = begin-anew");
            }
            return Optional.empty();
        }
        // A release that did not record it may have made it.
        directory.keepForGood(KEYRING);
        try (StoredFile stored = files.open(file, Access.READ)) {
            if (stored.size() > LONGEST_BYTES) {
                throw new IOException("the keyring " + file + " has " + stored.size() + " bytes");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) stored.size());
            int read = stored.read(bytes, 0);
            if (read != bytes.capacity()) {
                throw new IOException("the keyring " + file + " ends early");
            }
            return Optional.of(new Stored(Bytes.of(bytes.array()), VERSION));
        }
    }

    @Override
    public boolean isNewest(int version) {
        return true;
    }

    @Override
    public OptionalInt replace(Bytes sealed, int version) throws IOException {
        DurableDirectories.create(files, file.toAbsolutePath().getParent());
        Optional<StoredFile> old =
                files.exists(file)
                        ? Optional.of(files.open(file, Access.READ_WRITE))
                        : Optional.empty();
        try {
            DurableFile.write(
                    files,
                    file,
                    DurableFile.Readers.OWNER,
                    out -> out.write(sealed.toArray()),
                    any -> {});
            directory.keepForGood(KEYRING);
            if (old.isPresent()) {
                ByteBuffer zeros = ByteBuffer.allocate((int) old.get().size());
                old.get().write(zeros, 0, WriteCause.CHECKPOINT);
                old.get().force();
            }
            return OptionalInt.of(VERSION);
        } finally {
            if (old.isPresent()) {
                old.get().close();
            }
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }

    /** {@inheritDoc} There is no other server. */
    @Override
    public void awaitLoaded(int version) {}
}
