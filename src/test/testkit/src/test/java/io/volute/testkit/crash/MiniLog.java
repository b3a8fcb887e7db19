package io.volute.testkit.crash;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/** A log as small as one can be, that can leave out each thing that makes it durable. */
final class MiniLog implements AutoCloseable {
    private static final int RECORD_BYTES = 1_000;
    private static final Path DIRECTORY = Path.of("/log");

    /** The step that a careless writer omits. */
    enum Omission {
        DATA_FORCE,
        DIRECTORY_FORCE,
        PARENT_FORCE,
        CHECKSUM,
        RETRIES_A_FAILED_FORCE
    }

    private final FileSystem files;
    private final Set<Omission> omitted;
    private StoredFile head;
    private long offset;
    private int segments;

    MiniLog(FileSystem files, Set<Omission> omitted) throws IOException {
        this.files = files;
        this.omitted = new HashSet<>(omitted);
        files.createDirectories(DIRECTORY);
        if (!omitted.contains(Omission.PARENT_FORCE)) {
            files.forceDirectory(DIRECTORY.getParent());
        }
        this.head = newSegment();
    }

    private StoredFile newSegment() throws IOException {
        segments++;
        offset = 0;
        StoredFile file = files.create(DIRECTORY.resolve("segment-" + (1_000 + segments)));
        if (!omitted.contains(Omission.DIRECTORY_FORCE)) {
            files.forceDirectory(DIRECTORY);
        }
        return file;
    }

    void roll() throws IOException {
        head.close();
        head = newSegment();
    }

    void append(int value) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES);
        while (record.position() < RECORD_BYTES - 4) {
            record.putInt(value);
        }
        record.putInt(checksum(record.array())).flip();
        head.write(record, offset, WriteCause.CLIENT_DATA);
        offset += RECORD_BYTES;
        if (omitted.contains(Omission.DATA_FORCE)) {
            return;
        }
        try {
            head.force();
        } catch (IOException failed) {
            if (!omitted.contains(Omission.RETRIES_A_FAILED_FORCE)) {
                throw failed;
            }
            head.force();
        }
    }

    @Override
    public void close() throws IOException {
        head.close();
    }

    /** The values of the whole records, up to the first that is not whole. */
    static List<Integer> recover(FileSystem files, Set<Omission> omitted) throws IOException {
        List<Integer> values = new ArrayList<>();
        for (String name : files.list(DIRECTORY)) {
            try (StoredFile file = files.open(DIRECTORY.resolve(name), Access.READ)) {
                ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES);
                for (long at = 0; file.read(record.clear(), at) == RECORD_BYTES; ) {
                    boolean whole =
                            record.getInt(RECORD_BYTES - 4) == checksum(record.array())
                                    && record.getInt(0) != 0;
                    if (!whole && !omitted.contains(Omission.CHECKSUM)) {
                        break;
                    }
                    values.add(record.getInt(RECORD_BYTES - 8));
                    at += RECORD_BYTES;
                }
            }
        }
        return values;
    }

    private static int checksum(byte[] record) {
        CRC32C crc = new CRC32C();
        crc.update(record, 0, RECORD_BYTES - 4);
        return (int) crc.getValue();
    }
}
