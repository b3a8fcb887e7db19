package io.volute.versioning;

import io.volute.storage.Cube;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The same on a cube on disk. */
@Tag("slow")
public class ConcurrencyOnDiskTest extends ConcurrencyTest {
    @TempDir private Path directory;

    @Override
    public Cube openCube() throws IOException {
        return DiskCubes.open(directory);
    }
}
