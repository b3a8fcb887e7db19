package io.volute.versioning;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The bytes of segments below a running cube. */
final class StoredBytes {
    private static final int SAMPLE_BYTES = 24;

    private StoredBytes() {}

    /** Flips a bit of each stored copy of a content, at this offset; returns their number. */
    static int flip(Path directory, byte[] content, int offset) throws IOException {
        byte[] sample = Arrays.copyOfRange(content, offset, offset + SAMPLE_BYTES);
        int found = 0;
        for (Path file : segments(directory.resolve("segments"))) {
            byte[] bytes;
            try {
                bytes = Files.readAllBytes(file);
            } catch (NoSuchFileException e) {
                continue; // Released meanwhile.
            }
            for (int at = 0; at <= bytes.length - sample.length; at++) {
                if (Arrays.equals(bytes, at, at + sample.length, sample, 0, sample.length)) {
                    flip(file, at);
                    found++;
                }
            }
        }
        return found;
    }

    private static List<Path> segments(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(each -> each.toString().matches(".*\\.(head|stream|survivor)"))
                    .toList();
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            opened.seek(at);
            int before = opened.read();
            opened.seek(at);
            opened.write(before ^ 4);
        }
    }
}
