package io.volute.storage.io;

import java.io.IOException;
import java.nio.file.Path;

/** Makes directories that a crash does not take away again. */
public final class DurableDirectories {
    private DurableDirectories() {}

    /**
     * Makes a directory with its missing parents, each durable before the next is made. The entry
     * of a directory that is there already is forced too: it may be left by a start that was killed
     * before it forced it, and stand in the page cache only.
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
        // Also where something is there already: it may be a file.
        files.createDirectories(path);
        files.forceDirectory(parent);
    }
}
