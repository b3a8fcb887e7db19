package io.volute.storage.log.space;

import io.volute.storage.io.FileSystem;
import io.volute.storage.log.LogOptions;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/**
 * The directory of segments of a cube. Only the record of the log's place distinguishes a copy from
 * the log.
 */
public final class LocalSegmentStores implements SegmentStores {

    @Override
    public Optional<UUID> identity() {
        return Optional.empty();
    }

    @Override
    public SegmentStore open(LogOptions options) {
        return new LocalSegmentStore(options);
    }

    @Override
    public SegmentStore openCopy(LogOptions options) {
        return new LocalSegmentStore(options);
    }

    @Override
    public void adoptCopy(UUID cube) {
        // The record of the log's place has done it.
    }

    @Override
    public boolean hasLeft(UUID cube, UUID token) {
        return false;
    }

    @Override
    public void remove(LogOptions options) throws IOException {
        removeFiles(options);
    }

    /** Deletes the files in the directory of a log. */
    public static void removeFiles(LogOptions options) throws IOException {
        FileSystem files = options.fileSystem();
        for (String name : files.list(options.directory())) {
            files.delete(options.directory().resolve(name));
        }
    }
}
