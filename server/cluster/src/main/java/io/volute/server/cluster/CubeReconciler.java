package io.volute.server.cluster;

import io.volute.server.Upkeep;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Compares the placements of the store with the buckets of each placed cube: once for each election
 * of its owner, and again after a change of its buckets whose outcome is not known. Runs at the
 * owner of the store, apart from the placer, which must not wait for a node that does not answer.
 */
final class CubeReconciler implements Upkeep.Task {
    private final Supplier<Map<String, Long>> served;
    private final ToLongFunction<String> unknownOutcomes;
    private final Comparison comparison;

    /** The state in which each cube was compared last. Used by one thread. */
    private final Map<String, Compared> done = new HashMap<>();

    private volatile boolean isStopped;

    /** The state of a cube before a comparison. */
    private record Compared(long election, long unknownOutcomes) {}

    /** Compares the placements with the buckets of one cube. */
    @FunctionalInterface
    interface Comparison {
        void compare(String cube) throws IOException;
    }

    /**
     * @param served returns the election of each placed cube that another node serves now
     * @param unknownOutcomes returns the number of changes of a cube's buckets until now whose
     *     outcome was not known
     */
    CubeReconciler(
            Supplier<Map<String, Long>> served,
            ToLongFunction<String> unknownOutcomes,
            Comparison comparison) {
        this.served = served;
        this.unknownOutcomes = unknownOutcomes;
        this.comparison = comparison;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IOException when some cube could not be compared: the next look tries it again
     */
    @Override
    public void look() throws IOException {
        List<Exception> failures = new ArrayList<>();
        for (Map.Entry<String, Long> each : served.get().entrySet()) {
            String cube = each.getKey();
            Compared now = new Compared(each.getValue(), unknownOutcomes.applyAsLong(cube));
            if (!isStopped && !now.equals(done.get(cube))) {
                try {
                    comparison.compare(cube);
                    done.put(cube, now);
                } catch (IOException | RuntimeException e) {
                    failures.add(e);
                }
            }
        }
        if (!failures.isEmpty()) {
            List<String> messages = failures.stream().map(Exception::getMessage).toList();
            IOException all =
                    new IOException(
                            "the buckets of placed cubes cannot be compared: "
                                    + String.join("; ", messages),
                            failures.getFirst());
            failures.stream().skip(1).forEach(all::addSuppressed);
            throw all;
        }
    }

    /** Ends a look behind the cube that it compares now. */
    @Override
    public void stop() {
        isStopped = true;
    }
}
