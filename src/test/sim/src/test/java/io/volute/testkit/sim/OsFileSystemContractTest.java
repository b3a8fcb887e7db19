package io.volute.testkit.sim;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class OsFileSystemContractTest extends FileSystemContract {
    @TempDir Path directory;

    @Override
    protected FileSystem newFileSystem() {
        return new OsFileSystem();
    }

    @Override
    protected Path newRoot() {
        return directory;
    }
}
