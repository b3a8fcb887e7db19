package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CHAIN_BEGINS;
import static io.volute.versioning.rows.Families.CHECKPOINTS;
import static io.volute.versioning.rows.Families.ENTRIES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.HeadsFile;
import io.volute.provenance.audit.AuditReport;
import io.volute.storage.Transaction;
import io.volute.versioning.CheckpointRefusedException;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.TestKeys;
import io.volute.versioning.rows.ChainBeginRow;
import io.volute.versioning.rows.RowKeys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CheckpointsTest extends StoreFixture {
    @Override
    public StoreOptions options(StoreOptions usual) {
        return usual.with(TestKeys.settings());
    }

    private Checkpoint checkpoint() throws IOException {
        return provenance().checkpoint(() -> true);
    }

    private List<String> wrong() throws IOException {
        return wrong(OptionalLong.empty());
    }

    private List<String> wrong(OptionalLong compared) throws IOException {
        return provenance().auditCheckpoints(compared, () -> true);
    }

    private byte[] entry(String key, long sequence) {
        return RowKeys.entry(store.bucket(BUCKET).orElseThrow().id(), key(key), sequence);
    }

    private void remove(io.volute.storage.Family family, byte[] key) {
        assertThat(cube.commit(new Transaction().delete(family, key)).join()).isPositive();
    }

    @Test
    void fixesAllChainsAndFollowsTheOneBefore() throws IOException {
        Checkpoint empty = checkpoint();
        // The store's own chain is in each.
        assertThat(empty.body().heads()).isEqualTo(1);
        for (int i = 0; i < 50; i++) {
            put("k" + i % 20, "content " + i);
        }
        Checkpoint first = checkpoint();
        assertThat(first.body().heads()).isEqualTo(21);
        put("k1", "later");
        put("new", "later");
        provenance().rotateKeys();
        put("k1", "with another key");
        store.close();
        store = reopen();
        Checkpoint second = checkpoint();
        assertThat(second.body().heads()).isEqualTo(22);
        assertThat(second.body().number()).isEqualTo(2);
        assertThat(second.body().previous()).isEqualTo(first.hash());
        assertThat(provenance().checkpoints(0, 10)).containsExactly(empty, first, second);
        assertThat(provenance().checkpoints(1, 1)).containsExactly(first);
        put("k2", "behind the last");
        assertThat(wrong(OptionalLong.of(1))).isEmpty();
        assertThat(wrong(OptionalLong.of(7))).containsExactly("checkpoint 7 is missing");
    }

    @Test
    void entryThatWasCutOffShows() throws IOException {
        put("a", "one");
        put("a", "two");
        assertThat(checkpoint().body().heads()).isEqualTo(2);
        remove(ENTRIES, entry("a", 1));
        assertThat(wrong()).containsExactly("checkpoint 0 has other heads");
    }

    @Test
    void keyThatWasHiddenShows() throws IOException {
        put("a", "one");
        put("b", "two");
        assertThat(checkpoint().body().heads()).isEqualTo(3);
        remove(ENTRIES, entry("b", 0));
        assertThat(wrong()).contains("checkpoint 0 has 3 chains, not 2");
    }

    private void refused(String why) throws IOException {
        long last = provenance().lastCheckpoint().orElseThrow().body().number();
        assertThatThrownBy(this::checkpoint)
                .isInstanceOf(CheckpointRefusedException.class)
                .hasMessageContaining(why);
        assertThat(provenance().refusal().orElseThrow()).contains(why);
        assertThat(provenance().lastCheckpoint().orElseThrow().body().number()).isEqualTo(last);
    }

    /** An honest server signs nothing that was cut off behind its back. */
    @Test
    void cutEndIsNotSigned() throws IOException {
        put("a", "one");
        put("a", "two");
        put("b", "one");
        assertThat(checkpoint().body().heads()).isEqualTo(3);
        assertThat(provenance().refusal()).isEmpty();
        byte[] cut = entry("a", 1);
        remove(ENTRIES, cut);
        refused("checkpoint 0 has other heads");
        put("a", "goes on behind the cut");
        refused("checkpoint 0 has other heads");
        store.close();
        store = reopen();
        refused("checkpoint 0 has other heads");
    }

    @Test
    void hiddenKeyIsNotSigned() throws IOException {
        put("a", "one");
        put("b", "one");
        assertThat(checkpoint().body().heads()).isEqualTo(3);
        byte[] hidden = entry("b", 0);
        remove(ENTRIES, hidden);
        refused("checkpoint 0 has 3 chains, not 2");
        assertThat(provenance().removeOld(new Provenance.Retention(Instant.MAX, 1000, 1)).entries())
                .isZero();
    }

    /** The removal horizon has no signature, so a value that is too high must be refused. */
    @Test
    void removalThatNoCheckpointCoversIsNotSigned() throws IOException {
        put("a", "one");
        Checkpoint last = checkpoint();
        byte[] horizon = new ChainBeginRow(last.body().commitSequence() + 1).encode();
        assertThat(
                        cube.commit(
                                        new Transaction()
                                                .put(
                                                        CHAIN_BEGINS,
                                                        new byte[] {0},
                                                        horizon,
                                                        new byte[0],
                                                        List.of()))
                                .join())
                .isPositive();
        store.close();
        store = reopen();
        refused("entries behind checkpoint 0 were removed");
    }

    @Test
    void checkpointThatWasRemovedShows() throws IOException {
        for (int i = 0; i < 3; i++) {
            put("a", "content " + i);
            assertThat(checkpoint().body().number()).isEqualTo(i);
        }
        remove(CHECKPOINTS, RowKeys.number(1));
        assertThat(wrong()).contains("checkpoint 1 is missing");
    }

    @Test
    void headsFileHasTheHeadsOfThen() throws IOException {
        put("a", "one");
        put("b", "two");
        Checkpoint then = checkpoint();
        put("a", "later");
        put("c", "later");
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        provenance().writeHeads(then, file);
        assertThat(HeadsFile.read(new ByteArrayInputStream(file.toByteArray()), (id, head) -> {}))
                .isEqualTo(then.map());
        remove(ENTRIES, entry("a", 0));
        ByteArrayOutputStream other = new ByteArrayOutputStream();
        assertThatThrownBy(() -> provenance().writeHeads(then, other))
                .hasMessageContaining("heads");
    }

    @Test
    void auditsGoOnFromACheckpoint() throws IOException {
        for (int i = 0; i < 10; i++) {
            put("a", "content " + i);
            put("b", "content " + i);
        }
        Checkpoint then = checkpoint();
        assertThat(since(then)).isEmpty();
        put("b", "later");
        put("c", "later");
        List<AuditReport> reports = since(then);
        assertThat(reports).allMatch(AuditReport::isClean);
        assertThat(reports)
                .extracting(each -> each.chain() + " " + each.verified())
                .containsExactlyInAnyOrder("photos/b 2", "photos/c 1");
        // Entries up to the checkpoint are not read again; later ones are.
        remove(ENTRIES, entry("b", 3));
        assertThat(since(then)).allMatch(AuditReport::isClean);
        put("b", "more");
        remove(ENTRIES, entry("b", 10));
        assertThat(since(then)).anyMatch(each -> !each.isClean());
        remove(ENTRIES, entry("a", 9));
        assertThat(wrong(OptionalLong.of(0))).contains("checkpoint 0 has other heads");
    }

    private List<AuditReport> since(Checkpoint then) throws IOException {
        List<AuditReport> reports = Collections.synchronizedList(new ArrayList<>());
        long chains =
                provenance().auditSince(then, Range.ALL, Provenance.Terms.USUAL, reports::add);
        assertThat(reports).hasSize((int) chains);
        return reports;
    }

    @Test
    void isNotMadeWhenItShallNotGoOn() throws IOException {
        put("a", "one");
        assertThatThrownBy(() -> provenance().checkpoint(() -> false))
                .isInstanceOf(IOException.class);
        assertThat(provenance().checkpoints(0, 10)).isEmpty();
    }
}
