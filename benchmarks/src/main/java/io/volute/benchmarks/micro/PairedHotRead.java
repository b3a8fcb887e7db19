package io.volute.benchmarks.micro;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Machine;
import io.volute.benchmarks.ResultFile;
import io.volute.benchmarks.Ticks;
import io.volute.storage.BlobReader;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.versioning.ObjectStore.OpenObject;
import io.volute.versioning.VersionSelector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Compares GETs below HTTP of objects that are read again and again, with memory images and
 * without: two stores with the same objects in one process, read in short turns, so that both meet
 * the same neighbours. Without images the bytes come from the page cache.
 */
public final class PairedHotRead {
    private static final int WARM_UP_TURNS = 4;
    private static final int BODY_BYTES = 1024;
    private static final MemorySettings ON = MemorySettings.defaults();

    private final OpenStore store;
    private final List<Histogram> turns = new ArrayList<>();
    private final List<Double> throughputs = new ArrayList<>();

    private PairedHotRead(MemorySettings memory, long objects)
            throws IOException, InterruptedException {
        store = new OpenStore(BODY_BYTES, memory);
        store.fill(objects);
    }

    /** What is measured. */
    private record Plan(long objects, int turns, double seconds, int threads, Path output) {}

    /**
     * Arguments: objects (20000), turns (20), seconds of a turn (1), threads (2), file for a line
     * of results (none).
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        String[] given = Arrays.copyOf(new String[] {"20000", "20", "1", "2", ""}, 5);
        System.arraycopy(arguments, 0, given, 0, Math.min(given.length, arguments.length));
        Plan plan =
                new Plan(
                        Long.parseLong(given[0]),
                        Integer.parseInt(given[1]),
                        Double.parseDouble(given[2]),
                        Integer.parseInt(given[3]),
                        Path.of(given[4]));
        PairedHotRead on = new PairedHotRead(ON, plan.objects());
        PairedHotRead off = new PairedHotRead(MemorySettings.OFF, plan.objects());
        for (int turn = -WARM_UP_TURNS; turn < plan.turns(); turn++) {
            // The second of a pair may find a warmer processor: each is second as often.
            PairedHotRead first = turn % 2 == 0 ? on : off;
            PairedHotRead second = turn % 2 == 0 ? off : on;
            first.turn(plan, turn);
            second.turn(plan, turn);
        }
        report(plan, on, off);
        on.store.close();
        off.store.close();
    }

    private void turn(Plan plan, int number) throws IOException, InterruptedException {
        long begin = Ticks.nanos();
        long end = begin + (long) (plan.seconds() * 1e9);
        List<FutureTask<Histogram>> readers = new ArrayList<>();
        for (int i = 0; i < plan.threads(); i++) {
            SplittableRandom random = new SplittableRandom(number * 1_000L + i);
            FutureTask<Histogram> reader = new FutureTask<>(() -> read(plan, random, end));
            readers.add(reader);
            Thread.ofPlatform().name("read-" + i).start(reader);
        }
        Histogram all = new Histogram(TimeUnit.SECONDS.toNanos(10), 3);
        for (FutureTask<Histogram> reader : readers) {
            try {
                all.add(reader.get());
            } catch (ExecutionException e) {
                throw new IOException("a read failed", e.getCause());
            }
        }
        if (number >= 0) {
            turns.add(all);
            throughputs.add(all.getTotalCount() * 1e9 / (Ticks.nanos() - begin));
        }
    }

    private Histogram read(Plan plan, SplittableRandom random, long end) throws IOException {
        Histogram nanos = new Histogram(TimeUnit.SECONDS.toNanos(10), 3);
        ByteBuffer buffer = ByteBuffer.allocateDirect(BODY_BYTES * 2 + 4096);
        for (long begin = Ticks.nanos(); begin < end; ) {
            OpenObject object =
                    store.store()
                            .open(
                                    OpenStore.CALLER,
                                    OpenStore.BUCKET,
                                    OpenStore.key(random.nextLong(plan.objects())),
                                    VersionSelector.LATEST);
            try (BlobReader reader = object.reader()) {
                buffer.clear();
                reader.read(0, reader.bytes(), buffer);
            }
            long now = Ticks.nanos();
            nanos.recordValue(Math.min(now - begin, nanos.getHighestTrackableValue()));
            begin = now;
        }
        return nanos;
    }

    private static void report(Plan plan, PairedHotRead on, PairedHotRead off) throws IOException {
        JsonLine line =
                new JsonLine()
                        .put("kind", "hot-read")
                        .put("begun", Ticks.wallClock().toString())
                        .put("machine", Machine.describe())
                        .put("objects", plan.objects())
                        .put("body_bytes", (long) BODY_BYTES)
                        .put("turns", (long) plan.turns())
                        .put("threads", (long) plan.threads())
                        .put("images_bytes", ON.imageBytes())
                        .put("hits_on", on.store.stats().images().reads().hits())
                        .put("misses_on", on.store.stats().images().reads().misses());
        double[] throughput = new double[plan.turns()];
        for (int i = 0; i < throughput.length; i++) {
            throughput[i] = on.throughputs.get(i) / off.throughputs.get(i);
        }
        show(line, "reads_per_s", throughput, " (more is better)");
        for (double percentile : new double[] {50, 99, 99.9}) {
            double[] ratios = new double[plan.turns()];
            for (int i = 0; i < ratios.length; i++) {
                ratios[i] =
                        (double) on.turns.get(i).getValueAtPercentile(percentile)
                                / off.turns.get(i).getValueAtPercentile(percentile);
            }
            String name = "p" + (percentile == 99.9 ? "99.9" : (int) percentile);
            show(line, name, ratios, " (less is better)");
            line.put(name + "_on_us", merged(on).getValueAtPercentile(percentile) / 1e3)
                    .put(name + "_off_us", merged(off).getValueAtPercentile(percentile) / 1e3);
        }
        System.out.println(line);
        if (!plan.output().toString().isEmpty()) {
            Files.createDirectories(plan.output().toAbsolutePath().getParent());
            new ResultFile(plan.output()).append(line);
        }
    }

    private static Histogram merged(PairedHotRead side) {
        Histogram all = new Histogram(TimeUnit.SECONDS.toNanos(10), 3);
        side.turns.forEach(all::add);
        return all;
    }

    private static void show(JsonLine line, String name, double[] ratios, String sense) {
        Arrays.sort(ratios);
        double median = ratios[ratios.length / 2];
        System.out.printf(
                Locale.ROOT,
                "%-12s images on / off: median %.3f, quartiles %.3f and %.3f%s%n",
                name,
                median,
                ratios[ratios.length / 4],
                ratios[ratios.length * 3 / 4],
                sense);
        line.put("ratio_" + name, median);
    }
}
