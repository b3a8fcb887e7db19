package io.volute.storage.index;

import java.util.ArrayList;
import java.util.List;
import org.rocksdb.Cache;
import org.rocksdb.HyperClockCache;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * Memory that several indexes share: one block cache and one write buffer. Close it after the
 * indexes. Thread-safe.
 */
public final class SharedIndexMemory implements AutoCloseable {
    private final List<AutoCloseable> natives = new ArrayList<>();
    private final Cache blocks;
    private final WriteBufferManager changes;

    /**
     * Allocates the memory on demand, up to these bounds.
     *
     * @param blockCacheBytes memory for blocks of all indexes
     * @param writeBufferBytes memory for unflushed changes of all indexes
     */
    public SharedIndexMemory(long blockCacheBytes, long writeBufferBytes) {
        RocksDB.loadLibrary();
        blocks = RocksSettings.keep(natives, new HyperClockCache(blockCacheBytes, 0, -1, false));
        // The manager charges its bytes to a cache. With the block cache, changes would evict
        // blocks.
        Cache charges = RocksSettings.keep(natives, new LRUCache(writeBufferBytes));
        changes = RocksSettings.keep(natives, new WriteBufferManager(writeBufferBytes, charges));
    }

    Cache blocks() {
        return blocks;
    }

    WriteBufferManager changes() {
        return changes;
    }

    @Override
    public void close() {
        RocksIndex.closeAll(natives);
    }
}
