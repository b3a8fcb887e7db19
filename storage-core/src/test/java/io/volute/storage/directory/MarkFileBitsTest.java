package io.volute.storage.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.DamagedException;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One flipped bit in a mark does not keep a store shut; more damage does. */
class MarkFileBitsTest {
    private static final Path FILE = Path.of("/store/volute.mark");

    private static final Path COPY = Path.of("/store/volute.mark.copy");

    @Test
    void oneFlippedBitIsPutRight() throws IOException {
        SimFileSystem files = new SimFileSystem();
        files.createDirectories(FILE.getParent());
        MarkFile mark = new MarkFile(files, FILE);
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("what", "volute-store");
        lines.put("format", "2");
        mark.write(lines);
        files.delete(COPY);
        long bytes;
        try (var open = files.open(FILE, Access.READ)) {
            bytes = open.size();
        }
        for (long at = 0; at < bytes; at++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                files.flipBit(FILE, at, bit);
                assertThat(mark.read()).as("%s, %s", at, bit).contains(lines);
                files.flipBit(FILE, at, bit);
            }
        }
        files.flipBit(FILE, 3, 1);
        files.flipBit(FILE, 9, 2);
        assertThatThrownBy(mark::read).isInstanceOf(DamagedException.class);
    }

    private static void write(SimFileSystem files, Path file, String text) throws IOException {
        files.delete(file);
        try (StoredFile made = files.create(file)) {
            made.write(
                    ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)),
                    0,
                    WriteCause.CHECKPOINT);
            made.force();
        }
    }

    /** Either file can be lost, torn or damaged, and is whole again after a mending. */
    @Test
    void oneSoundCopyIsEnough() throws IOException {
        for (Path harmed : List.of(FILE, COPY)) {
            for (String left : List.of("", "what volute-", "x".repeat(5000), "crc32c 00000000\n")) {
                SimFileSystem files = new SimFileSystem();
                files.createDirectories(FILE.getParent());
                MarkFile mark = new MarkFile(files, FILE);
                Map<String, String> lines = Map.of("what", "volute-store");
                mark.write(lines);
                write(files, harmed, left);
                assertThat(mark.read()).as("%s %s", harmed, left).contains(lines);
                mark.mend(lines);
                files.delete(harmed.equals(FILE) ? COPY : FILE);
                assertThat(mark.read()).as("%s %s", harmed, left).contains(lines);
                files.delete(harmed);
                assertThat(mark.read()).isEmpty();
            }
        }
    }

    /** A release without copies writes the first file alone. */
    @Test
    void theFirstFileWinsWhenBothAreSound() throws IOException {
        SimFileSystem files = new SimFileSystem();
        files.createDirectories(FILE.getParent());
        MarkFile mark = new MarkFile(files, FILE);
        mark.write(Map.of("format", "2"));
        mark.write(Map.of("format", "1"));
        Path kept = Path.of("/store/kept");
        files.rename(FILE, kept);
        mark.write(Map.of("format", "2"));
        files.delete(FILE);
        files.rename(kept, FILE);
        assertThat(mark.read()).contains(Map.of("format", "1"));
    }
}
