package io.volute.server.cluster;

import io.volute.server.cluster.ClusterOrders.TakeOver;
import io.volute.server.cluster.placing.CubePlacer;
import io.volute.server.cluster.placing.OwnedCubes;
import io.volute.server.cluster.placing.Placements;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.config.cluster.ClusterConfig.Distribution;
import io.volute.storage.CubeState;
import io.volute.versioning.StoreCubes;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The time for which this node serves the store: one election. Thread-safe. */
final class StoreTerm {
    private final NodeRole.Context node;
    private final StoreCubes cubes;
    private final TakeOverStages stages;
    private final BooleanSupplier writable;
    private final Serving serving;
    private final CubePlacer placer;
    private volatile Optional<TakeOver> takeOver = Optional.empty();

    /**
     * @param own the election
     * @param cubes with the system cube
     * @param stages of the take-over until now
     */
    StoreTerm(NodeRole.Context node, long own, StoreCubes cubes, TakeOverStages stages) {
        this.node = node;
        this.cubes = cubes;
        this.stages = stages;
        // A store that accepts damage is read-only from its start, on every node.
        this.writable = takesWrites() ? this::takesWrites : () -> true;
        ClusterConfig cluster = node.config().cluster().orElseThrow();
        this.serving =
                new Serving(
                        own,
                        new OwnerLease(
                                OwnerLease.Source.of(
                                        node.membership().store(), own, cluster.patience()),
                                writable,
                                node.leaseCounts()),
                        new CubeGate());
        this.placer =
                new CubePlacer(
                        Placements.of(node.membership(), own),
                        cluster.name(),
                        OwnedCubes.of(cubes),
                        new CubePlacer.Settings(
                                cluster.cubes() == Distribution.SPREAD,
                                cluster.patience(),
                                node.nanos()));
    }

    /** Returns whether no cube without an owner of its own is read-only. */
    private boolean takesWrites() {
        return cubes.opened().stream()
                .filter(each -> !node.placed().isPlaced(each.name()))
                .allMatch(each -> each.cube().state() != CubeState.READ_ONLY);
    }

    /** Returns the store as requests use it. */
    Serving serving() {
        return serving;
    }

    /** Returns whether no write has failed. */
    boolean isWritable() {
        return writable.getAsBoolean();
    }

    /** Returns the stages of the take-over by this node. */
    TakeOverStages stages() {
        return stages;
    }

    /** Notes that this node serves the store. */
    void serves(TakeOver done) {
        takeOver = Optional.of(done);
    }

    /** Returns the take-over; empty before the node serves. */
    Optional<TakeOver> takeOver() {
        return takeOver;
    }

    /** Returns what places the cubes. */
    CubePlacer placer() {
        return placer;
    }

    /** Returns what compares the buckets of placed cubes. */
    CubeReconciler reconciler() {
        return new CubeReconciler(
                node.placed()::servedElsewhere,
                node.bucketCalls()::unknownOutcomes,
                cubes::reconcileElsewhere);
    }
}
