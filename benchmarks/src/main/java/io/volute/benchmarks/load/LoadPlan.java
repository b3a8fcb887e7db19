package io.volute.benchmarks.load;

import io.volute.benchmarks.load.Workload.Operation;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Which objects the requests of one run are about, and when the run is warm and over. Shared by the
 * connections of the run.
 */
final class LoadPlan {
    /** Which keys PUT writes. */
    enum PutKeys {
        /** Each object once, then no more. */
        EACH_ONCE,
        /** Always a new one. */
        NEW,
        /** The objects in turn, again and again. */
        IN_TURN,
        /** Any of the objects. */
        RANDOM
    }

    private final Workload workload;
    private final long objects;
    private final PutKeys putKeys;
    private final long beginNanos;
    private final long measureNanos;
    private final long endNanos;
    private final Optional<Living> living;
    private final AtomicLong next = new AtomicLong();

    /**
     * One request.
     *
     * @param item number of an object, batch or page; -1 when there are no more
     */
    record Request(Operation operation, long item) {}

    /**
     * @param workload whose objects exist before the run, or are written by it
     * @param warmUpNanos at the beginning that are not measured
     * @param nanos that are measured
     */
    LoadPlan(Workload workload, PutKeys putKeys, long beginNanos, long warmUpNanos, long nanos) {
        this.workload = workload;
        this.objects = workload.objects;
        this.putKeys = putKeys;
        this.beginNanos = beginNanos;
        this.measureNanos = beginNanos + warmUpNanos;
        this.endNanos = measureNanos + nanos;
        this.living =
                workload.operation == Operation.POPULATION
                        ? Optional.of(new Living(workload.population(), workload.getPercent))
                        : Optional.empty();
    }

    long beginNanos() {
        return beginNanos;
    }

    long measureNanos() {
        return measureNanos;
    }

    long endNanos() {
        return endNanos;
    }

    boolean isOver(long nanos) {
        return nanos - endNanos >= 0;
    }

    boolean isMeasured(long nanos) {
        return nanos - measureNanos >= 0 && nanos - endNanos < 0;
    }

    /** Returns the next request. */
    Request next(RandomGenerator random) {
        if (living.isPresent()) {
            return living.get().next(random);
        }
        Operation operation = workload.operation;
        if (operation == Operation.MIXED) {
            boolean isGet = random.nextInt(100) < workload.getPercent;
            operation = isGet ? Operation.GET : Operation.PUT;
        }
        return new Request(operation, nextItem(operation, random));
    }

    /** Records a request that succeeded. */
    void done(Request request) {
        living.ifPresent(objects -> objects.done(request));
    }

    /** Bytes of an object. */
    int bytes(long item) {
        return living.map(objects -> objects.population().bytes(item))
                .orElseGet(() -> Math.toIntExact(workload.objectBytes));
    }

    /** The number of an object, batch or page to work on; -1 when there are no more. */
    long nextItem(Operation operation, RandomGenerator random) {
        return switch (operation) {
            case PUT -> nextPut(random);
            case GET, HEAD -> random.nextLong(objects);
            case DELETE -> limited(objects);
            case MULTI_DELETE -> limited((objects + workload.batch - 1) / workload.batch);
            case LIST -> random.nextLong(pagesPerPrefix() * workload.prefixes);
            case MIXED, POPULATION ->
                    throw new IllegalArgumentException(operation + " is made of others");
        };
    }

    private long nextPut(RandomGenerator random) {
        return switch (putKeys) {
            case EACH_ONCE -> limited(objects);
            case NEW -> next.getAndIncrement();
            case IN_TURN -> next.getAndIncrement() % objects;
            case RANDOM -> random.nextLong(objects);
        };
    }

    private long limited(long count) {
        long number = next.getAndIncrement();
        return number < count ? number : -1;
    }

    /** Objects put so far by a run that makes new keys. */
    long itemsTaken() {
        return next.get();
    }

    long pagesPerPrefix() {
        return Math.max(1, (objectsOf(0) + workload.batch - 1) / workload.batch);
    }

    /** Entries that the listing page with this item number must have. */
    long keysOnPage(long item) {
        long page = item / workload.prefixes;
        long before = page * workload.batch;
        long under = objectsOf((int) (item % workload.prefixes));
        return Math.clamp(under - before, 0, workload.batch);
    }

    int keysInBatch(long item) {
        return Math.clamp(objects - item * workload.batch, 0, workload.batch);
    }

    private long objectsOf(int prefix) {
        long whole = objects / workload.prefixes;
        return prefix < objects % workload.prefixes ? whole + 1 : whole;
    }
}
