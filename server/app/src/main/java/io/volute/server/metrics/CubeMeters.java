package io.volute.server.metrics;

import io.volute.storage.CubeMaintenance;
import io.volute.storage.CubeState;
import io.volute.storage.io.WriteCause;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.Distribution;
import io.volute.storage.report.ImageStats;
import io.volute.storage.report.IndexStats;
import io.volute.storage.report.SpaceDecision.Reason;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.report.SpaceReport.SegmentSpace;
import io.volute.storage.report.WorkStats;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The metrics of an open cube: space, log, commits, cleaning, memory images, index. */
final class CubeMeters {
    /** All figures of one cube at one moment. */
    record Now(CubeState state, SpaceReport space, CubeStats stats) {
        static Now of(CubeMaintenance cube) {
            return new Now(cube.state(), cube.spaceAtGlance(), cube.stats());
        }

        /** Returns the figures of the cube after its end. */
        Now closed() {
            return new Now(CubeState.CLOSED, space, stats);
        }

        private WorkStats work() {
            return stats.work();
        }

        private IndexStats index() {
            return stats.work().index();
        }

        private ImageStats images() {
            return stats.images();
        }
    }

    private static final MeterTable<Now> COMMITS =
            new MeterTable<Now>("cube and commits", "cube")
                    .gauges(
                            "volute_cube_state",
                            "Present state of the cube (1 = current)",
                            "`read-only`: a force failed or damage was accepted (see the log)."
                                    + " Check the disk, restart",
                            "state",
                            now -> MeterTable.current(CubeState.values(), now.state()))
                    .counter(
                            "volute_damages_total",
                            "Checksum and identity mismatches found by reads",
                            "Counts since the start, with repaired damage: see"
                                    + " `volute_damaged_states`",
                            now -> now.stats().damages())
                    .counter(
                            "volute_commits_total",
                            "Durable transactions",
                            now -> now.stats().commits())
                    .counter(
                            "volute_commit_batches_total",
                            "Group commits; each forces the log once",
                            now -> now.stats().batches())
                    .histogram(
                            "volute_commit_batch_transactions",
                            "Transactions per group commit",
                            "",
                            now -> now.work().commits().transactions())
                    .histogram(
                            "volute_commit_batch_bytes",
                            "Log bytes per group commit",
                            "",
                            now -> now.work().commits().bytes())
                    .histogram(
                            "volute_commit_batch_seconds",
                            "Seconds from the start of a group commit until all its transactions"
                                    + " are visible",
                            "Near `volute_force_seconds`: the disk; far above it: the index (see"
                                    + " Index) or the processors",
                            now -> now.work().commits().nanos())
                    .gauge(
                            "volute_commit_queue",
                            "Transactions waiting for the committing thread",
                            "Always high: the disk forces too slowly for the load",
                            now -> now.work().commits().queued())
                    .histograms(
                            "volute_force_seconds",
                            "Seconds per force (fsync) of a file, by cause of its last write",
                            "`client-data` above some ms on an SSD: another program writes to the"
                                    + " disk, or it is failing",
                            "cause",
                            CubeMeters::forces);

    private static final MeterTable<Now> LOG =
            new MeterTable<Now>("log", "cube")
                    .gauges(
                            "volute_log_segments",
                            "Segments of the log: `head`, `stream` or `survivor`, `open` or"
                                    + " `sealed`",
                            "",
                            List.of("kind", "state"),
                            CubeMeters::segments)
                    .gauge(
                            "volute_log_spare_segments",
                            "Empty segment files ready for use",
                            now -> now.space().freeSegments())
                    .counter(
                            "volute_log_stream_forces_total",
                            "Forces (fsync) of stream segments",
                            now -> now.stats().streamForces())
                    .counters(
                            "volute_written_bytes_total",
                            "Bytes written to disk, by cause: `client-data`, `padding`, `prepare`"
                                    + " (zeros of new files), `digest`, `cleaning`, `checkpoint`,"
                                    + " `index-flush`, `index-compaction`. The sum over"
                                    + " `client-data` is the write amplification",
                            "Much `cleaning`: the store is too full; much `index-compaction`:"
                                    + " raise `index.write-buffer`",
                            "cause",
                            CubeMeters::written);

    private static final MeterTable<Now> SPACE =
            new MeterTable<Now>("space", "cube")
                    .gauge(
                            "volute_space_capacity_bytes",
                            "Maximum bytes of segments of the cube, reserves included; on a"
                                    + " shared disk, with all of its free space",
                            now -> now.space().totals().capacity())
                    .gauge(
                            "volute_space_free_bytes",
                            "Bytes of the capacity not allocated to segments",
                            now -> now.space().totals().free())
                    .gauge(
                            "volute_space_client_free_bytes",
                            "Bytes that clients can still write",
                            "Below a tenth: delete, shorten `history.retention`, or add space."
                                    + " Cleaning reclaims dead bytes, never live ones",
                            now -> now.space().totals().clientFree())
                    .gauge(
                            "volute_space_used_bytes",
                            "Bytes allocated to segments, holes excluded",
                            now -> now.space().totals().used())
                    .gauge(
                            "volute_space_live_bytes",
                            "Bytes of live entries: the minimum that the store needs",
                            "Above 85% of the capacity: cleaning becomes expensive; above 95% it"
                                    + " cannot win any more",
                            now -> now.space().totals().live())
                    .gauge(
                            "volute_space_dead_bytes",
                            "Bytes of dead entries",
                            now -> sum(now, SegmentSpace::dead))
                    .gauge(
                            "volute_space_tombstone_bytes",
                            "Bytes of tombstones that are still needed",
                            now -> now.space().totals().tombstones())
                    .gauge(
                            "volute_space_hole_bytes",
                            "Dead bytes returned to the file system as holes",
                            now -> sum(now, SegmentSpace::holes))
                    .counter(
                            "volute_space_waits_total",
                            "Writes delayed because space was short",
                            "Rising: writes come faster than cleaning wins space; raise"
                                    + " `cleaner.threads`, or add space",
                            now -> now.work().waits())
                    .counter(
                            "volute_space_refused_total",
                            "Writes refused because space was short",
                            "Any: as above, at once",
                            now -> now.work().refused())
                    .gauge(
                            "volute_balancer_live_ratio",
                            "Live share of the capacity at the last balancer decision (L, 0 to 1)",
                            now -> now.space().decision().liveShare())
                    .gauge(
                            "volute_balancer_free_ratio",
                            "Free share of the capacity at the last balancer decision (F, 0 to 1)",
                            now -> now.space().decision().freeShare())
                    .gauge(
                            "volute_balancer_tombstone_ratio",
                            "Tombstone share at the last balancer decision (T, 0 to 1). It is 0"
                                    + " while enough space was free, because only a shortage"
                                    + " counts tombstones",
                            now -> now.space().decision().tombstoneShare())
                    .gauge(
                            "volute_balancer_expansion_ratio",
                            "Segment bytes per live byte at the last balancer decision (space"
                                    + " amplification)",
                            now -> now.space().decision().expansion())
                    .gauges(
                            "volute_balancer_decision",
                            "Latest balancer decision (1 = current): `nothing`, `compact` (holes)"
                                    + " or `combine` (copying), with its"
                                    + " [reason](#reasons-of-the-balancer)",
                            "",
                            List.of("action", "reason"),
                            CubeMeters::decision)
                    .counters(
                            "volute_balancer_decisions_total",
                            "Balancer decisions, by action and reason",
                            "",
                            List.of("action", "reason"),
                            CubeMeters::decisions)
                    .counter(
                            "volute_cleaner_passes_total",
                            "Completed passes of combined cleaning",
                            now -> now.space().cleaner().passes())
                    .counter(
                            "volute_cleaner_freed_segments_total",
                            "Segments freed by combined cleaning",
                            now -> now.space().cleaner().freedSegments())
                    .counter(
                            "volute_cleaner_copied_bytes_total",
                            "Bytes copied by combined cleaning",
                            now -> now.space().cleaner().copiedBytes())
                    .counter(
                            "volute_cleaner_punched_bytes_total",
                            "Bytes returned to the file system as holes",
                            "0 although much is dead: the file system cannot make holes",
                            now -> now.work().punchedBytes())
                    .gauge(
                            "volute_cleaner_damaged_segments",
                            "Damaged segments that the cleaner keeps",
                            "Any: as for `volute_damaged_states`",
                            now -> now.space().cleaner().damagedSegments());

    private static final MeterTable<Now> IMAGES =
            new MeterTable<Now>("memory images", "cube")
                    .gauge(
                            "volute_images_budget_bytes",
                            "Memory images: maximum bytes (`memory.images.bytes`)",
                            now -> now.images().space().budgetBytes())
                    .gauge(
                            "volute_images_allocated_bytes",
                            "Memory images: bytes allocated",
                            now -> now.images().space().allocatedBytes())
                    .gauge(
                            "volute_images_live_bytes",
                            "Memory images: bytes of live entries",
                            now -> now.images().space().liveBytes())
                    .gauge(
                            "volute_images_dead_bytes",
                            "Memory images: bytes of dead entries",
                            now -> now.images().space().deadBytes())
                    .gauge(
                            "volute_images_entries",
                            "Memory images: live entries",
                            now -> now.images().space().entries())
                    .counter(
                            "volute_images_hits_total",
                            "Memory images: reads served",
                            "Few of hits and misses together: the hot set is larger than"
                                    + " `memory.images.bytes`",
                            now -> now.images().reads().hits())
                    .counter(
                            "volute_images_misses_total",
                            "Memory images: reads not served",
                            now -> now.images().reads().misses())
                    .counter(
                            "volute_images_mismatches_total",
                            "Memory images: entries with a wrong checksum, dropped and read from"
                                    + " the disk",
                            "Any: test the machine's memory",
                            now -> now.images().reads().mismatches())
                    .counter(
                            "volute_images_refused_entries_total",
                            "Memory images: entries not added because no memory was free",
                            "Rising together with the misses: raise `memory.images.bytes`",
                            now -> now.images().writes().refused())
                    .counter(
                            "volute_images_compactions_total",
                            "Memory images: decisions to compact",
                            now -> now.images().upkeep().compactions())
                    .counter(
                            "volute_images_evictions_total",
                            "Memory images: decisions to evict",
                            now -> now.images().upkeep().evictions())
                    .counter(
                            "volute_images_evicted_entries_total",
                            "Memory images: live entries evicted",
                            now -> now.images().upkeep().evictedEntries())
                    .counter(
                            "volute_images_evicted_bytes_total",
                            "Memory images: bytes of live entries evicted",
                            now -> now.images().upkeep().evictedBytes())
                    .counter(
                            "volute_images_relocated_bytes_total",
                            "Memory images: bytes copied by compactions and evictions",
                            now -> now.images().upkeep().relocatedBytes());

    private static final MeterTable<Now> INDEX =
            new MeterTable<Now>("index", "cube")
                    .gauge(
                            "volute_index_block_cache_bytes",
                            "RocksDB: bytes of cached blocks",
                            now -> now.index().memory().blockCache())
                    .gauge(
                            "volute_index_block_cache_pinned_bytes",
                            "RocksDB: bytes of cached blocks in use",
                            now -> now.index().memory().pinned())
                    .counter(
                            "volute_index_block_cache_hits_total",
                            "RocksDB: blocks found in the block cache",
                            now -> now.index().io().cacheHits())
                    .counter(
                            "volute_index_block_cache_misses_total",
                            "RocksDB: blocks read from files",
                            "Many: raise `index.block-cache`",
                            now -> now.index().io().cacheMisses())
                    .gauge(
                            "volute_index_memtable_bytes",
                            "RocksDB: bytes of memtables (changes not yet flushed)",
                            "Above `index.write-buffer` for long: flushes do not end; see the disk",
                            now -> now.index().memory().memtables())
                    .gauge(
                            "volute_index_table_reader_bytes",
                            "RocksDB: bytes of memory for open files, outside the block cache",
                            now -> now.index().memory().tableReaders())
                    .gauge(
                            "volute_index_file_bytes",
                            "RocksDB: bytes of index files",
                            now -> now.index().files().bytes())
                    .gauge(
                            "volute_index_rows",
                            "RocksDB: estimated number of rows",
                            now -> now.index().files().rows())
                    .gauge(
                            "volute_index_pending_compaction_bytes",
                            "RocksDB: estimated bytes that compaction must rewrite",
                            "Rising for hours: the disk is too slow for the load",
                            now -> now.index().compaction().pendingBytes())
                    .gauge(
                            "volute_index_running_compactions",
                            "RocksDB: running compactions",
                            now -> now.index().compaction().running())
                    .gauge(
                            "volute_index_running_flushes",
                            "RocksDB: running flushes",
                            now -> now.index().compaction().flushing())
                    .gauge(
                            "volute_index_holds_writes",
                            "RocksDB: 1 while writes are stalled until compaction catches up,"
                                    + " else 0",
                            "1 for minutes: as above",
                            now -> now.index().compaction().holdsWrites() ? 1 : 0);

    static final List<MeterTable<Now>> TABLES = List.of(COMMITS, LOG, SPACE, IMAGES, INDEX);

    private CubeMeters() {}

    private static double sum(Now now, ToLongFunction<SegmentSpace> figure) {
        return now.space().segments().stream().mapToLong(figure).sum();
    }

    private static Map<String, Distribution.Counts> forces(Now now) {
        Map<String, Distribution.Counts> byCause = new HashMap<>();
        now.work()
                .forces()
                .forEach((cause, counts) -> byCause.put(KindCounts.label(cause), counts));
        return byCause;
    }

    private static Map<List<String>, Long> segments(Now now) {
        Map<List<String>, Long> byLabels = new HashMap<>();
        for (SpaceReport.Kind kind : SpaceReport.Kind.values()) {
            byLabels.put(List.of(KindCounts.label(kind), "open"), 0L);
            byLabels.put(List.of(KindCounts.label(kind), "sealed"), 0L);
        }
        for (SegmentSpace each : now.space().segments()) {
            String state = each.sealed() ? "sealed" : "open";
            byLabels.merge(List.of(KindCounts.label(each.kind()), state), 1L, Long::sum);
        }
        return byLabels;
    }

    private static Map<String, Long> written(Now now) {
        Map<String, Long> byCause = new HashMap<>();
        for (WriteCause each : WriteCause.values()) {
            byCause.put(KindCounts.label(each), now.stats().bytesWritten().getOrDefault(each, 0L));
        }
        byCause.put("index-flush", now.index().io().flushedBytes());
        byCause.put("index-compaction", now.index().io().compactedBytes());
        return byCause;
    }

    private static Map<List<String>, Integer> decision(Now now) {
        Map<List<String>, Integer> byLabels = new HashMap<>();
        for (Reason each : Reason.values()) {
            byLabels.put(labels(each), each == now.space().decision().reason() ? 1 : 0);
        }
        return byLabels;
    }

    private static Map<List<String>, Long> decisions(Now now) {
        Map<List<String>, Long> byLabels = new HashMap<>();
        for (Reason each : Reason.values()) {
            byLabels.put(labels(each), now.work().decisions().getOrDefault(each, 0L));
        }
        return byLabels;
    }

    private static List<String> labels(Reason reason) {
        return List.of(KindCounts.label(reason.action()), KindCounts.label(reason));
    }
}
