package io.volute.server.startup;

import io.volute.provenance.format.Bytes;
import io.volute.server.encryption.KeyringPlace;
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

    private final FileSystem files;
    private final Path file;

    KeyringFile(FileSystem files, Path file) {
        this.files = files;
        this.file = file;
    }

    @Override
    public Optional<Stored> load() throws IOException {
        if (!files.exists(file)) {
            return Optional.empty();
        }
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

    /** {@inheritDoc} There is no other server. */
    @Override
    public void awaitLoaded(int version) {}
}
