package io.volute.benchmarks.suite;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.cleaning.SpaceAnswer;
import io.volute.benchmarks.cleaning.Written;
import io.volute.benchmarks.load.LoadResult;
import io.volute.benchmarks.load.LoadRun;
import io.volute.benchmarks.suite.SuiteOptions.Full;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Mixes in a store of which so much is live that it must be cleaned meanwhile. Beside reads, any of
 * the objects are overwritten at a fixed rate.
 */
final class FullStore {
    /** Objects that are written first, to see what one takes. */
    private static final int TRIAL_OBJECTS = 500;

    private static final int IDLE_RUNS_MAX = 10;

    /** Of the highest rate of overwriting. */
    private static final double BACKGROUND_SHARE = 0.25;

    /** Small enough that the reserves of the cleaner are a small part of the capacity. */
    private static final long SEGMENTS = 256;

    private static final long SEGMENT_BYTES_MIN = 256 << 10;
    private static final long SEGMENT_BYTES_MAX = 64 << 20;
    private static final long SEGMENTS_PER_RESERVED = 32;
    private static final long RESERVED_MIN = 2;
    private static final long RESERVED_MAX = 8;
    private static final long SEGMENTS_PER_INDEX_FLUSH = 16;

    private final SuiteOptions options;
    private final Full full;
    private final SuiteResults results;
    private final MeasuredServer server;
    private Written before = new Written(Map.of(), OptionalLong.empty());

    private FullStore(
            SuiteOptions options, Full full, SuiteResults results, MeasuredServer server) {
        this.options = options;
        this.full = full;
        this.results = results;
        this.server = server;
    }

    /** Starts a server, fills it, and measures the mixes. */
    static void measure(SuiteOptions options, Full full, SuiteResults results)
            throws IOException, InterruptedException {
        Map<String, String> settings = settings(full);
        settings.putAll(options.settings());
        try (MeasuredServer server =
                MeasuredServer.start("volute", settings, options.directory())) {
            new FullStore(options, full, results, server).measure(settings);
        }
    }

    /**
     * A small store. What stays for good, entries of provenance and history, would fill it further
     * while it is measured: there is none, unless it is asked for.
     */
    static Map<String, String> settings(Full full) {
        long segment =
                Math.clamp(
                        Long.highestOneBit(full.capacityBytes() / SEGMENTS),
                        SEGMENT_BYTES_MIN,
                        SEGMENT_BYTES_MAX);
        long reserved =
                Math.clamp(
                        full.capacityBytes() / segment / SEGMENTS_PER_RESERVED,
                        RESERVED_MIN,
                        RESERVED_MAX);
        Map<String, String> settings = new TreeMap<>();
        settings.put("cleaner.reserve-segments", Long.toString(reserved));
        settings.put("log.capacity", full.capacityBytes() + "B");
        settings.put("log.segment-size", segment + "B");
        settings.put("index.flush-log-size", segment * SEGMENTS_PER_INDEX_FLUSH + "B");
        settings.put("provenance.signatures", "none");
        settings.put("history.policy", "none");
        return settings;
    }

    private void measure(Map<String, String> settings) throws IOException, InterruptedException {
        long objects = objects();
        LoadRun run = overwriting(objects, results.session());
        run.prepare();
        double puts = overwriteAll(run);
        MixRuns runs = new MixRuns(options, results, this::addCleaning);
        for (Mix mix : options.mixes()) {
            List<String> arguments =
                    mix.cleanedArguments(options.load(), objects, puts * BACKGROUND_SHARE);
            Step closed = Step.closed(mix, arguments, settings);
            before = server.space().written();
            run = runs.measure(closed, run.then(closed.workload()), arguments);
        }
    }

    private LoadRun overwriting(long objects, String session) {
        List<String> arguments = Mix.PUT.cleanedArguments(options.load(), objects, 0);
        Step step = Step.closed(Mix.PUT, arguments, Map.of());
        return new LoadRun(server.target(), step.workload(), session);
    }

    /** How many make the store so full. */
    private long objects() throws IOException, InterruptedException {
        overwriting(TRIAL_OBJECTS, results.session() + "t").prepare();
        double each = server.space().spaces().live() / (double) TRIAL_OBJECTS;
        long wanted = full.capacityBytes() * full.utilization() / 100;
        long objects = (long) (wanted / each) - TRIAL_OBJECTS;
        if (objects < TRIAL_OBJECTS) {
            throw new IOException("--capacity has no room for " + 2 * TRIAL_OBJECTS + " objects");
        }
        results.out().printf(Locale.ROOT, "%d objects of %.0f bytes in the log%n", objects, each);
        return objects;
    }

    /** Until what is dead lies as in the long run. Returns how many a second. */
    private double overwriteAll(LoadRun run) throws IOException, InterruptedException {
        Written begin = server.space().written();
        double operations = 0;
        double seconds = 0;
        int idleRuns = 0;
        do {
            LoadResult result = run.run();
            idleRuns = result.counts().operations() == 0 ? idleRuns + 1 : 0;
            if (idleRuns == IDLE_RUNS_MAX) {
                throw new IOException("nothing can be overwritten: " + result.text());
            }
            operations += result.counts().operations();
            seconds += result.seconds();
        } while (server.space().written().since(begin).of(WriteCause.CLIENT_DATA)
                < full.capacityBytes());
        results.out()
                .printf(
                        Locale.ROOT,
                        "%.0f a second while all was overwritten%n",
                        operations / seconds);
        return operations / seconds;
    }

    private void addCleaning(JsonLine line, Step step) throws IOException {
        SpaceAnswer now = server.space();
        Written written = now.written().since(before);
        before = now.written();
        double live = 100.0 * now.spaces().live() / full.capacityBytes();
        line.put("capacity_bytes", full.capacityBytes());
        line.put("utilization_percent", full.utilization()).put("live_percent", live);
        line.put("cleaning_bytes", written.of(WriteCause.CLEANING));
        line.put("cleaning_bytes_per_new_byte", written.amplification(WriteCause.CLEANING));
        if (written.of(WriteCause.CLEANING) == 0) {
            results.complain(step.title() + ": nothing was cleaned meanwhile");
        }
    }
}
