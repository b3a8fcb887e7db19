package io.volute.storage.index;

import io.volute.storage.index.RocksLeases.Lease;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyMetaData;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.LevelMetaData;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileMetaData;
import org.rocksdb.Status;

/** Merges runs of a RocksDB on the caller's thread. */
final class RocksRunMerger implements RunMerger {
    /**
     * Smallest part of a table outside its largest run that is worth a merge, as a divisor. So rows
     * are written again a few times at most.
     */
    private static final int SHARE_MIN = 8;

    /** Free space that a merge needs, as a multiple of the table. */
    private static final int ROOM_MIN = 3;

    private final RocksTables tables;
    private final Lease reader;
    private final List<ColumnFamilyHandle> walked;
    private final CompactRangeOptions options;
    private final AtomicBoolean isEnded = new AtomicBoolean();

    /** Creates the merger of an index, which closes it. */
    RocksRunMerger(
            RocksTables tables,
            Lease reader,
            List<ColumnFamilyHandle> walked,
            List<AutoCloseable> natives) {
        this.tables = tables;
        this.reader = reader;
        this.walked = List.copyOf(walked);
        this.options =
                RocksSettings.keep(natives, new CompactRangeOptions())
                        .setExclusiveManualCompaction(false)
                        .setCanceled(false);
    }

    @Override
    public boolean merge() throws IOException {
        boolean isMerged = false;
        for (ColumnFamilyHandle table : walked) {
            isMerged |= merge(table);
        }
        return isMerged;
    }

    private boolean merge(ColumnFamilyHandle table) throws IOException {
        long stamp = reader.enter();
        try {
            if (isEnded.get()
                    || !isWorthIt(
                            runs(tables.database().getColumnFamilyMetaData(table)),
                            Files.getFileStore(tables.directory()).getUsableSpace())) {
                return false;
            }
            tables.database().compactRange(table, null, null, options);
            return true;
        } catch (RocksDBException e) {
            if (isCanceled(e)) {
                return false;
            }
            throw tables.failed("cannot be merged", e);
        } finally {
            reader.leave(stamp);
        }
    }

    private static boolean isCanceled(RocksDBException e) {
        return e.getStatus() != null && e.getStatus().getCode() == Status.Code.Incomplete;
    }

    /**
     * Returns the bytes of each run. On the first level each file is a run; each other level is
     * one.
     */
    private static List<Long> runs(ColumnFamilyMetaData table) {
        List<Long> runs = new ArrayList<>();
        for (LevelMetaData level : table.levels()) {
            if (level.level() == 0) {
                level.files().stream().map(SstFileMetaData::size).forEach(runs::add);
            } else if (level.size() > 0) {
                runs.add(level.size());
            }
        }
        return runs;
    }

    /**
     * Returns whether a merge is worth it. Enough must lie outside the largest run, and there must
     * be ample space for a second table: a merge that fails for lack of space would hold up
     * writers.
     */
    static boolean isWorthIt(List<Long> runs, long freeBytes) {
        long all = runs.stream().mapToLong(Long::longValue).sum();
        long greatest = runs.stream().mapToLong(Long::longValue).max().orElse(0);
        return runs.size() > 1 && all - greatest >= all / SHARE_MIN && freeBytes / ROOM_MIN >= all;
    }

    @Override
    public void end() {
        // Read once: later the options may be closed.
        if (isEnded.compareAndSet(false, true)) {
            options.setCanceled(true);
        }
    }
}
