package io.volute.versioning.object;

import io.volute.storage.Cube;
import io.volute.versioning.DiskCubes;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The same on a cube on disk. */
@Tag("slow")
public class VersioningRulesOnDiskTest extends VersioningRulesTest {
    @TempDir private Path directory;

    @Override
    public Cube openCube() throws IOException {
        return DiskCubes.open(directory);
    }
}
