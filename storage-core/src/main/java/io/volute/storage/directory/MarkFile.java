package io.volute.storage.directory;

import io.volute.storage.DamagedException;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
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
 * <pre>
 *   what volute-store
 *   format 1
 *   created 2026-11-20T12:00:00Z
 *   crc32c 1a2b3c4d
 * </pre>
 */
public final class MarkFile {
    private static final Logger LOG = LoggerFactory.getLogger(MarkFile.class);
    private static final int BYTES_MAX = 4096;
    private static final String CHECKSUM = "crc32c ";

    private final FileSystem files;
    private final Path file;

    public MarkFile(FileSystem files, Path file) {
        this.files = files;
        this.file = file;
    }

    /** Reads the values by name; returns empty when there is no such file. */
    public Optional<Map<String, String>> read() throws IOException {
        if (!files.exists(file)) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.allocate(BYTES_MAX);
        try (StoredFile open = files.open(file, FileSystem.Access.READ)) {
            int count = open.read(bytes, 0);
            bytes.position(0).limit(count);
        }
        byte[] text = new byte[bytes.remaining()];
        bytes.get(text);
        return Optional.of(parse(sound(text)));
    }

    /**
     * Returns the text, with one flipped bit put right if there is one. A CRC-32C has a distance of
     * at least 4 at this length: no two texts with right checksums differ by two bits.
     */
    private String sound(byte[] bytes) throws DamagedException {
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
                                    + " test the disk, and restore the file from a copy",
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
                "the checksum differs; restore this file from a copy, it is never rewritten");
    }

    private static boolean isSound(String text) {
        int end = text.lastIndexOf(CHECKSUM);
        return end >= 0 && text.substring(end).equals(CHECKSUM + checksum(text, end) + "\n");
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

    /** Writes the file durably. */
    public void write(Map<String, String> lines) throws IOException {
        StringBuilder text = new StringBuilder();
        lines.forEach((name, value) -> text.append(name).append(' ').append(value).append('\n'));
        String checksum = checksum(text.toString(), text.length());
        text.append(CHECKSUM).append(checksum).append('\n');
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        DurableFile.write(files, file, out -> out.write(bytes));
    }

    private static String checksum(String text, int end) {
        CRC32C crc = new CRC32C();
        crc.update(text.substring(0, end).getBytes(StandardCharsets.UTF_8));
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }
}
