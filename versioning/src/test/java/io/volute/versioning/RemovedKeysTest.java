package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.Families;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Keys of which only the past knows. */
class RemovedKeysTest extends PastFixture {
    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void isThereAsItWasAlthoughItsLastStateWasNotKept() throws IOException {
        put(ALICE, "taken", "by alice");
        Instant alices = tick();
        put(THIEF, "taken", "by the thief");
        delete(THIEF, "taken");
        Instant gone = tick();
        assertThat(past(alices)).isEqualTo(Map.of("taken", "by alice"));
        assertThat(past(gone)).isEmpty();
    }

    @Test
    void isThereAsItWasAlthoughNothingIsKeptAnyMore() throws IOException {
        put(ALICE, "key", "by alice");
        Instant alices = tick();
        put(THIEF, "key", "by the thief");
        tick();
        policy(HistoryPolicy.NONE);
        delete(THIEF, "key");
        tick();
        assertThat(past(alices)).isEqualTo(Map.of("key", "by alice"));
    }

    @Test
    void leavesNothingWhenNothingIsKeptOfIt() throws IOException {
        put(ALICE, "own", "made");
        delete(ALICE, "own");
        assertThat(rows(Families.REMOVED)).isZero();
    }

    @Test
    void staysAsLongAsItsLastRemovalIsKnown() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "key", "first");
        delete(ALICE, "key");
        clock.updateAndGet(now -> now.plus(DAY.multipliedBy(5)));
        put(ALICE, "key", "second");
        Instant second = tick();
        delete(ALICE, "key");
        // The first removal goes now, the second one is not old enough.
        clock.updateAndGet(now -> now.plus(DAY.multipliedBy(4)));
        assertThat(ObjectStores.trimHistory(store)).isEqualTo(1);
        assertThat(past(second)).isEqualTo(Map.of("key", "second"));
        clock.updateAndGet(now -> now.plus(DAY.multipliedBy(9)));
        assertThat(ObjectStores.trimHistory(store)).isEqualTo(1);
        assertThat(rows(Families.REMOVED)).isZero();
    }
}
