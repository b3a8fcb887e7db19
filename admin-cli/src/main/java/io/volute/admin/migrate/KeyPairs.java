package io.volute.admin.migrate;

import io.volute.admin.client.WholeFile;
import io.volute.adminapi.AdminJson;
import io.volute.provenance.keys.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * A private file with each old access key and the new one in its place, a line of JSON for each
 * pair. Nothing else has the new secrets, so each line is on the disk before the next key is made.
 * Not thread-safe.
 */
final class KeyPairs implements AutoCloseable {
    private final Path path;
    private Optional<FileChannel> file = Optional.empty();
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
            file =
                    Optional.of(
                            FileChannel.open(
                                    path,
                                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                                    PosixFilePermissions.asFileAttribute(WholeFile.OWNER_ONLY)));
        } catch (FileAlreadyExistsException e) {
            throw place.existing(e);
        }
    }

    /** Adds a pair; returns when it is on the disk. */
    void add(Pair pair) throws IOException {
        byte[] line = AdminJson.write(pair);
        String text = new String(line, StandardCharsets.UTF_8).replace("\n", "") + "\n";
        ByteBuffer left = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (left.hasRemaining()) {
            int unused = file.orElseThrow().write(left);
        }
        file.orElseThrow().force(true);
        count++;
    }

    @Override
    public void close() throws IOException {
        if (file.isPresent()) {
            file.get().close();
        }
    }
}
