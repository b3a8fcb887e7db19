package io.volute.benchmarks.micro;

import io.volute.storage.BlobReader;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
import org.openjdk.jmh.annotations.Warmup;

/** Reads without HTTP: a look-up, a whole small object, a page of a listing. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 4, time = 3)
@Fork(1)
public class StoreRead {
    private static final int BODY_BYTES = 4096;
    private static final int PAGE = 1000;

    /** Objects in the store. */
    @Param("100000")
    private long objects;

    private OpenStore store;
    private SplittableRandom random;
    private ByteBuffer buffer;

    /** Fills a new store. */
    @Setup(Level.Trial)
    public void open() throws IOException, InterruptedException {
        random = new SplittableRandom(1);
        buffer = ByteBuffer.allocateDirect(BODY_BYTES * 2);
        store = new OpenStore(BODY_BYTES);
        store.fill(objects);
    }

    private ObjectKey anyKey() {
        return OpenStore.key(random.nextLong(objects));
    }

    /** HEAD. */
    @Benchmark
    @Threads(1)
    public Optional<ObjectVersion> lookUp() throws IOException {
        return store.store()
                .head(OpenStore.CALLER, OpenStore.BUCKET, anyKey(), VersionSelector.LATEST);
    }

    /** GET, every byte verified. */
    @Benchmark
    @Threads(1)
    public long read() throws IOException {
        OpenObject object =
                store.store()
                        .open(OpenStore.CALLER, OpenStore.BUCKET, anyKey(), VersionSelector.LATEST);
        try (BlobReader reader = object.reader()) {
            reader.read(0, reader.bytes(), buffer);
            return buffer.getLong(buffer.position());
        }
    }

    /** One page of 1,000 entries anywhere in the bucket. */
    @Benchmark
    @Threads(1)
    public ObjectPage listPage() throws IOException {
        String after = OpenStore.key(random.nextLong(objects - PAGE)).value();
        return store.store()
                .listObjects(
                        OpenStore.CALLER,
                        OpenStore.BUCKET,
                        new ObjectQuery("data/", "", after, PAGE));
    }

    /** Removes the store. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        store.close();
    }
}
