package io.volute.versioning.past;

import static io.volute.versioning.rows.Families.VERSIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.PastFixture;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * A store in which an earlier version of the program moved a bucket: noncurrent versions have the
 * sequence of the move, and their states end with it when they are deleted.
 */
class EarlierMovesTest extends PastFixture {
    /** Writes the row of a noncurrent version as such a move left it in the other cube. */
    private void moved(ObjectVersion version) throws IOException {
        long id = store.bucket(BUCKET).orElseThrow().id();
        byte[] key = RowKeys.version(id, version.key(), version.number());
        StoredRecord record = cube.get(VERSIONS, key).orElseThrow();
        ObjectRow row = ObjectRow.decode(record.summary());
        byte[] detail = RecordDetails.read(cube, VERSIONS, key, record);
        byte[] summary = row.withBegan(0, row.began(record.sequence()));
        Commits.join(
                cube, new Transaction().put(VERSIONS, key, summary, detail, record.references()));
    }

    private void remove(ObjectVersion version) throws IOException {
        VersionSelector which = new VersionSelector.Numbered(version.number());
        assertThat(store.delete(ALICE, BUCKET, version.key(), which, WriteCondition.NONE))
                .isNotNull();
    }

    @Test
    void listingsShowTheStateThatBeganLast() throws IOException {
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        policy(HistoryPolicy.EVERY_WRITE);
        ObjectVersion hidden = put(ALICE, "a", "a one");
        ObjectVersion replaced = put(ALICE, "b", "b one");
        tick();
        put(ALICE, "b", "b two");
        Instant then = tick();
        put(ALICE, "a", "a two");
        tick();
        moved(replaced);
        moved(hidden);
        tick();
        remove(hidden);
        remove(replaced);
        tick();
        assertThat(past(then)).isEqualTo(Map.of("a", "a one", "b", "b two"));
        List<KeyState> states =
                store.history()
                        .states(ALICE, BUCKET, new ObjectKey("b"), Optional.empty(), 9)
                        .entries();
        assertThat(states).hasSize(2);
        assertThat(states.get(1).ended()).contains(states.get(0).began());
    }
}
