package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.BucketInfo.VersioningState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The past of a bucket is removed when none of its states are kept any more. */
class ForgottenBucketsTest extends PastFixture {
    private void days(int days) throws IOException {
        clock.updateAndGet(now -> now.plus(Duration.ofDays(days)));
        assertThat(store.retention().trim()).isNotNegative();
    }

    @Test
    void aDeletedBucketStaysAsLongAsItsStates() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "key", "text");
        Instant there = tick();
        delete(ALICE, "key");
        store.deleteBucket(ALICE, BUCKET);
        tick();
        days(6);
        assertThat(past(there)).isEqualTo(Map.of("key", "text"));
        days(2);
        assertThat(rows(Families.BUCKET_HISTORY)).isZero();
        StoreFixture.refused(Reason.NO_SUCH_BUCKET, () -> store.history().kept(BUCKET));
    }

    @Test
    void aDeletedBucketStaysWhileAStateOfItIsKeptForLonger() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "key", "text");
        Instant there = tick();
        delete(ALICE, "key");
        // As if its removal could not be trimmed: no event refers to it.
        store.deleteBucket(ALICE, BUCKET);
        removeEvents();
        tick();
        days(8);
        assertThat(past(there)).isEqualTo(Map.of("key", "text"));
        assertThat(store.history().purge(ALICE, BUCKET, clock.get())).isEqualTo(1);
        days(1);
        assertThat(rows(Families.BUCKET_HISTORY)).isZero();
    }

    private void removeEvents() {
        var transaction = new io.volute.storage.Transaction();
        try (var cursor = cube.scan(Families.EVENTS, new byte[0], new byte[0])) {
            while (cursor.next()) {
                transaction.delete(Families.EVENTS, cursor.key());
            }
        }
        assertThat(cube.commit(transaction).join()).isPositive();
    }

    @Test
    void whatABucketWasThatIsThereIsKnownForGood() throws IOException {
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        put(ALICE, "key", "old");
        Instant old = tick();
        put(ALICE, "key", "new");
        store.setVersioning(ALICE, BUCKET, VersioningState.SUSPENDED);
        tick();
        days(100);
        assertThat(past(old)).isEqualTo(Map.of("key", "old"));
        assertThat(store.asOf(old).bucket(BUCKET).orElseThrow().versioning())
                .isEqualTo(VersioningState.ENABLED);
    }
}
