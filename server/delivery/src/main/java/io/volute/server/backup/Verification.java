package io.volute.server.backup;

import io.volute.server.backup.Manifest.Item;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Verifies that a snapshot is whole: all packs are there, their hashes are right, and each file has
 * all its bytes. It needs no server and no store. Used by one thread.
 */
public final class Verification {
    /** Follows the work. */
    public interface Watch {
        void passed(long files, long filesTotal, long bytes);
    }

    private final Repository repository;
    private final Watch watch;
    private long bytes;

    public Verification(Repository repository, Watch watch) {
        this.repository = repository;
        this.watch = watch;
    }

    /**
     * Verifies a snapshot.
     *
     * @return the problems, each with its file; empty when it is whole
     * @throws IOException when the target cannot be read
     */
    public List<String> run(Manifest manifest) throws IOException {
        List<String> problems = new ArrayList<>();
        SnapshotReader reader = new SnapshotReader(repository, manifest);
        Set<String> paths = new HashSet<>();
        long files = 0;
        for (Item file : manifest.files()) {
            if (!paths.add(file.path())) {
                problems.add(file.path() + " is listed twice");
            }
            try {
                reader.read(file, (offset, content) -> bytes += content.length);
            } catch (IOException e) {
                problems.add(file.path() + ": " + e.getMessage());
            }
            files++;
            watch.passed(files, manifest.files().size(), bytes);
        }
        if (!paths.contains(StoreFiles.MARK)) {
            problems.add(StoreFiles.MARK + " is missing");
        }
        return problems;
    }
}
