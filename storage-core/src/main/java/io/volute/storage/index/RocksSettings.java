package io.volute.storage.index;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionOptionsUniversal;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.HyperClockCache;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** The configuration of a RocksDB instance. */
final class RocksSettings {
    /**
     * Number of background jobs. Three of them compact: small runs are merged while a large merge
     * takes its time.
     */
    private static final int BACKGROUND_JOBS = 4;

    /**
     * Smallest number of runs merged together. The cleaner flushes little and often, so runs are
     * not merged in pairs.
     */
    private static final int MERGED_RUNS_MIN = 4;

    /** Greatest number of runs side by side. Each costs a lookup one query of its filter. */
    private static final int RUNS_MAX = 10;

    /**
     * Number of runs at which writers are held back. A long compaction must not do that; until it
     * ends there are more runs to read.
     */
    private static final int SLOW_RUNS = 40;

    /**
     * Block size of walked tables. A step to the next block takes as long as about ten steps within
     * one.
     */
    private static final int WALKED_BLOCK_BYTES = 16 << 10;

    /** Space preallocated for the manifest. The default of 4 MiB is much of a small file system. */
    private static final long MANIFEST_STEP_BYTES = 64 << 10;

    private static final int OPEN_FILES_MAX = 512;
    private static final int BLOOM_BITS_PER_KEY = 10;
    private static final long INFO_LOG_BYTES = 4L << 20;

    private RocksSettings() {}

    static void refuseUnknownTables(IndexSettings settings)
            throws RocksDBException, IndexUnusableException {
        Set<String> known = new HashSet<>();
        settings.tables().forEach(table -> known.add(table.name()));
        try (Options options = new Options()) {
            for (byte[] name :
                    RocksDB.listColumnFamilies(options, settings.directory().toString())) {
                String text = new String(name, StandardCharsets.UTF_8);
                if (!text.equals("default") && !known.contains(text)) {
                    throw new IndexUnusableException(
                            "the index in "
                                    + settings.directory()
                                    + " holds the table '"
                                    + text
                                    + "', which this version does not know");
                }
            }
        }
    }

    /** The options of tables, by their use. */
    record Columns(ColumnFamilyOptions lookedUp, ColumnFamilyOptions walked) {
        ColumnFamilyOptions of(IndexTable table) {
            return table.isWalked() ? walked : lookedUp;
        }
    }

    static Columns columns(
            IndexSettings settings,
            Optional<SharedIndexMemory> memory,
            List<AutoCloseable> natives) {
        Cache cache =
                memory.map(SharedIndexMemory::blocks)
                        .orElseGet(
                                () ->
                                        keep(
                                                natives,
                                                new HyperClockCache(
                                                        settings.blockCacheBytes(), 0, -1, false)));
        BloomFilter bloom = keep(natives, new BloomFilter(BLOOM_BITS_PER_KEY, false));
        BlockBasedTableConfig walked = blocks(cache, bloom).setBlockSize(WALKED_BLOCK_BYTES);
        return new Columns(
                columns(settings, natives, blocks(cache, bloom)),
                columns(settings, natives, walked));
    }

    private static BlockBasedTableConfig blocks(Cache cache, BloomFilter bloom) {
        return new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setFilterPolicy(bloom)
                .setCacheIndexAndFilterBlocks(true)
                .setCacheIndexAndFilterBlocksWithHighPriority(true)
                .setPinL0FilterAndIndexBlocksInCache(true)
                .setOptimizeFiltersForMemory(true);
    }

    private static ColumnFamilyOptions columns(
            IndexSettings settings, List<AutoCloseable> natives, BlockBasedTableConfig blocks) {
        // The cleaner changes rows all over the index and flushes often: merging by size rewrites a
        // row a few times, by level some tens of times. Young runs are rewritten soon: compressing
        // them would only cost time.
        return keep(natives, new ColumnFamilyOptions())
                .setTableFormatConfig(blocks)
                .setWriteBufferSize(settings.writeBufferBytes())
                .setCompactionStyle(CompactionStyle.UNIVERSAL)
                .setCompactionOptionsUniversal(
                        keep(natives, new CompactionOptionsUniversal())
                                .setMinMergeWidth(MERGED_RUNS_MIN))
                .setLevel0FileNumCompactionTrigger(RUNS_MAX)
                .setLevel0SlowdownWritesTrigger(SLOW_RUNS)
                .setLevel0StopWritesTrigger(2 * SLOW_RUNS)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setBottommostCompressionType(CompressionType.LZ4_COMPRESSION);
    }

    static DBOptions database(
            IndexSettings settings,
            Optional<SharedIndexMemory> memory,
            List<AutoCloseable> natives) {
        DBOptions options = keep(natives, new DBOptions());
        memory.ifPresentOrElse(
                shared -> options.setWriteBufferManager(shared.changes()),
                () -> options.setDbWriteBufferSize(settings.writeBufferBytes()));
        return options.setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setAtomicFlush(true)
                // A flush at close would hide in tests what a crash leaves; this code flushes
                // explicitly.
                .setAvoidFlushDuringShutdown(true)
                .setAllowConcurrentMemtableWrite(false)
                .setMaxBackgroundJobs(BACKGROUND_JOBS)
                .setMaxOpenFiles(OPEN_FILES_MAX)
                .setBytesPerSync(1 << 20)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setMaxLogFileSize(INFO_LOG_BYTES)
                .setKeepLogFileNum(2)
                .setManifestPreallocationSize(MANIFEST_STEP_BYTES)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0);
    }

    /** Adds an object to those that are closed at the end. */
    static <T extends AutoCloseable> T keep(List<AutoCloseable> natives, T object) {
        natives.add(object);
        return object;
    }
}
