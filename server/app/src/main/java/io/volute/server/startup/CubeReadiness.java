package io.volute.server.startup;

import io.volute.adminapi.StoreVerdict;
import io.volute.adminapi.Words;
import io.volute.server.damage.DamageList;
import io.volute.server.http.HttpServer;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.StoreCubes.Phase;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

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
    private volatile Optional<DamageList> damages = Optional.empty();
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
    public void opened(DamageList known) {
        damages = Optional.of(known);
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
        if (all > 1 && serving < all) {
            return (all - serving) + " of " + all + " cubes do not serve";
        }
        StoreVerdict verdict = verdict();
        return verdict.found()
                .transform(
                        found ->
                                verdict.advice()
                                        .map(advice -> found + "; next: " + advice)
                                        .orElse(""));
    }

    /** Returns the verdict of the status page and the doctor, on all cubes of this node. */
    private StoreVerdict verdict() {
        List<Cube> own =
                cubes.opened().stream()
                        .map(Opened::cube)
                        .filter(cube -> !(cube instanceof Cube.ReadOnly))
                        .toList();
        String state =
                own.stream()
                        .map(cube -> Words.of(cube.state()))
                        .filter(word -> !word.equals(Words.of(CubeState.HEALTHY)))
                        .findFirst()
                        .orElse(Words.of(CubeState.HEALTHY));
        boolean isFull =
                own.stream().anyMatch(cube -> cube.spaceAtGlance().totals().clientFree() == 0);
        return StoreVerdict.of(
                state,
                isFull,
                damages.map(DamageList::count).orElse(0L),
                damages
                        .map(DamageList::unnamed)
                        .orElse(Collections.emptySortedMap())
                        .values()
                        .stream()
                        .mapToLong(each -> each)
                        .sum());
    }
}
