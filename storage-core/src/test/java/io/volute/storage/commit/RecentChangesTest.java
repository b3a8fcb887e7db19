package io.volute.storage.commit;

import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.rows.RecordKey;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class RecentChangesTest {
    private final RecentChanges changes = new RecentChanges();
    private final RecordKey record = new RecordKey(1, utf8("a"));

    private record Changed(Set<RecordKey> changedRecords, Set<Long> changedBlobs)
            implements RecentChanges.ChangedRows {}

    private void apply(Set<RecordKey> records, Set<Long> blobs) {
        changes.applied(new Changed(records, blobs), () -> {});
    }

    private void change(String key) {
        apply(Set.of(new RecordKey(1, utf8(key))), Set.of());
    }

    @Test
    void whatChangedAfterTheStampIsTold() {
        changes.watch();
        long before = changes.stamp();
        change("b");
        assertThat(changes.isUnchanged(record, before)).isTrue();
        change("a");
        assertThat(changes.isUnchanged(record, before)).isFalse();
        assertThat(changes.isUnchanged(record, changes.stamp())).isTrue();
        apply(Set.of(), Set.of(7L));
        assertThat(changes.isUnchanged(7L, before)).isFalse();
        assertThat(changes.isUnchanged(8L, before)).isTrue();
    }

    @Test
    void whatNobodyWatchedCountsAsChanged() {
        long before = changes.stamp();
        change("b");
        changes.watch();
        assertThat(changes.isUnchanged(record, before)).isFalse();
        assertThat(changes.isUnchanged(record, changes.stamp())).isTrue();
    }

    @Test
    void aStampVouchesForWhatIsPublishedWithTheBatch() {
        long before = changes.stamp();
        AtomicLong published = new AtomicLong(-1);
        changes.applied(new Changed(Set.of(), Set.of()), () -> published.set(changes.stamp()));
        assertThat(published).hasValue(before);
        assertThat(changes.stamp()).isGreaterThan(before);
    }

    /** The watch may begin while a batch is between its look at the watchers and its end. */
    @Test
    void aBatchThatDidNotSeeTheWatchIsNotTrusted() {
        long stampDuringBatch = changes.stamp();
        change("a");
        changes.watch();
        assertThat(changes.isUnchanged(record, stampDuringBatch)).isFalse();
    }

    @Test
    void whatIsTooMuchToNoteCountsAsChanged() {
        changes.watch();
        long before = changes.stamp();
        for (int i = 0; i < (1 << 16) + 2; i++) {
            change("key" + i);
        }
        assertThat(changes.isUnchanged(record, before)).isFalse();
        long now = changes.stamp();
        change("b");
        assertThat(changes.isUnchanged(record, now)).isTrue();
        assertThat(changes.isUnchanged(new RecordKey(1, utf8("b")), now)).isFalse();
    }

    @Test
    void afterTheLastWatcherNothingIsKept() {
        changes.watch();
        long before = changes.stamp();
        changes.unwatch();
        change("b");
        assertThat(changes.isUnchanged(record, before)).isFalse();
    }
}
