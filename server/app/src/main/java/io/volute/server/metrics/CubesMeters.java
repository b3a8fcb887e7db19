package io.volute.server.metrics;

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

/**
 * The metrics of all cubes of a store. A cube has those of {@link CubeMeters} from its first
 * opening on; they keep their last values while it is closed, and end when it leaves the store. For
 * one thread at a time.
 */
final class CubesMeters {
    private static final double MILLIS = 1e-3;

    /** The figures of a cube that is open or not; no place before its first opening. */
    private record Info(
            boolean serves,
            boolean isElsewhere,
            long buckets,
            Duration clockBehind,
            Optional<MigrationStatus> log) {
        private Map<String, Integer> states() {
            return MeterTable.current(State.values(), log.map(MigrationStatus::state).orElse(null));
        }

        private UnderReplication underReplication() {
            return log.map(MigrationStatus::underReplication).orElse(UnderReplication.NONE);
        }

        private boolean hasStopped() {
            return log.filter(each -> !each.progress().why().isEmpty()).isPresent();
        }
    }

    private static final MeterTable<Info> CUBES =
            new MeterTable<Info>("cube and commits", "cube")
                    .gauge(
                            "volute_cube_serves",
                            "1 while the cube serves reads and writes, else 0; `NaN` while"
                                    + " another node of a cluster owns it",
                            "0: `volute cube show`; [a cube that does not"
                                    + " serve](../guide/cubes.md#a-cube-that-does-not-serve)",
                            info -> info.isElsewhere() ? Double.NaN : info.serves() ? 1 : 0)
                    .gauge("volute_cube_buckets", "Buckets in the cube", Info::buckets)
                    .gauge(
                            "volute_clock_behind_seconds",
                            "Seconds by which the clock is earlier than the last commit; 0"
                                    + " normally",
                            "Above 0: the clock went back, and the past from there on is refused;"
                                    + " [a clock that"
                                    + " jumped](../guide/time-travel.md#a-clock-that-jumped)",
                            info -> info.clockBehind().toMillis() * MILLIS)
                    .gauges(
                            "volute_migration_state",
                            "Present state of the log (1 = current): `settled`, or the `copying`,"
                                    + " `switching` and `leaving` of a [migration]"
                                    + "(../guide/bookkeeper.md"
                                    + "#move-a-log-to-bookkeeper-and-back)",
                            "",
                            "state",
                            Info::states)
                    .gauge(
                            "volute_migration_copied_bytes",
                            "Bytes of the log copied since its migration began or resumed",
                            "No growth in state `copying`: a place is slow or full",
                            info -> info.log().map(log -> log.progress().bytes()).orElse(0L))
                    .gauge(
                            "volute_migration_stopped",
                            "1 if a fault stopped the migration of the log, else 0",
                            "1: `volute cube show` names the cause",
                            info -> info.hasStopped() ? 1 : 0)
                    .gauge(
                            "volute_log_under_replicated_segments",
                            "Segments whose [ledgers](../guide/bookkeeper.md#copies) have fewer"
                                    + " copies than configured",
                            "Above 0 for an hour with all bookies running",
                            info -> info.underReplication().segments())
                    .gauge(
                            "volute_log_under_replicated_bytes",
                            "Written bytes of segments with fewer copies than configured",
                            info -> info.underReplication().bytes());

    private static final MeterTable<StoreSpace> STORE =
            new MeterTable<StoreSpace>("space")
                    .gauge(
                            "volute_store_capacity_bytes",
                            "Maximum bytes of segments of all cubes together. Cubes on one disk"
                                    + " share its free space, unless `log.capacity` is set",
                            "Live bytes of all cubes above 85% or 95% of it: as for one cube",
                            StoreSpace::capacity)
                    .gauge(
                            "volute_store_client_free_bytes",
                            "Bytes that clients can still write, over all cubes",
                            "Low as in `volute_space_client_free_bytes` of one cube",
                            StoreSpace::clientFree);

    static final List<MeterTable<?>> TABLES = List.of(CUBES, STORE);

    private final StoreCubes cubes;
    private final Function<String, Optional<LogPlacement>> logs;
    private final boolean hasOwnCapacity;
    private final Map<String, CubeMeters.Now> figures = new HashMap<>();

    private CubesMeters(
            StoreCubes cubes,
            Function<String, Optional<LogPlacement>> logs,
            boolean hasOwnCapacity) {
        this.cubes = cubes;
        this.logs = logs;
        this.hasOwnCapacity = hasOwnCapacity;
    }

    /**
     * Adds the figures of all cubes.
     *
     * @param logs returns the place of the log of a cube; empty before its first opening
     * @param hasOwnCapacity whether {@code log.capacity} is set
     */
    static void add(
            Meters meters,
            StoreCubes cubes,
            Function<String, Optional<LogPlacement>> logs,
            boolean hasOwnCapacity) {
        CubesMeters source = new CubesMeters(cubes, logs, hasOwnCapacity);
        meters.addEach(CubeMeters.TABLES, source::figures);
        meters.addEach(CUBES, source::infos);
        // After the figures of the cubes, which it adds up.
        meters.add(STORE, source::space);
    }

    private Map<String, CubeMeters.Now> figures() {
        Set<String> names = cubes.list().stream().map(CubeInfo::name).collect(Collectors.toSet());
        figures.keySet().retainAll(names);
        figures.replaceAll((name, now) -> now.closed());
        cubes.opened().forEach(open -> figures.put(open.name(), CubeMeters.Now.of(open.cube())));
        return figures;
    }

    private Map<String, Info> infos() {
        Map<String, Opened> opened =
                cubes.opened().stream().collect(Collectors.toMap(Opened::name, each -> each));
        return cubes.list().stream()
                .collect(
                        Collectors.toMap(
                                CubeInfo::name,
                                each -> info(each, Optional.ofNullable(opened.get(each.name())))));
    }

    private Info info(CubeInfo cube, Optional<Opened> opened) {
        return new Info(
                opened.filter(open -> open.cube().state() == CubeState.HEALTHY).isPresent(),
                isElsewhere(cube),
                cube.buckets(),
                opened.map(open -> open.store().clock().behind()).orElse(Duration.ZERO),
                logs.apply(cube.name()).map(LogPlacement::status));
    }

    private StoreSpace space() {
        Map<Kind, List<Totals>> places = new EnumMap<>(Kind.class);
        // Another node has the figures of its cubes.
        Set<String> elsewhere =
                cubes.list().stream()
                        .filter(CubesMeters::isElsewhere)
                        .map(CubeInfo::name)
                        .collect(Collectors.toSet());
        figures.forEach(
                (name, cube) -> {
                    if (!elsewhere.contains(name)) {
                        places.computeIfAbsent(place(name), same -> new ArrayList<>())
                                .add(cube.space().totals());
                    }
                });
        return StoreSpace.of(places, hasOwnCapacity);
    }

    private Kind place(String cube) {
        return logs.apply(cube).map(log -> log.status().store()).orElse(Kind.LOCAL);
    }

    private static boolean isElsewhere(CubeInfo cube) {
        return cube.phase() == StoreCubes.Phase.ELSEWHERE;
    }
}
