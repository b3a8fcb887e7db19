package io.volute.storage.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.DamagedException;
import io.volute.storage.io.FileSystem.Access;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One flipped bit in a mark does not keep a store shut; more damage does. */
class MarkFileBitsTest {
    private static final Path FILE = Path.of("/store/volute.mark");

    @Test
    void oneFlippedBitIsPutRight() throws IOException {
        SimFileSystem files = new SimFileSystem();
        files.createDirectories(FILE.getParent());
        MarkFile mark = new MarkFile(files, FILE);
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("what", "volute-store");
        lines.put("format", "2");
        mark.write(lines);
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
}
