package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.ClockState;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The past of a bucket after its clock went back, and it moved to another cube. */
class ClockMovesTest extends MovesFixture {
    private void assertRefused(Instant instant) {
        assertThatThrownBy(() -> seen(store.asOf(instant)))
                .hasMessageContaining("the clock of the server went back");
    }

    private ClockState clockOf(String cube) {
        return cubes.opened().stream()
                .filter(open -> open.name().equals(cube))
                .map(StoreCubes.Opened::store)
                .findFirst()
                .orElseThrow()
                .clock();
    }

    @Test
    void aMoveCarriesWhatIsNotKnown() throws IOException {
        store.createBucket(ALICE, name(BUCKET));
        put(ALICE, BUCKET, "a", "before");
        Instant before = clock.instant();
        jump(Duration.ofSeconds(2));
        put(ALICE, BUCKET, "b", "before");
        jump(Duration.ofHours(1));
        put(ALICE, BUCKET, "a", "ahead");
        jump(Duration.ofMinutes(-59));
        put(ALICE, BUCKET, "a", "after");
        Instant unknown = clock.instant();
        jump(Duration.ofSeconds(1));
        assertRefused(unknown);
        jump(Duration.ofHours(2));
        assertThat(clockOf(StoreCubes.SYSTEM).behind()).isZero();
        assertRefused(unknown);

        cubes.create("one");
        assertThat(clockOf("one").unknown()).isEmpty();
        assertThat(cubes.moves().start(name(BUCKET), "one")).isNotNull();
        awaitMoves();
        assertThat(clockOf("one").unknown()).isEqualTo(clockOf(StoreCubes.SYSTEM).unknown());
        assertRefused(unknown);
        assertThat(seen(store.asOf(before))).hasSize(1);
        jump(Duration.ofSeconds(1));
        assertThat(seen(store.asOf(clock.instant().minusMillis(10)))).hasSize(2);
    }

    /** The bucket moves while the clock is behind. */
    @Test
    void aMoveMayBeWhileTheClockIsBehind() throws IOException {
        cubes.create("one");
        store.createBucket(ALICE, name(BUCKET));
        put(ALICE, BUCKET, "a", "before");
        jump(Duration.ofHours(1));
        put(ALICE, BUCKET, "a", "ahead");
        jump(Duration.ofMinutes(-59));
        assertThat(cubes.moves().start(name(BUCKET), "one")).isNotNull();
        awaitMoves();
        put(ALICE, BUCKET, "a", "after");
        Instant unknown = clock.instant();
        jump(Duration.ofSeconds(1));
        assertRefused(unknown);
        jump(Duration.ofHours(2));
        assertThat(clockOf("one").behind()).isZero();
        assertThat(clockOf(StoreCubes.SYSTEM).behind()).isZero();
        assertRefused(unknown);
    }
}
