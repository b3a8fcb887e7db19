package io.volute.benchmarks.micro;

import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.io.WriteCause;
import io.volute.storage.report.CubeStats;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * Durable PUTs by 1, 8 and 64 writers without HTTP: what group commit makes of them. Prints the
 * forces and the log bytes a PUT needed.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Measurement(iterations = 4, time = 4)
public class StorePut extends Suite {
    /** Bytes of an object. */
    @Param({"1024", "4096"})
    private int bytes;

    private OpenStore store;
    private CubeStats before;
    private long objectsBefore;

    /** Opens a new store. */
    @Setup
    public void open() throws IOException {
        store = new OpenStore(bytes, MemorySettings.defaults());
    }

    /** Remembers the counters. */
    @Setup(Level.Iteration)
    public void count() {
        before = store.stats();
        objectsBefore = store.objects();
    }

    /** Every PUT waits for a force of its own. */
    @Benchmark
    @Threads(1)
    public ObjectVersion writers01() throws IOException {
        return store.put();
    }

    /** A few share a force. */
    @Benchmark
    @Threads(8)
    public ObjectVersion writers08() throws IOException {
        return store.put();
    }

    /** Many share a force. */
    @Benchmark
    @Threads(64)
    public ObjectVersion writers64() throws IOException {
        return store.put();
    }

    /** Prints what the iteration wrote. */
    @TearDown(Level.Iteration)
    public void report() {
        CubeStats after = store.stats();
        double puts = Math.max(1, store.objects() - objectsBefore);
        double data = written(after, WriteCause.CLIENT_DATA);
        double padding = written(after, WriteCause.PADDING);
        System.out.printf(
                Locale.ROOT,
                "[%.0f PUTs, %.3f forces, %.0f log bytes and %.0f of padding a PUT] ",
                puts,
                (after.batches() - before.batches()) / puts,
                data / puts,
                padding / puts);
    }

    private long written(CubeStats after, WriteCause cause) {
        return after.bytesWritten().getOrDefault(cause, 0L)
                - before.bytesWritten().getOrDefault(cause, 0L);
    }

    /** Removes the store. */
    @TearDown
    public void close() throws IOException {
        store.close();
    }
}
