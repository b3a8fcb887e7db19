package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.cleaning.TableWorkload.Sizes;
import io.volute.benchmarks.cleaning.store.MeasuredStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/** The objects of one thread in a workload with changing sizes, which come and go. */
final class ChangingObjects {
    private final MeasuredStore store;
    private final SplittableRandom random;
    private final ByteBuffer buffer;
    private final long liveMax;
    private long[] keys = new long[1024];
    private int[] sizes = new int[1024];
    private int count;
    private long nextKey;
    private long live;

    /**
     * @param firstKey of a range that belongs to this thread
     * @param liveMax bytes of content that may live at once
     */
    ChangingObjects(MeasuredStore store, long firstKey, long liveMax, int bytesMax, long seed) {
        this.store = store;
        this.random = new SplittableRandom(seed + firstKey);
        this.buffer = ByteBuffer.allocateDirect(2 * bytesMax + 4096);
        this.liveMax = liveMax;
        this.nextKey = firstKey;
    }

    int count() {
        return count;
    }

    /** Writes objects of so many bytes; others go at random when too much lives. */
    void allocate(long bytes, Sizes of, Stopwatch.Hand hand, AtomicBoolean over)
            throws IOException {
        long left = bytes;
        while (left > 0 && !over.get()) {
            int size = of.next(random);
            while (count > 0 && live + size > liveMax) {
                deleteOne(hand);
            }
            long key = nextKey++;
            hand.time(() -> store.put(key, 1, size, buffer));
            add(key, size);
            left -= size;
        }
    }

    /** Deletes a part of the objects. */
    void delete(int percent, Stopwatch.Hand hand, AtomicBoolean over) throws IOException {
        int stay = count - (int) ((long) count * percent / 100);
        while (count > stay && !over.get()) {
            deleteOne(hand);
        }
    }

    private void add(long key, int size) {
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, 2 * count);
            sizes = Arrays.copyOf(sizes, 2 * count);
        }
        keys[count] = key;
        sizes[count] = size;
        count++;
        live += size;
    }

    private void deleteOne(Stopwatch.Hand hand) throws IOException {
        int chosen = random.nextInt(count);
        long key = keys[chosen];
        hand.time(() -> store.delete(key));
        live -= sizes[chosen];
        count--;
        keys[chosen] = keys[count];
        sizes[chosen] = sizes[count];
    }

    /** Reads some objects back; returns what is wrong. */
    List<String> check(long most) {
        int step = (int) Math.max(1, count / Math.max(1, most));
        return java.util.stream.IntStream.range(0, count)
                .filter(i -> i % step == 0)
                .mapToObj(i -> store.check(keys[i], 1, sizes[i], buffer))
                .flatMap(Optional::stream)
                .limit(5)
                .toList();
    }
}
