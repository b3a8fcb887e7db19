package io.volute.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.prometheus.metrics.model.snapshots.Labels;
import io.volute.storage.Cube;
import io.volute.storage.CubeMaintenance;
import io.volute.storage.CubeState;
import io.volute.storage.io.WriteCause;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.Distribution;
import io.volute.storage.report.ImageStats;
import io.volute.storage.report.IndexStats;
import io.volute.storage.report.SpaceDecision;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.report.SpaceReport.SegmentSpace;
import io.volute.storage.report.WorkStats;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Figures of one cube: space, log, commits, cleaning, memory images, index. */
final class CubeMeters {
    /** All figures of one moment. */
    record Now(CubeState state, SpaceReport space, CubeStats stats) {
        WorkStats work() {
            return stats.work();
        }

        IndexStats index() {
            return stats.work().index();
        }
    }

    private final String name;
    private final Figures<Now> figures;
    private Optional<Now> last = Optional.empty();

    /**
     * Creates the meters of a cube that is open now.
     *
     * @param cube supplies the cube; empty while it is not open
     */
    CubeMeters(
            MeterRegistry registry,
            Histograms histograms,
            String name,
            Supplier<Optional<Cube>> cube) {
        this.name = name;
        this.figures = new Figures<>(registry, () -> now(cube.get()), Tags.of("cube", name));
        state();
        space();
        segments();
        log();
        balance();
        images();
        index();
        commits(histograms);
    }

    /** Returns the present figures; the last ones, of a closed cube, while it is not open. */
    private Now now(Optional<Cube> cube) {
        Now before = last.orElse(null);
        Now now =
                cube.isEmpty() && before != null
                        ? new Now(CubeState.CLOSED, before.space(), before.stats())
                        : of(cube.orElseThrow());
        last = Optional.of(now);
        return now;
    }

    private static Now of(CubeMaintenance cube) {
        return new Now(cube.state(), cube.spaceAtGlance(), cube.stats());
    }

    void refresh() {
        figures.refresh();
    }

    /** Returns the totals of its space, as of the last refresh. */
    SpaceReport.Totals totals() {
        return figures.now().space().totals();
    }

    private void counter(String metric, String help, ToDoubleFunction<Now> figure) {
        figures.counter(metric, help, figure);
    }

    private void gauge(String metric, String help, ToDoubleFunction<Now> figure) {
        figures.gauge(metric, help, figure);
    }

    private void state() {
        for (CubeState state : CubeState.values()) {
            figures.gauge(
                    "volute_cube_state",
                    "Present state of the cube (1 = current)",
                    now -> now.state() == state ? 1 : 0,
                    "state",
                    KindCounts.label(state));
        }
        counter(
                "volute_damages_total",
                "Checksum and identity mismatches found by reads",
                now -> now.stats().damages());
    }

    private void space() {
        gauge(
                "volute_space_capacity_bytes",
                "Maximum bytes of segments of the cube, reserves included",
                now -> now.space().totals().capacity());
        gauge(
                "volute_space_free_bytes",
                "Bytes of the capacity not allocated to segments",
                now -> now.space().totals().free());
        gauge(
                "volute_space_client_free_bytes",
                "Bytes that clients can still write",
                now -> now.space().totals().clientFree());
        gauge(
                "volute_space_used_bytes",
                "Bytes allocated to segments, holes excluded",
                now -> now.space().totals().used());
        gauge(
                "volute_space_live_bytes",
                "Bytes of live entries",
                now -> now.space().totals().live());
        gauge(
                "volute_space_dead_bytes",
                "Bytes of dead entries",
                now -> sum(now, SegmentSpace::dead));
        gauge(
                "volute_space_tombstone_bytes",
                "Bytes of tombstones that are still needed",
                now -> now.space().totals().tombstones());
        gauge(
                "volute_space_hole_bytes",
                "Dead bytes returned to the file system as holes",
                now -> sum(now, SegmentSpace::holes));
        counter(
                "volute_space_waits_total",
                "Writes delayed because space was short",
                now -> now.work().waits());
        counter(
                "volute_space_refused_total",
                "Writes refused because space was short",
                now -> now.work().refused());
    }

    private static double sum(Now now, ToLongFunction<SegmentSpace> figure) {
        return now.space().segments().stream().mapToLong(figure).sum();
    }

    private void segments() {
        for (SpaceReport.Kind kind : SpaceReport.Kind.values()) {
            for (boolean sealed : new boolean[] {false, true}) {
                figures.gauge(
                        "volute_log_segments",
                        "Segments of the log, by kind and state",
                        now ->
                                now.space().segments().stream()
                                        .filter(each -> each.kind() == kind)
                                        .filter(each -> each.sealed() == sealed)
                                        .count(),
                        "kind",
                        KindCounts.label(kind),
                        "state",
                        sealed ? "sealed" : "open");
            }
        }
        gauge(
                "volute_log_spare_segments",
                "Empty segment files ready for use",
                now -> now.space().freeSegments());
    }

    private void log() {
        for (WriteCause cause : WriteCause.values()) {
            written(
                    KindCounts.label(cause),
                    now -> now.stats().bytesWritten().getOrDefault(cause, 0L));
        }
        written("index-flush", now -> now.index().io().flushedBytes());
        written("index-compaction", now -> now.index().io().compactedBytes());
        counter("volute_commits_total", "Durable transactions", now -> now.stats().commits());
        counter(
                "volute_commit_batches_total",
                "Group commits; each forces the log once",
                now -> now.stats().batches());
        counter(
                "volute_log_stream_forces_total",
                "Forces (fsync) of stream segments",
                now -> now.stats().streamForces());
        gauge(
                "volute_commit_queue",
                "Transactions waiting for the committing thread",
                now -> now.work().commits().queued());
    }

    private void written(String cause, ToDoubleFunction<Now> bytes) {
        figures.counter(
                "volute_written_bytes_total",
                "Bytes written to the disk, by cause",
                bytes,
                "cause",
                cause);
    }

    private void balance() {
        gauge(
                "volute_balancer_live_ratio",
                "Live share of the capacity at the last balancer decision (L, 0 to 1)",
                now -> now.space().decision().liveShare());
        gauge(
                "volute_balancer_free_ratio",
                "Free share of the capacity at the last balancer decision (F, 0 to 1)",
                now -> now.space().decision().freeShare());
        gauge(
                "volute_balancer_tombstone_ratio",
                "Tombstone share at the last balancer decision (T, 0 to 1); 0 while enough space"
                        + " was free",
                now -> now.space().decision().tombstoneShare());
        gauge(
                "volute_balancer_expansion_ratio",
                "Segment bytes per live byte at the last balancer decision",
                now -> now.space().decision().expansion());
        for (SpaceDecision.Reason reason : SpaceDecision.Reason.values()) {
            String[] labels = {
                "action", KindCounts.label(reason.action()), "reason", KindCounts.label(reason)
            };
            figures.gauge(
                    "volute_balancer_decision",
                    "Latest balancer decision and its reason (1 = current)",
                    now -> now.space().decision().reason() == reason ? 1 : 0,
                    labels);
            figures.counter(
                    "volute_balancer_decisions_total",
                    "Balancer decisions, by action and reason",
                    now -> now.work().decisions().getOrDefault(reason, 0L),
                    labels);
        }
        counter(
                "volute_cleaner_passes_total",
                "Completed passes of combined cleaning",
                now -> now.space().cleaner().passes());
        counter(
                "volute_cleaner_freed_segments_total",
                "Segments freed by combined cleaning",
                now -> now.space().cleaner().freedSegments());
        counter(
                "volute_cleaner_copied_bytes_total",
                "Bytes copied by combined cleaning",
                now -> now.space().cleaner().copiedBytes());
        counter(
                "volute_cleaner_punched_bytes_total",
                "Bytes returned to the file system as holes",
                now -> now.work().punchedBytes());
        gauge(
                "volute_cleaner_damaged_segments",
                "Damaged segments that the cleaner keeps",
                now -> now.space().cleaner().damagedSegments());
    }

    private void images() {
        image("budget_bytes", "maximum bytes", stats -> stats.space().budgetBytes());
        image("allocated_bytes", "bytes allocated", stats -> stats.space().allocatedBytes());
        image("live_bytes", "bytes of live entries", stats -> stats.space().liveBytes());
        image("dead_bytes", "bytes of dead entries", stats -> stats.space().deadBytes());
        image("entries", "live entries", stats -> stats.space().entries());
        imageCount("hits", "reads served", stats -> stats.reads().hits());
        imageCount("misses", "reads not served", stats -> stats.reads().misses());
        imageCount(
                "mismatches",
                "entries dropped because of a wrong checksum",
                stats -> stats.reads().mismatches());
        imageCount("compactions", "decisions to compact", stats -> stats.upkeep().compactions());
        imageCount("evictions", "decisions to evict", stats -> stats.upkeep().evictions());
        imageCount(
                "evicted_entries",
                "live entries evicted",
                stats -> stats.upkeep().evictedEntries());
        imageCount(
                "evicted_bytes",
                "bytes of live entries evicted",
                stats -> stats.upkeep().evictedBytes());
        imageCount(
                "relocated_bytes",
                "bytes copied by compactions and evictions",
                stats -> stats.upkeep().relocatedBytes());
    }

    private void image(String metric, String help, ToDoubleFunction<ImageStats> figure) {
        gauge(
                "volute_images_" + metric,
                "Memory images: " + help,
                now -> figure.applyAsDouble(now.stats().images()));
    }

    private void imageCount(String metric, String help, ToDoubleFunction<ImageStats> figure) {
        counter(
                "volute_images_" + metric + "_total",
                "Memory images: " + help,
                now -> figure.applyAsDouble(now.stats().images()));
    }

    private void index() {
        gauge(
                "volute_index_block_cache_bytes",
                "RocksDB: bytes of cached blocks",
                now -> now.index().memory().blockCache());
        gauge(
                "volute_index_block_cache_pinned_bytes",
                "RocksDB: bytes of cached blocks in use",
                now -> now.index().memory().pinned());
        gauge(
                "volute_index_memtable_bytes",
                "RocksDB: bytes of memtables (changes not yet flushed)",
                now -> now.index().memory().memtables());
        gauge(
                "volute_index_table_reader_bytes",
                "RocksDB: bytes of memory for open files, outside the block cache",
                now -> now.index().memory().tableReaders());
        gauge(
                "volute_index_file_bytes",
                "RocksDB: bytes of index files",
                now -> now.index().files().bytes());
        gauge(
                "volute_index_rows",
                "RocksDB: estimated number of rows",
                now -> now.index().files().rows());
        gauge(
                "volute_index_pending_compaction_bytes",
                "RocksDB: estimated bytes that compaction must rewrite",
                now -> now.index().compaction().pendingBytes());
        gauge(
                "volute_index_running_compactions",
                "RocksDB: running compactions",
                now -> now.index().compaction().running());
        gauge(
                "volute_index_running_flushes",
                "RocksDB: running flushes",
                now -> now.index().compaction().flushing());
        gauge(
                "volute_index_holds_writes",
                "RocksDB: 1 while writes are stalled until compaction catches up, else 0",
                now -> now.index().compaction().holdsWrites() ? 1 : 0);
        counter(
                "volute_index_block_cache_hits_total",
                "RocksDB: blocks found in the block cache",
                now -> now.index().io().cacheHits());
        counter(
                "volute_index_block_cache_misses_total",
                "RocksDB: blocks read from files",
                now -> now.index().io().cacheMisses());
    }

    private void commits(Histograms histograms) {
        histograms.add(
                "volute_commit_batch_transactions",
                "Transactions per group commit",
                Histograms.Unit.COUNT,
                one(commits -> commits.transactions()));
        histograms.add(
                "volute_commit_batch_bytes",
                "Log bytes per group commit",
                Histograms.Unit.BYTES,
                one(commits -> commits.bytes()));
        histograms.add(
                "volute_commit_batch_seconds",
                "Seconds from the start of a group commit until all its transactions are visible",
                Histograms.Unit.NANOSECONDS,
                one(commits -> commits.nanos()));
        histograms.add(
                "volute_force_seconds",
                "Seconds per force (fsync) of a file, by cause of its last write",
                Histograms.Unit.NANOSECONDS,
                () -> {
                    Map<Labels, Distribution.Counts> byCause = new LinkedHashMap<>();
                    figures.now()
                            .work()
                            .forces()
                            .forEach(
                                    (cause, counts) ->
                                            byCause.put(
                                                    Labels.of(
                                                            "cube",
                                                            name,
                                                            "cause",
                                                            KindCounts.label(cause)),
                                                    counts));
                    return byCause;
                });
    }

    private Supplier<Map<Labels, Distribution.Counts>> one(
            Function<WorkStats.Commits, Distribution.Counts> which) {
        return () -> Map.of(Labels.of("cube", name), which.apply(figures.now().work().commits()));
    }
}
