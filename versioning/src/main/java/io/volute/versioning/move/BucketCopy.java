package io.volute.versioning.move;

import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;

/**
 * Copies a bucket, or a range of its keys, into another cube, where no client sees it yet. A pass
 * compares the rows of all keys and copies those that differ. So it needs no memory of earlier
 * passes, and one that was interrupted is repeated. Not thread-safe.
 */
public final class BucketCopy {
    /** Number of keys that are copied at once; each may have a body on its way. */
    private static final int AT_ONCE = 16;

    private static final ThreadFactory THREADS = Thread.ofVirtual().name("move-key-", 0).factory();

    private final MoveSide from;
    private final MoveSide to;
    private final BucketInfo bucket;
    private final KeyRange range;
    private final BooleanSupplier goesOn;
    private final MoveProgress progress;
    private final KeyCopy keys;

    /** Shreds of the source that the last pass has compared; -1 before the first pass. */
    private long knownShreds = -1;

    /** Keys in the source before the first pass; -1 before they are counted. */
    private long total = -1;

    private final UploadCopy uploads;

    /**
     * Creates a copy.
     *
     * @param range the keys that are copied
     * @param caller the author of the new entries in the signed history
     * @param goesOn called for each key; when it returns false, the pass fails
     * @param progress receives the number of keys that a pass has compared, and before the first
     *     pass that of all
     */
    public BucketCopy(
            MoveSide from,
            MoveSide to,
            BucketInfo bucket,
            KeyRange range,
            Caller caller,
            BooleanSupplier goesOn,
            MoveProgress progress) {
        this.from = from;
        this.to = to;
        this.bucket = bucket;
        this.range = range;
        this.goesOn = goesOn;
        this.progress = progress;
        this.keys = new KeyCopy(from, to, bucket, caller);
        this.uploads = new UploadCopy(from, to, bucket, range);
    }

    /**
     * Copies all that differs.
     *
     * @return the number of keys, uploads and parts that differed
     */
    public long pass() throws IOException {
        // A shred changes no row. It counts when its entry is durable.
        long shreds = from.log().map(ProvenanceLog::shreds).orElse(0L);
        boolean comparesShreds = shreds != knownShreds;
        long changed = 0;
        long compared = 0;
        if (total < 0) {
            total = KeyCursor.count(from.cube(), bucket.id(), range, goesOn);
        }
        progress.begin(total);
        List<byte[]> changing = new ArrayList<>();
        try (KeyCursor source = new KeyCursor(from.cube(), bucket.id(), range);
                KeyCursor target = new KeyCursor(to.cube(), bucket.id(), range)) {
            Optional<KeyRows> one = source.next();
            Optional<KeyRows> other = target.next();
            while (one.isPresent() || other.isPresent()) {
                requireGoing(goesOn);
                int order = order(one, other);
                byte[] base = (order <= 0 ? one : other).orElseThrow().base();
                boolean isSame =
                        order == 0
                                && one.get().isMovedTo(from.cube(), other.get(), to.cube())
                                && !(comparesShreds && keys.lacksShreds(base));
                if (!isSame) {
                    changing.add(base);
                    changed++;
                }
                if (changing.size() == AT_ONCE) {
                    copy(changing);
                }
                compared++;
                progress.at(compared);
                one = order <= 0 ? source.next() : one;
                other = order >= 0 ? target.next() : other;
            }
        }
        copy(changing);
        knownShreds = shreds;
        return changed + uploads.pass();
    }

    /** Copies keys, several at once so that they share commits, and forgets them. */
    private void copy(List<byte[]> some) throws IOException {
        List<Future<?>> copies = new ArrayList<>();
        try (ExecutorService threads = Executors.newThreadPerTaskExecutor(THREADS)) {
            for (byte[] base : some) {
                copies.add(
                        threads.submit(
                                () -> {
                                    keys.copy(base);
                                    return true;
                                }));
            }
        }
        for (Future<?> each : copies) {
            if (each.state() == Future.State.FAILED) {
                throw failure(each.exceptionNow());
            }
        }
        some.clear();
    }

    private static IOException failure(Throwable cause) {
        return switch (cause) {
            case IOException known -> known;
            case RuntimeException known -> throw known;
            case Error known -> throw known;
            case Throwable other -> new IOException(other);
        };
    }

    private static int order(Optional<KeyRows> one, Optional<KeyRows> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isPresent() ? -1 : 1;
        }
        return Arrays.compareUnsigned(one.get().base(), other.get().base());
    }

    static void requireGoing(BooleanSupplier goesOn) throws IOException {
        if (!goesOn.getAsBoolean()) {
            throw new IOException("the move was stopped; it goes on when both cubes are open");
        }
    }
}
