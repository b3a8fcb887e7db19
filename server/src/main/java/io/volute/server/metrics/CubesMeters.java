package io.volute.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.CubeInfo;
import io.volute.versioning.StoreCubes.Opened;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The figures of all cubes of a store. A cube has meters from its first opening on. */
final class CubesMeters {
    private final MeterRegistry registry;
    private final Histograms histograms;
    private final StoreCubes cubes;
    private final Map<String, CubeMeters> meters = new HashMap<>();
    private final Map<String, Figures<Info>> infos = new HashMap<>();

    /** The figures of a cube that is open or not. */
    private record Info(boolean serves, long buckets) {}

    CubesMeters(MeterRegistry registry, Histograms histograms, StoreCubes cubes) {
        this.registry = registry;
        this.histograms = histograms;
        this.cubes = cubes;
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
    }

    private Figures<Info> figures(String name) {
        return new Figures<>(registry, () -> info(name), Tags.of("cube", name))
                .gauge(
                        "volute_cube_serves",
                        "1 while the cube serves reads and writes, else 0",
                        info -> info.serves() ? 1 : 0)
                .gauge("volute_cube_buckets", "Buckets of the cube", Info::buckets);
    }

    private Info info(String name) {
        boolean serves = cube(name).filter(cube -> cube.state() == CubeState.HEALTHY).isPresent();
        long buckets =
                cubes.list().stream()
                        .filter(each -> each.name().equals(name))
                        .mapToLong(CubeInfo::buckets)
                        .sum();
        return new Info(serves, buckets);
    }

    private Optional<Cube> cube(String name) {
        return cubes.opened().stream()
                .filter(open -> open.name().equals(name))
                .map(Opened::cube)
                .findFirst();
    }
}
