package io.volute.storage.io;

import java.io.IOException;
import java.nio.file.Path;

/** Creates directories that survive a crash. */
public final class DurableDirectories {
    private DurableDirectories() {}

    /**
     * Creates a directory with its missing parents, each durable before the next is created. The
     * entry of an existing directory is forced too: a start that was killed may have left it in the
     * page cache only.
     */
    public static void create(FileSystem files, Path directory) throws IOException {
        Path path = directory.toAbsolutePath().normalize();
        Path parent = path.getParent();
        if (parent == null) {
            return;
        }
        if (!files.exists(path)) {
            create(files, parent);
        }
        // Also where something exists already: it may be a file.
        files.createDirectories(path);
        files.forceDirectory(parent);
    }
}
