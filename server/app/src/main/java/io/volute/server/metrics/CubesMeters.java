package io.volute.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.directory.LogPlace.Kind;
import io.volute.storage.directory.LogPlace.State;
import io.volute.storage.directory.LogPlacement;
import io.volute.storage.directory.MigrationStatus;
import io.volute.storage.report.SpaceReport.Totals;
import io.volute.storage.report.UnderReplication;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.CubeInfo;
import io.volute.versioning.StoreCubes.Opened;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The figures of all cubes of a store. A cube has meters from its first opening on. */
final class CubesMeters {
    private final MeterRegistry registry;
    private final Histograms histograms;
    private final StoreCubes cubes;
    private final Function<String, Optional<LogPlacement>> logs;
    private final boolean hasOwnCapacity;
    private final Figures<StoreSpace> space;
    private final Map<String, CubeMeters> meters = new HashMap<>();
    private final Map<String, Figures<Info>> infos = new HashMap<>();

    /** The figures of a cube that is open or not; no place before its first opening. */
    private record Info(
            boolean serves,
            boolean isElsewhere,
            long buckets,
            Duration clockBehind,
            Optional<MigrationStatus> log) {
        boolean isLog(State state) {
            return log.filter(each -> each.state() == state).isPresent();
        }

        UnderReplication underReplication() {
            return log.map(MigrationStatus::underReplication).orElse(UnderReplication.NONE);
        }

        boolean hasStopped() {
            return log.filter(each -> !each.progress().why().isEmpty()).isPresent();
        }
    }

    CubesMeters(
            MeterRegistry registry,
            Histograms histograms,
            StoreCubes cubes,
            Function<String, Optional<LogPlacement>> logs,
            boolean hasOwnCapacity) {
        this.registry = registry;
        this.histograms = histograms;
        this.cubes = cubes;
        this.logs = logs;
        this.hasOwnCapacity = hasOwnCapacity;
        this.space =
                new Figures<>(registry, this::space, Tags.empty())
                        .gauge(
                                "volute_store_capacity_bytes",
                                "Maximum bytes of segments of all cubes, reserves included",
                                StoreSpace::capacity)
                        .gauge(
                                "volute_store_client_free_bytes",
                                "Bytes that clients can still write, over all cubes",
                                StoreSpace::clientFree);
        refresh();
    }

    void refresh() {
        for (Opened open : cubes.opened()) {
            String name = open.name();
            CubeMeters unused =
                    meters.computeIfAbsent(
                            name,
                            same -> new CubeMeters(registry, histograms, same, () -> cube(same)));
        }
        meters.values().forEach(CubeMeters::refresh);
        for (CubeInfo each : cubes.list()) {
            Figures<Info> unused = infos.computeIfAbsent(each.name(), same -> figures(same));
        }
        infos.values().forEach(Figures::refresh);
        space.refresh();
    }

    private StoreSpace space() {
        Map<Kind, List<Totals>> places = new EnumMap<>(Kind.class);
        // Another node has the figures of its cubes.
        Set<String> elsewhere =
                cubes.list().stream()
                        .filter(CubesMeters::isElsewhere)
                        .map(CubeInfo::name)
                        .collect(Collectors.toSet());
        meters.forEach(
                (name, cube) -> {
                    if (!elsewhere.contains(name)) {
                        places.computeIfAbsent(place(name), same -> new ArrayList<>())
                                .add(cube.totals());
                    }
                });
        return StoreSpace.of(places, hasOwnCapacity);
    }

    private Kind place(String cube) {
        return logs.apply(cube).map(log -> log.status().store()).orElse(Kind.LOCAL);
    }

    private Figures<Info> figures(String name) {
        Figures<Info> figures =
                new Figures<>(registry, () -> info(name), Tags.of("cube", name))
                        .gauge(
                                "volute_cube_serves",
                                "1 while the cube serves reads and writes, else 0; NaN while"
                                        + " another node owns it",
                                info -> info.isElsewhere() ? Double.NaN : info.serves() ? 1 : 0)
                        .gauge("volute_cube_buckets", "Buckets in the cube", Info::buckets)
                        .gauge(
                                "volute_clock_behind_seconds",
                                "Seconds by which the clock is earlier than the last commit; 0"
                                        + " normally",
                                info -> info.clockBehind().toMillis() / 1000.0)
                        .gauge(
                                "volute_migration_copied_bytes",
                                "Bytes of the log copied since its migration began or resumed",
                                info -> info.log().map(log -> log.progress().bytes()).orElse(0L))
                        .gauge(
                                "volute_migration_stopped",
                                "1 if a fault stopped the migration of the log, else 0",
                                info -> info.hasStopped() ? 1 : 0)
                        .gauge(
                                "volute_log_under_replicated_segments",
                                "Segments whose ledgers have fewer copies than configured",
                                info -> info.underReplication().segments())
                        .gauge(
                                "volute_log_under_replicated_bytes",
                                "Written bytes of segments with fewer copies than configured",
                                info -> info.underReplication().bytes());
        for (State state : State.values()) {
            figures.gauge(
                    "volute_migration_state",
                    "Present state of the log migration (1 = current)",
                    info -> info.isLog(state) ? 1 : 0,
                    "state",
                    KindCounts.label(state));
        }
        return figures;
    }

    private Info info(String name) {
        Optional<Opened> opened = opened(name);
        boolean serves =
                opened.map(Opened::cube)
                        .filter(cube -> cube.state() == CubeState.HEALTHY)
                        .isPresent();
        Optional<CubeInfo> cube =
                cubes.list().stream().filter(each -> each.name().equals(name)).findFirst();
        return new Info(
                serves,
                cube.filter(CubesMeters::isElsewhere).isPresent(),
                cube.map(CubeInfo::buckets).orElse(0L),
                opened.map(open -> open.store().clock().behind()).orElse(Duration.ZERO),
                logs.apply(name).map(LogPlacement::status));
    }

    private static boolean isElsewhere(CubeInfo cube) {
        return cube.phase() == StoreCubes.Phase.ELSEWHERE;
    }

    private Optional<Opened> opened(String name) {
        return cubes.opened().stream().filter(open -> open.name().equals(name)).findFirst();
    }

    private Optional<Cube> cube(String name) {
        return opened(name).map(Opened::cube);
    }
}
