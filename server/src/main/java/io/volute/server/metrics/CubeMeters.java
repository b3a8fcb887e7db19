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
                    "1 for the state that the cube is in",
                    now -> now.state() == state ? 1 : 0,
                    "state",
                    KindCounts.label(state));
        }
        counter(
                "volute_damages_total",
                "Checksums or identities that did not fit when something was read",
                now -> now.stats().damages());
    }

    private void space() {
        gauge(
                "volute_space_capacity_bytes",
                "Bytes that segments may take, reserves included",
                now -> now.space().totals().capacity());
        gauge(
                "volute_space_free_bytes",
                "Of the capacity, what no segment takes",
                now -> now.space().totals().free());
        gauge(
                "volute_space_client_free_bytes",
                "Of the capacity, what clients may still fill",
                now -> now.space().totals().clientFree());
        gauge(
                "volute_space_used_bytes",
                "Bytes that segments take, holes not counted",
                now -> now.space().totals().used());
        gauge(
                "volute_space_live_bytes",
                "Bytes of entries that a reader can still reach",
                now -> now.space().totals().live());
        gauge(
                "volute_space_dead_bytes",
                "Bytes of entries that nobody can reach",
                now -> sum(now, SegmentSpace::dead));
        gauge(
                "volute_space_tombstone_bytes",
                "Bytes of tombstones that are still needed",
                now -> now.space().totals().tombstones());
        gauge(
                "volute_space_hole_bytes",
                "Dead bytes that take no space any more",
                now -> sum(now, SegmentSpace::holes));
        counter(
                "volute_space_waits_total",
                "Writes that were held back for want of space",
                now -> now.work().waits());
        counter(
                "volute_space_refused_total",
                "Writes that were refused for want of space",
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
                        "Segments of the log",
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
                "Segment files that are made and empty",
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
        counter(
                "volute_commits_total",
                "Transactions that became durable",
                now -> now.stats().commits());
        counter(
                "volute_commit_batches_total",
                "Group commits, one force each",
                now -> now.stats().batches());
        counter(
                "volute_log_stream_forces_total",
                "Forces of stream segments",
                now -> now.stats().streamForces());
        gauge(
                "volute_commit_queue",
                "Transactions that wait for the committing thread",
                now -> now.work().commits().queued());
    }

    private void written(String cause, ToDoubleFunction<Now> bytes) {
        figures.counter(
                "volute_written_bytes_total",
                "Bytes written to the disk, by why they were written",
                bytes,
                "cause",
                cause);
    }

    private void balance() {
        gauge(
                "volute_balancer_live_ratio",
                "L of the last decision: the share of the capacity that was live",
                now -> now.space().decision().liveShare());
        gauge(
                "volute_balancer_free_ratio",
                "F of the last decision: the share that was free",
                now -> now.space().decision().freeShare());
        gauge(
                "volute_balancer_tombstone_ratio",
                "T of the last decision: the share of tombstones; 0 when space was not short",
                now -> now.space().decision().tombstoneShare());
        gauge(
                "volute_balancer_expansion_ratio",
                "Of the last decision: bytes of segments for a live byte",
                now -> now.space().decision().expansion());
        for (SpaceDecision.Reason reason : SpaceDecision.Reason.values()) {
            String[] labels = {
                "action", KindCounts.label(reason.action()), "reason", KindCounts.label(reason)
            };
            figures.gauge(
                    "volute_balancer_decision",
                    "1 for what was decided last, and why",
                    now -> now.space().decision().reason() == reason ? 1 : 0,
                    labels);
            figures.counter(
                    "volute_balancer_decisions_total",
                    "Decisions, by what was decided and why",
                    now -> now.work().decisions().getOrDefault(reason, 0L),
                    labels);
        }
        counter(
                "volute_cleaner_passes_total",
                "Passes of combined cleaning that ended well",
                now -> now.space().cleaner().passes());
        counter(
                "volute_cleaner_freed_segments_total",
                "Segments that those passes freed",
                now -> now.space().cleaner().freedSegments());
        counter(
                "volute_cleaner_copied_bytes_total",
                "Bytes that those passes copied",
                now -> now.space().cleaner().copiedBytes());
        counter(
                "volute_cleaner_punched_bytes_total",
                "Bytes given back to the file system as holes",
                now -> now.work().punchedBytes());
        gauge(
                "volute_cleaner_damaged_segments",
                "Segments that the cleaner met with damage and keeps",
                now -> now.space().cleaner().damagedSegments());
    }

    private void images() {
        image("budget_bytes", "Bytes that images may take", stats -> stats.space().budgetBytes());
        image("allocated_bytes", "Bytes they take", stats -> stats.space().allocatedBytes());
        image("live_bytes", "Bytes of entries", stats -> stats.space().liveBytes());
        image("dead_bytes", "Bytes of entries that died", stats -> stats.space().deadBytes());
        image("entries", "Entries", stats -> stats.space().entries());
        imageCount("hits", "Reads served", stats -> stats.reads().hits());
        imageCount("misses", "Reads not served", stats -> stats.reads().misses());
        imageCount(
                "mismatches",
                "Entries that did not fit their checksum, dropped",
                stats -> stats.reads().mismatches());
        imageCount("compactions", "Compactions", stats -> stats.upkeep().compactions());
        imageCount("evictions", "Evictions", stats -> stats.upkeep().evictions());
        imageCount(
                "evicted_entries",
                "Live entries that were dropped",
                stats -> stats.upkeep().evictedEntries());
        imageCount("evicted_bytes", "Bytes of those", stats -> stats.upkeep().evictedBytes());
        imageCount(
                "relocated_bytes",
                "Bytes that both copied",
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
                "RocksDB: blocks in the cache",
                now -> now.index().memory().blockCache());
        gauge(
                "volute_index_block_cache_pinned_bytes",
                "RocksDB: of those, in use",
                now -> now.index().memory().pinned());
        gauge(
                "volute_index_memtable_bytes",
                "RocksDB: changes that are not flushed",
                now -> now.index().memory().memtables());
        gauge(
                "volute_index_table_reader_bytes",
                "RocksDB: memory of open files outside the cache",
                now -> now.index().memory().tableReaders());
        gauge(
                "volute_index_file_bytes",
                "RocksDB: bytes of its files",
                now -> now.index().files().bytes());
        gauge("volute_index_rows", "RocksDB: rows, estimated", now -> now.index().files().rows());
        gauge(
                "volute_index_pending_compaction_bytes",
                "RocksDB: bytes that wait to be merged, estimated",
                now -> now.index().compaction().pendingBytes());
        gauge(
                "volute_index_running_compactions",
                "RocksDB: merges that run",
                now -> now.index().compaction().running());
        gauge(
                "volute_index_running_flushes",
                "RocksDB: flushes that run",
                now -> now.index().compaction().flushing());
        gauge(
                "volute_index_holds_writes",
                "RocksDB: 1 while writes wait for merging",
                now -> now.index().compaction().holdsWrites() ? 1 : 0);
        counter(
                "volute_index_block_cache_hits_total",
                "RocksDB: blocks found in the cache",
                now -> now.index().io().cacheHits());
        counter(
                "volute_index_block_cache_misses_total",
                "RocksDB: blocks read from files",
                now -> now.index().io().cacheMisses());
    }

    private void commits(Histograms histograms) {
        histograms.add(
                "volute_commit_batch_transactions",
                "Transactions of a group commit",
                Histograms.Unit.COUNT,
                one(commits -> commits.transactions()));
        histograms.add(
                "volute_commit_batch_bytes",
                "Bytes of a group commit in the log",
                Histograms.Unit.BYTES,
                one(commits -> commits.bytes()));
        histograms.add(
                "volute_commit_batch_seconds",
                "From the first look at the transactions of a group commit until all are visible",
                Histograms.Unit.NANOSECONDS,
                one(commits -> commits.nanos()));
        histograms.add(
                "volute_force_seconds",
                "Time of a force of a file, by why the file was written last",
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
