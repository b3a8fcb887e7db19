package io.volute.admin.migrate;

import io.volute.adminapi.AdminJson;
import io.volute.provenance.keys.PrivateFile;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A private file with each old access key and the new one in its place, a line of JSON for each
 * pair. Nothing else has the new secrets, so each line is on the disk before the next key is made.
 * Not thread-safe.
 */
final class KeyPairs implements AutoCloseable {
    private static final FileSystem FILES = new OsFileSystem();

    private final Path path;
    private Optional<StoredFile> file = Optional.empty();
    private long length;
    private int count;

    /**
     * @param path of a file that does not exist
     */
    KeyPairs(Path path) {
        this.path = path.toAbsolutePath();
    }

    /**
     * An old access key and the new one in its place.
     *
     * @param active whether the new key is enabled
     */
    record Pair(
            String user, String oldAccessKey, String accessKey, String secretKey, boolean active) {}

    Path path() {
        return path;
    }

    /** Returns the number of pairs in the file. */
    int count() {
        return count;
    }

    /**
     * Creates the file, unless this did so before.
     *
     * @throws IOException if there is a file of that name, which stays as it is, or others could
     *     read it
     */
    void open() throws IOException {
        if (file.isPresent()) {
            return;
        }
        PrivateFile place = new PrivateFile("the file of new access keys", path);
        place.checkPlace();
        try {
            file = Optional.of(FILES.createPrivate(path));
            FILES.forceDirectory(path.getParent());
        } catch (FileAlreadyExistsException e) {
            throw place.existing(e);
        }
    }

    /** Adds a pair; returns when it is on the disk. */
    void add(Pair pair) throws IOException {
        byte[] line = AdminJson.write(pair);
        String text = new String(line, StandardCharsets.UTF_8).replace("\n", "") + "\n";
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        file.orElseThrow().write(ByteBuffer.wrap(bytes), length, WriteCause.CHECKPOINT);
        file.orElseThrow().force();
        length += bytes.length;
        count++;
    }

    @Override
    public void close() throws IOException {
        if (file.isPresent()) {
            file.get().close();
        }
    }
}
