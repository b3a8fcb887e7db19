package io.volute.storage.directory;

import io.volute.storage.DamagedException;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small text file that describes a directory. It has one {@code name value} pair for each line;
 * the last line is a CRC-32C in hexadecimal of everything before it. After a crash there is the
 * whole file or the one before ({@link DurableFile}).
 *
 * <p>A second file, {@code NAME.copy}, has the same text. It is written first, and read when the
 * first file is lost or damaged. A first file that is sound wins: a release without copies may have
 * written it since.
 *
 * <pre>
 *   what volute-store
 *   format 1
 *   created 2026-11-20T12:00:00Z
 *   crc32c 1a2b3c4d
 * </pre>
 */
public final class MarkFile {
    private static final Logger LOG = LoggerFactory.getLogger(MarkFile.class);

    /** End of the names of second files. */
    public static final String COPY = ".copy";

    private static final int BYTES_MAX = 4096;
    private static final String CHECKSUM = "crc32c ";

    private final FileSystem files;
    private final Path file;

    public MarkFile(FileSystem files, Path file) {
        this.files = files;
        this.file = file;
    }

    /**
     * Reads the values by name; returns empty when there is no such file and no copy of it.
     *
     * @throws DamagedException when neither of them is sound
     */
    public Optional<Map<String, String>> read() throws IOException {
        Optional<Map<String, String>> second = Optional.empty();
        try {
            Optional<String> text = text(file);
            if (text.isPresent()) {
                return text.map(MarkFile::parse);
            }
            second = copy();
        } catch (DamagedException e) {
            second = copyOf(e);
        }
        if (second.isPresent()) {
            LOG.warn("{} is lost or damaged: its copy is used. Test the disk.", file);
        }
        return second;
    }

    private Optional<Map<String, String>> copyOf(DamagedException damage) throws IOException {
        try {
            Optional<Map<String, String>> second = copy();
            if (second.isPresent()) {
                return second;
            }
        } catch (DamagedException e) {
            damage.addSuppressed(e);
        }
        throw damage;
    }

    /**
     * Reads the values of the copy alone; empty when there is none.
     *
     * @throws DamagedException when it is not sound
     */
    Optional<Map<String, String>> copy() throws IOException {
        return text(beside()).map(MarkFile::parse);
    }

    /**
     * Makes both files what {@link #read} returned, where one of them is not. Call it when these
     * values were found to be right. A failure is logged: the store can do without a copy.
     */
    public void mend(Map<String, String> lines) {
        byte[] wanted = bytes(lines);
        try {
            for (Path each : List.of(beside(), file)) {
                boolean isSame = files.exists(each) && Arrays.equals(content(each), wanted);
                if (!isSame) {
                    DurableFile.write(files, each, out -> out.write(wanted));
                }
            }
        } catch (IOException | ReadOnlyFileSystemException e) {
            LOG.warn("cannot write the copies of {}: {}", file, e.getMessage());
        }
    }

    private Path beside() {
        return file.resolveSibling(file.getFileName() + COPY);
    }

    private Optional<String> text(Path path) throws IOException {
        return files.exists(path) ? Optional.of(sound(path, content(path))) : Optional.empty();
    }

    private byte[] content(Path path) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES_MAX);
        try (StoredFile open = files.open(path, FileSystem.Access.READ)) {
            int count = open.read(bytes, 0);
            bytes.position(0).limit(Math.max(count, 0));
        }
        byte[] text = new byte[bytes.remaining()];
        bytes.get(text);
        return text;
    }

    /**
     * Returns the text, with one flipped bit put right if there is one. A CRC-32C has a distance of
     * at least 4 at this length: no two texts with right checksums differ by two bits.
     */
    private static String sound(Path file, byte[] bytes) throws DamagedException {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (isSound(text)) {
            return text;
        }
        for (int i = 0; i < bytes.length; i++) {
            for (int bit = 1; bit < 1 << Byte.SIZE; bit <<= 1) {
                bytes[i] = (byte) (bytes[i] ^ bit);
                String other = new String(bytes, StandardCharsets.UTF_8);
                if (isSound(other)) {
                    LOG.warn(
                            "{} has one flipped bit, at offset {}, which its checksum puts right:"
                                    + " test the disk",
                            file,
                            i);
                    return other;
                }
                bytes[i] = (byte) (bytes[i] ^ bit);
            }
        }
        throw new DamagedException(
                file.getFileName().toString(),
                0,
                "the checksum differs, and its directory has no sound copy: restore this file from"
                        + " a backup");
    }

    private static boolean isSound(String text) {
        int end = text.lastIndexOf(CHECKSUM);
        return end > 0 && text.substring(end).equals(CHECKSUM + checksum(text, end) + "\n");
    }

    private static Map<String, String> parse(String text) {
        int end = text.lastIndexOf(CHECKSUM);
        Map<String, String> lines = new LinkedHashMap<>();
        text.substring(0, end)
                .lines()
                .forEach(
                        line -> {
                            int space = line.indexOf(' ');
                            lines.put(
                                    line.substring(0, Math.max(space, 0)),
                                    line.substring(space + 1));
                        });
        return lines;
    }

    /** Writes both files durably. */
    public void write(Map<String, String> lines) throws IOException {
        byte[] bytes = bytes(lines);
        for (Path each : List.of(beside(), file)) {
            DurableFile.write(files, each, out -> out.write(bytes));
        }
    }

    private static byte[] bytes(Map<String, String> lines) {
        StringBuilder text = new StringBuilder();
        lines.forEach((name, value) -> text.append(name).append(' ').append(value).append('\n'));
        String checksum = checksum(text.toString(), text.length());
        text.append(CHECKSUM).append(checksum).append('\n');
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String checksum(String text, int end) {
        CRC32C crc = new CRC32C();
        crc.update(text.substring(0, end).getBytes(StandardCharsets.UTF_8));
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }
}
