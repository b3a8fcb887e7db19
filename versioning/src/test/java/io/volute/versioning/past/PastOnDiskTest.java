package io.volute.versioning.past;

import io.volute.storage.Cube;
import io.volute.versioning.DiskCubes;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The same on a real cube. */
@Tag("slow")
class PastOnDiskTest extends PastTest {
    @TempDir Path directory;

    @Override
    public Cube openCube() throws IOException {
        return DiskCubes.open(directory, clock::get);
    }
}
