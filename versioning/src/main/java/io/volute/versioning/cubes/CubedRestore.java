package io.volute.versioning.cubes;

import io.volute.versioning.Restore;
import io.volute.versioning.StoreException;
import io.volute.versioning.event.Membership;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The restores of all cubes. A restore changes one bucket, in the cube of it. Thread-safe. */
record CubedRestore(CubeRegistry cubes, CubeBuckets buckets) implements Restore {
    @Override
    public Plan plan(Caller caller, Request request, Optional<String> from, int max)
            throws IOException {
        return buckets.read(
                request.bucket(), catalog -> catalog.restore().plan(caller, request, from, max));
    }

    @Override
    public Run start(Caller caller, Request request) throws IOException {
        return buckets.call(request.bucket(), catalog -> catalog.restore().start(caller, request));
    }

    @Override
    public Run run(String id) {
        return of(id).run(id);
    }

    @Override
    public List<Run> runs() {
        return cubes.opened().stream()
                .flatMap(open -> open.store().restore().runs().stream())
                .sorted(Comparator.comparing(Run::began).reversed())
                .toList();
    }

    @Override
    public Run cancel(String id) {
        return of(id).cancel(id);
    }

    /** Returns the restores of the cube that gave out an id. */
    private Restore of(String id) {
        int number;
        try {
            number = Membership.cubeOf(Long.parseLong(id));
        } catch (NumberFormatException e) {
            number = 0;
        }
        CubeSlot slot = cubes.find(number).orElse(cubes.system());
        return slot.open()
                .map(open -> open.catalog().restore())
                .orElseThrow(
                        () ->
                                new StoreException(
                                        StoreException.Reason.INVALID_ARGUMENT,
                                        "cube "
                                                + slot.name()
                                                + ", which has restore "
                                                + id
                                                + ", is not open"));
    }
}
