package io.volute.server.startup;

import io.volute.server.http.HttpServer;
import io.volute.storage.CubeState;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.StoreCubes.Phase;

/**
 * The readiness of a store: that of its system cube. When another cube does not serve, the server
 * stays ready, because nobody else serves the sound cubes; the answer has the number.
 */
public record CubeReadiness(StoreCubes cubes) implements HttpServer.Readiness {
    @Override
    public boolean isReady() {
        // The first is the system cube, unless another node has it.
        return cubes.opened().stream()
                .limit(1)
                .map(each -> each.cube().state())
                .allMatch(state -> state == CubeState.HEALTHY || state == CubeState.READ_ONLY);
    }

    /** A failed append makes a cube read-only until it is opened again. */
    @Override
    public boolean takesWrites() {
        return cubes.opened().stream().allMatch(each -> each.cube().state() != CubeState.READ_ONLY);
    }

    @Override
    public String degraded() {
        long all = cubes.list().stream().filter(each -> each.phase() != Phase.ELSEWHERE).count();
        long serving =
                cubes.opened().stream()
                        .map(Opened::cube)
                        .filter(cube -> cube.state() == CubeState.HEALTHY)
                        .count();
        return all == 1 || serving == all
                ? ""
                : (all - serving) + " of " + all + " cubes do not serve";
    }
}
