package io.volute.server.startup;

import io.volute.server.http.HttpServer;
import io.volute.storage.CubeState;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.StoreCubes.Phase;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;

/**
 * The readiness of a store: that of its system cube, once all of the server is open. When another
 * cube does not serve, the server stays ready, because nobody else serves the sound cubes; the
 * answer has the number.
 */
public final class CubeReadiness implements HttpServer.Readiness {
    /**
     * Time that the start waits for cubes besides the system cube. The others become available
     * later.
     */
    private static final Duration CUBES_WAIT = Duration.ofSeconds(10);

    private final StoreCubes cubes;
    private volatile boolean isOpened;

    CubeReadiness(StoreCubes cubes) {
        this.cubes = cubes;
    }

    /**
     * Waits for the cubes to open. A reader of a copy, whose indexes are made anew, waits for all.
     *
     * @return not ready before {@link #opened}
     */
    public static CubeReadiness await(StoreCubes cubes, boolean isServing) throws IOException {
        try {
            cubes.awaitOpened(isServing ? CUBES_WAIT : Duration.ofDays(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the start was interrupted");
        }
        return new CubeReadiness(cubes);
    }

    /** Marks the server as started: all listeners answer, and its message is out. */
    public void opened() {
        isOpened = true;
    }

    @Override
    public boolean isReady() {
        if (!isOpened) {
            return false;
        }
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
