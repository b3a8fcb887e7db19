package io.volute.testkit.sim;

import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;

class SimFileSystemContractTest extends FileSystemContract {
    private final SimFileSystem files = new SimFileSystem(1);

    @Override
    protected FileSystem newFileSystem() {
        return files;
    }

    @Override
    protected Path newRoot() throws IOException {
        Path root = Path.of("/cube");
        files.createDirectories(root);
        return root;
    }
}
