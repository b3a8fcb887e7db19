package io.volute.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.directory.LogPlace.Kind;
import io.volute.storage.report.SpaceReport.Totals;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoreSpaceTest {
    private static Totals cube(long used, long free, long clientFree) {
        return new Totals(used + free, free, clientFree, used, 0, 0, 0);
    }

    private static final Map<Kind, List<Totals>> TWO_ON_A_DISK =
            Map.of(Kind.LOCAL, List.of(cube(40, 60, 50), cube(10, 59, 48)));

    @Test
    void cubesOnOneDiskShareItsFreeSpace() {
        assertThat(StoreSpace.of(TWO_ON_A_DISK, false)).isEqualTo(new StoreSpace(110, 50));
    }

    @Test
    void cubesWithCapacitiesOfTheirOwnDoNot() {
        assertThat(StoreSpace.of(TWO_ON_A_DISK, true)).isEqualTo(new StoreSpace(169, 98));
    }

    @Test
    void bookiesHaveSpaceOfTheirOwn() {
        assertThat(
                        StoreSpace.of(
                                Map.of(
                                        Kind.LOCAL, List.of(cube(40, 60, 50)),
                                        Kind.BOOKKEEPER, List.of(cube(5, 500, 400))),
                                false))
                .isEqualTo(new StoreSpace(605, 450));
    }
}
