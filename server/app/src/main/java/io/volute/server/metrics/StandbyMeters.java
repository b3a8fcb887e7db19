package io.volute.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The figures of the standby indexes of a node. A cube has meters from its first standby on; while
 * it has none, they are 0.
 */
final class StandbyMeters {
    private static final StandbyFigures NONE = new StandbyFigures(false, 0, 0, 0);

    private final MeterRegistry registry;
    private final Supplier<Map<String, StandbyFigures>> source;
    private final Map<String, Figures<StandbyFigures>> cubes = new HashMap<>();

    StandbyMeters(MeterRegistry registry, Supplier<Map<String, StandbyFigures>> source) {
        this.registry = registry;
        this.source = source;
    }

    void refresh() {
        for (String name : source.get().keySet()) {
            Figures<StandbyFigures> unused = cubes.computeIfAbsent(name, this::figures);
        }
        cubes.values().forEach(Figures::refresh);
    }

    private Figures<StandbyFigures> figures(String name) {
        return new Figures<>(
                        registry,
                        () -> source.get().getOrDefault(name, NONE),
                        Tags.of("cube", name))
                .gauge(
                        "volute_standby_following",
                        "1 while the standby index follows the log of the cube's owner, else 0",
                        now -> now.isFollowing() ? 1 : 0)
                .gauge(
                        "volute_standby_lag_seconds",
                        "Seconds since the standby index last had all confirmed entries",
                        StandbyFigures::lagSeconds)
                .gauge(
                        "volute_standby_lag_bytes",
                        "Confirmed bytes of the log missing in the standby index",
                        StandbyFigures::lagBytes)
                .gauge(
                        "volute_standby_builds",
                        "Builds of the standby index since this node lost the store",
                        StandbyFigures::builds);
    }
}
