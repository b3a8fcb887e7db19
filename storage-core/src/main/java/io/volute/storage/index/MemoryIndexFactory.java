package io.volute.storage.index;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Indexes in memory with the durability of the real ones: a crash loses what was not flushed. For
 * tests whose file system is simulated as well.
 */
public final class MemoryIndexFactory implements IndexFactory {
    private final Map<Path, MemoryIndex.Tables> durable = new HashMap<>();

    @Override
    public synchronized boolean exists(Path directory) {
        return durable.containsKey(directory);
    }

    @Override
    public synchronized KeyValueIndex open(IndexSettings settings) throws IOException {
        MemoryIndex.Tables tables =
                durable.computeIfAbsent(
                        settings.directory(), ignored -> MemoryIndex.Tables.empty(settings));
        if (!tables.names().equals(settings.tables())) {
            throw new IndexUnusableException(
                    "the index holds the tables " + tables.names() + ", not " + settings.tables());
        }
        return new MemoryIndex(
                tables, flushed -> keep(settings.directory(), flushed), settings.directory());
    }

    @Override
    public synchronized void discard(Path directory) {
        durable.remove(directory);
    }

    /** Returns a factory with the state that a crash at this moment would leave. */
    public synchronized MemoryIndexFactory crashImage() {
        MemoryIndexFactory image = new MemoryIndexFactory();
        image.durable.putAll(durable);
        return image;
    }

    private synchronized void keep(Path directory, MemoryIndex.Tables flushed) {
        durable.put(directory, flushed);
    }
}
