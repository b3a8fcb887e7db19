package io.volute.storage.index;

import io.volute.storage.report.IndexStats;
import java.util.EnumSet;
import java.util.List;
import org.rocksdb.HistogramType;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;

/**
 * The figures of RocksDB. It uses tickers only: histograms, which are all left out, would time
 * every read.
 */
final class RocksStats {
    private final Statistics statistics;

    RocksStats(List<AutoCloseable> natives) {
        statistics =
                RocksSettings.keep(natives, new Statistics(EnumSet.allOf(HistogramType.class)));
    }

    Statistics statistics() {
        return statistics;
    }

    /** Returns the figures, within a call of a holder of the database. */
    IndexStats of(RocksDB database) throws RocksDBException {
        return new IndexStats(
                new IndexStats.Memory(
                        database.getLongProperty("rocksdb.block-cache-usage"),
                        database.getLongProperty("rocksdb.block-cache-pinned-usage"),
                        sum(database, "rocksdb.cur-size-all-mem-tables"),
                        sum(database, "rocksdb.estimate-table-readers-mem")),
                new IndexStats.Files(
                        sum(database, "rocksdb.total-sst-files-size"),
                        sum(database, "rocksdb.estimate-num-keys")),
                new IndexStats.Compaction(
                        sum(database, "rocksdb.estimate-pending-compaction-bytes"),
                        database.getLongProperty("rocksdb.num-running-compactions"),
                        database.getLongProperty("rocksdb.num-running-flushes"),
                        database.getLongProperty("rocksdb.is-write-stopped") != 0),
                new IndexStats.Io(
                        ticker(TickerType.BLOCK_CACHE_HIT),
                        ticker(TickerType.BLOCK_CACHE_MISS),
                        ticker(TickerType.FLUSH_WRITE_BYTES),
                        ticker(TickerType.COMPACT_WRITE_BYTES)));
    }

    private static long sum(RocksDB database, String property) throws RocksDBException {
        return database.getAggregatedLongProperty(property);
    }

    private long ticker(TickerType type) {
        return statistics.getTickerCount(type);
    }
}
