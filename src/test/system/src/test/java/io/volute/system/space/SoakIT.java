package io.volute.system.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.volute.system.AdminAnswers;
import io.volute.system.AdminAnswers.Space;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.SpaceSteering;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.space.SoakSeries.Flat;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Runs the real server at 85% of live bytes under all load that makes garbage. The duration is set
 * by {@code -Dvolute.soak}, such as {@code PT1H}. Memory, descriptors, threads and write
 * amplification stay flat. The samples are in {@code target/soak/soak.csv}.
 */
class SoakIT {
    private static final double LIVE_SHARE = 0.85;
    private static final Duration FILL_LIMIT = Duration.ofMinutes(15);
    private static final long POLL_NANOS = 50_000_000;
    private static final int SAMPLES = 240;
    private static final Duration INTERVAL_MIN = Duration.ofSeconds(2);
    private static final Map<String, String> ENVIRONMENT =
            Map.of(
                    "JAVA_TOOL_OPTIONS", ProcessGauges.JVM_OPTIONS,
                    "VOLUTE_LOG_SEGMENT_SIZE", "1MiB",
                    "VOLUTE_LOG_CAPACITY", "1GiB",
                    "VOLUTE_CLEANER_RESERVE_SEGMENTS", "24",
                    "VOLUTE_LOG_INLINE_LIMIT", "32KiB",
                    "VOLUTE_LOG_CHUNK_SIZE", "32KiB",
                    "VOLUTE_LOG_EXPANSION_FACTOR", "10",
                    // Small, so that they are full long before the second quarter.
                    "VOLUTE_INDEX_BLOCK_CACHE", "8MiB",
                    "VOLUTE_INDEX_WRITE_BUFFER", "8MiB",
                    "VOLUTE_MEMORY_IMAGES_BYTES", "8MiB");

    private static final List<Flat> BOUNDS =
            List.of(
                    new Flat("heap_kib", 1.25, 8 << 10),
                    new Flat("direct_kib", 1.25, 8 << 10),
                    new Flat("rss_kib", 1.10, 16 << 10),
                    new Flat("native_kib", 1.25, 16 << 10),
                    new Flat("descriptors", 1.25, 16),
                    new Flat("threads", 1.25, 8),
                    new Flat("amplification", 1.5, 1),
                    new Flat("millis_per_step", 2, 5));

    @Test
    void staysFlat() throws Exception {
        String wanted = System.getProperty("volute.soak", "");
        assumeThat(wanted).as("SKIPPED: -Dvolute.soak=PT1H runs it for an hour").isNotEmpty();
        assumeThat(ProcessGauges.areAvailable()).as("SKIPPED: needs jcmd and /proc").isTrue();
        Duration length = Duration.parse(wanted);
        SoakSeries series = new SoakSeries(Path.of("target", "soak", "soak.csv"));
        try (TemporaryStore directory = TemporaryStore.create("soak");
                ServerProcess server =
                        ServerProcess.start(
                                ServerProcess.Options.of(directory.data())
                                        .withMemory(256, 256)
                                        .withEnvironment(ENVIRONMENT));
                S3Client s3 = Clients.once(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            store.create(SoakLoad.PLAIN);
            store.createVersioned(SoakLoad.VERSIONED);
            AdminAnswers admin = new AdminAnswers(server.endpoint());
            ProcessGauges gauges = new ProcessGauges(server, directory.path());
            try (SpaceSteering steering = new SpaceSteering(admin, LIVE_SHARE);
                    SoakLoad load = new SoakLoad(s3, steering, Long.getLong("volute.seed", 1))) {
                awaitFull(steering, load);
                sample(length, admin, gauges, load, series);
                assertThat(load.faults()).as(server.log()).isEmpty();
                System.out.println("soak: space in the end: " + steering.last());
            } finally {
                print(series);
            }
            assertThat(admin.check()).isEmpty();
            assertThat(series.growth(BOUNDS)).isEmpty();
            assertThat(server.stop()).isZero();
        }
    }

    private static void awaitFull(SpaceSteering steering, SoakLoad load) {
        long begun = System.nanoTime();
        while (steering.isBelow()) {
            assertThat(load.faults()).isEmpty();
            assertThat(System.nanoTime() - begun)
                    .as("time to fill: %s", steering.last())
                    .isLessThan(FILL_LIMIT.toNanos());
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static void sample(
            Duration length,
            AdminAnswers admin,
            ProcessGauges gauges,
            SoakLoad load,
            SoakSeries series)
            throws IOException {
        long interval = Math.max(INTERVAL_MIN.toNanos(), length.toNanos() / SAMPLES);
        long begun = System.nanoTime();
        Space before = admin.space();
        long stepsBefore = load.done();
        long timeBefore = begun;
        for (long due = begun + interval; due - begun <= length.toNanos(); due += interval) {
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            Space now = admin.space();
            Map<String, Double> sample = new LinkedHashMap<>();
            long time = System.nanoTime();
            long steps = load.done();
            sample.put("seconds", (time - begun) / 1e9);
            sample.putAll(gauges.read());
            sample.put("live_share", now.liveShare());
            sample.put("used_share", (double) now.used() / now.capacity());
            sample.put("passes", (double) now.passes());
            sample.put("steps", (double) steps);
            sample.put(
                    "millis_per_step",
                    (time - timeBefore) / 1e6 / Math.max(1, steps - stepsBefore));
            sample.put("put_off", (double) load.putOff());
            sample.putAll(amplification(before.written(), now.written()));
            series.add(sample);
            before = now;
            stepsBefore = steps;
            timeBefore = time;
            if (!load.faults().isEmpty()) {
                return;
            }
        }
    }

    /** Bytes written since the last sample for a byte of clients, by cause and in all. */
    private static Map<String, Double> amplification(
            Map<String, Long> before, Map<String, Long> now) {
        Map<String, Double> found = new TreeMap<>();
        double client = Math.max(1, now.get("client-data") - before.get("client-data"));
        double all = 0;
        for (String cause : now.keySet()) {
            double ratio = (now.get(cause) - before.get(cause)) / client;
            all += ratio;
            found.put("amplification_" + cause, ratio);
        }
        found.put("amplification", all);
        return found;
    }

    private static void print(SoakSeries series) {
        System.out.println(
                "soak: medians of the quarters: "
                        + Stream.concat(
                                        BOUNDS.stream().map(Flat::name),
                                        Stream.of("live_share", "steps", "put_off", "passes"))
                                .map(series::summary)
                                .collect(Collectors.joining("; ")));
    }
}
