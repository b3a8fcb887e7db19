package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.RecordCursor;
import io.volute.storage.Transaction;
import io.volute.versioning.PastFixture;
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

    /** The family came later than the history. */
    @Test
    void isFoundInAStoreThatHadNoRowForIt() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "there", "first");
        put(ALICE, "there", "second");
        put(ALICE, "gone", "once");
        Instant before = tick();
        delete(ALICE, "gone");
        tick();
        try (RecordCursor rows = cube.scan(Families.REMOVED, new byte[0], new byte[0])) {
            while (rows.next()) {
                assertThat(
                                cube.commit(new Transaction().delete(Families.REMOVED, rows.key()))
                                        .join())
                        .isPositive();
            }
        }
        assertThat(past(before)).doesNotContainKey("gone");
        reopenStore();
        assertThat(past(before)).isEqualTo(Map.of("there", "second", "gone", "once"));
        int rows = removedKeys();
        reopenStore();
        assertThat(removedKeys()).isEqualTo(rows);
        clock.updateAndGet(now -> now.plus(DAY.multipliedBy(9)));
        assertThat(store.retention().trim()).isEqualTo(2);
        assertThat(removedKeys()).as("the row that says that it is done").isEqualTo(1);
    }

    private void reopenStore() throws IOException {
        store.close();
        store = openStore();
    }

    @Test
    void leavesNothingWhenNothingIsKeptOfIt() throws IOException {
        put(ALICE, "own", "made");
        delete(ALICE, "own");
        assertThat(removedKeys()).isZero();
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
        assertThat(store.retention().trim()).isEqualTo(1);
        assertThat(past(second)).isEqualTo(Map.of("key", "second"));
        clock.updateAndGet(now -> now.plus(DAY.multipliedBy(9)));
        assertThat(store.retention().trim()).isEqualTo(1);
        assertThat(removedKeys()).isZero();
    }
}
