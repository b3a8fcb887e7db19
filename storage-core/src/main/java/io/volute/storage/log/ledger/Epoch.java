package io.volute.storage.log.ledger;

import io.volute.storage.io.DurableFile;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The epoch of a store, and whether it continues the last one of this machine, which is in a file
 * beside the mirrors:
 *
 * <pre>
 *   volute-epoch 1 NUMBER
 * </pre>
 *
 * <p>A crash between {@link #claimed} and {@link #keep} leaves the earlier number, so the next
 * epoch does not continue it.
 */
final class Epoch {
    static final String FILE = "epoch";

    private static final Pattern LINE = Pattern.compile("volute-epoch 1 ([0-9]{1,18})\n");
    private static final int MOST_BYTES = 64;

    private final FileSystem files;
    private final Path file;
    private volatile long number;
    private volatile boolean isContinued;

    Epoch(FileSystem files, Path directory) {
        this.files = files;
        this.file = directory.resolve(FILE);
    }

    /** Begins a claimed epoch. */
    void claimed(long claimed) throws IOException {
        number = claimed;
        isContinued = read().equals(OptionalLong.of(claimed - 1));
    }

    /** Returns the epoch. */
    long number() {
        return number;
    }

    /** Returns whether the epoch before was this machine's. */
    boolean isContinued() {
        return isContinued;
    }

    /** Returns whether an epoch is the last one of this machine. */
    boolean isOfThisMachine(long other) throws IOException {
        return read().equals(OptionalLong.of(other));
    }

    /** Writes the epoch into the file, once nothing on this machine is of another one. */
    void keep() throws IOException {
        byte[] line = ("volute-epoch 1 " + number + "\n").getBytes(StandardCharsets.US_ASCII);
        DurableFile.write(files, file, out -> out.write(line));
    }

    /** Returns the number in the file; empty when there is none, or the file is damaged. */
    private OptionalLong read() throws IOException {
        if (!files.exists(file)) {
            return OptionalLong.empty();
        }
        ByteBuffer bytes = ByteBuffer.allocate(MOST_BYTES);
        try (StoredFile open = files.open(file, FileSystem.Access.READ)) {
            while (bytes.hasRemaining() && open.read(bytes, bytes.position()) > 0) {
                // Reads on.
            }
        }
        Matcher line = LINE.matcher(StandardCharsets.US_ASCII.decode(bytes.flip()));
        return line.matches()
                ? OptionalLong.of(Long.parseLong(line.group(1)))
                : OptionalLong.empty();
    }
}
