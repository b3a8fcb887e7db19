package io.volute.versioning.cubes;

import io.volute.versioning.Restore;
import io.volute.versioning.StoreCubes;
import java.util.List;

/** The restores of each cube, for tests of other packages. */
public final class CubeRestores {
    private CubeRestores() {}

    /** Returns the restores of all open cubes. */
    public static List<Restore> of(StoreCubes cubes) {
        return ((CubeRegistry) cubes)
                .slots().stream()
                        .flatMap(slot -> slot.open().stream())
                        .map(open -> open.catalog().restore())
                        .toList();
    }
}
