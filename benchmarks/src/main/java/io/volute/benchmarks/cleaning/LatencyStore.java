package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.cleaning.KeyChoice.Distribution;
import io.volute.benchmarks.cleaning.Overwriting.Paced;
import io.volute.storage.CleaningSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** One of the two stores whose latencies are compared: the same objects, cleaned or not. */
final class LatencyStore implements AutoCloseable {
    /** Beside the objects; deleted before each window. */
    private static final long THROWAWAY_KEY = 1L << 40;

    private static final int THROWAWAY_BYTES = 96 << 10;

    /** As many spare files as a log keeps. */
    private static final int SPARES = 16;

    private final Scratch scratch;
    private final MeasuredStore store;
    private final Overwriting objects;
    private final int segmentBytes;

    private LatencyStore(LatencyOptions options, CleaningSettings cleaning)
            throws IOException, InterruptedException {
        this.scratch = Scratch.in(options.directory());
        this.segmentBytes = options.segmentBytes();
        this.store =
                options.through()
                        .place(scratch.directory(), new Content(options.seed()))
                        .open(new StoreSettings(segmentBytes, cleaning));
        this.objects =
                new Overwriting(
                        store,
                        new Overwriting.Load(
                                options.objectBytes(),
                                options.threads(),
                                Distribution.UNIFORM,
                                options.seed()));
    }

    /** One that must be cleaned all the time, as a server does it. */
    static LatencyStore cleaned(LatencyOptions options) throws IOException, InterruptedException {
        return new LatencyStore(
                options,
                Variant.TWO_LEVEL.settings(options.capacityBytes(), options.reserveSegments()));
    }

    /** One that nobody cleans while it is measured, with all the space of the file system. */
    static LatencyStore roomy(LatencyOptions options) throws IOException, InterruptedException {
        return new LatencyStore(options, CleaningSettings.onlyWhenAsked());
    }

    /** A window in which it was written to. */
    record Window(Paced paced, Written written) {}

    /** Writes objects until so many bytes are live; returns how many. */
    int fillTo(long liveBytes) throws IOException, InterruptedException {
        objects.fill(liveBytes);
        return objects.objects();
    }

    void fill(int count) throws IOException, InterruptedException {
        objects.grow(count);
    }

    /** Overwrites so many objects as fast as it goes; returns how many in a second. */
    double overwrite(long writes) throws IOException, InterruptedException {
        Stopwatch.Times times = objects.overwrite(writes);
        return times.writes() / times.seconds();
    }

    /**
     * @param perSecond 0 for one client that waits for each write
     */
    Window measure(double perSecond, double seconds) throws IOException, InterruptedException {
        Written before = store.written();
        Paced paced =
                perSecond > 0
                        ? objects.overwriteAt(perSecond, seconds)
                        : objects.overwriteAlone(seconds);
        Window window = new Window(paced, store.written().since(before));
        Spaces.settled(store);
        return window;
    }

    /**
     * Leaves used files for the next window, as cleaning does: otherwise a store that only grows
     * would pay for the zeros of new ones, which the cleaned one does not.
     */
    void prepareSpares() throws IOException {
        int count = SPARES * segmentBytes / THROWAWAY_BYTES;
        ByteBuffer buffer = ByteBuffer.allocate(THROWAWAY_BYTES);
        for (int i = 0; i < count; i++) {
            store.put(THROWAWAY_KEY + i, 1, THROWAWAY_BYTES, buffer);
        }
        for (int i = 0; i < count; i++) {
            store.delete(THROWAWAY_KEY + i);
        }
        for (int i = 0; i < SPARES && freeSegments() < SPARES; i++) {
            if (store.clean() == 0) {
                break;
            }
        }
        Spaces.settled(store);
    }

    private long freeSegments() throws IOException {
        Spaces now = store.spaces();
        return (now.files() - now.used()) / segmentBytes;
    }

    /** Reads objects back; returns what is wrong. */
    List<String> check(long most) throws IOException, InterruptedException {
        return new ArrayList<>(objects.check(store, most));
    }

    Spaces spaces() throws IOException {
        return store.spaces();
    }

    @Override
    public void close() throws IOException {
        try (scratch) {
            store.close();
        }
    }
}
