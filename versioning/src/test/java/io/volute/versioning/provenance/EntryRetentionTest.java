package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.BATCHES;
import static io.volute.versioning.rows.Families.BATCH_REMOVALS;
import static io.volute.versioning.rows.Families.ENTRIES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.ExportAudit;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.storage.RecordCursor;
import io.volute.storage.Transaction;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Removed;
import io.volute.versioning.Provenance.Retention;
import io.volute.versioning.Signing;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.TestKeys;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Old entries go, and the chains say so: audits find nothing, and count what is gone. */
@Tag("slow")
class EntryRetentionTest extends StoreFixture {
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");
    private static final int REACH = 8;

    /** Construction of the spiral. */
    Construction construction() {
        return Construction.ONE_LINK;
    }

    @Override
    public StoreOptions options(StoreOptions usual) {
        SpiralShape shape = new SpiralShape(construction(), 3);
        return usual.with(
                TestKeys.settings(shape, SignatureAlgorithm.ED25519).with(Duration.ofMillis(1)));
    }

    @AfterEach
    void findsNothing() throws IOException {
        if (isHonest) {
            assertThat(Signing.findings(store)).isEmpty();
        }
    }

    private boolean isHonest = true;

    private void checkpoint() throws IOException {
        assertThat(provenance().checkpoint(() -> true).body().number()).isNotNegative();
    }

    private long removeOld(int entriesMin) throws IOException {
        long removed = 0;
        Removed step = new Removed(0, false);
        while (!step.isRoundOver()) {
            step = provenance().removeOld(new Retention(LATER, 50, entriesMin));
            removed += step.entries();
        }
        return removed;
    }

    private List<AuditReport> audit() throws IOException {
        List<AuditReport> reports = Collections.synchronizedList(new ArrayList<>());
        long chains = provenance().audit(Range.ALL, Signing.CONTENTS, reports::add);
        assertThat(reports).hasSize((int) chains);
        return reports;
    }

    private List<Cause> causes() throws IOException {
        return audit().stream()
                .flatMap(report -> report.findings().stream())
                .map(Finding::cause)
                .toList();
    }

    private void putTimes(String key, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            put(key, "content " + i);
        }
    }

    private void remove(String key, long sequence) {
        isHonest = false;
        byte[] row = RowKeys.entry(store.bucket(BUCKET).orElseThrow().id(), key(key), sequence);
        assertThat(cube.commit(new Transaction().delete(ENTRIES, row)).join()).isPositive();
    }

    @Test
    void nothingGoesThatNoCheckpointCovers() throws IOException {
        putTimes("a", 40);
        assertThat(removeOld(1)).isZero();
        checkpoint();
        putTimes("a", 2);
        assertThat(provenance().removeOld(new Retention(Instant.EPOCH.minusMillis(1), 9, 1)))
                .isEqualTo(new Removed(0, true));
        // Of 42, the last 8 stay.
        assertThat(removeOld(1)).isEqualTo(42 - REACH);
        assertThat(kinds("a")).hasSize(REACH + 1).endsWith(EventKind.SUMMARY);
        AuditReport report = audit().getFirst();
        assertThat(report.removed()).isEqualTo(42 - REACH);
        assertThat(report.entries()).isEqualTo(REACH + 1);
        assertThat(wrong()).isEmpty();
    }

    private List<String> wrong() throws IOException {
        return provenance().auditCheckpoints(OptionalLong.empty(), () -> true);
    }

    @Test
    void whatAVersionThatIsThereIsAboutStays() throws IOException {
        putTimes("a", 20);
        versioning(VersioningState.ENABLED);
        ObjectVersion kept = put("a", "kept");
        putTimes("a", 20);
        checkpoint();
        assertThat(removeOld(16)).isEqualTo(20 - 1);
        assertThat(removeOld(16)).isZero();
        delete("a", number(kept));
        checkpoint();
        // The null version, which was before it, is there still.
        assertThat(removeOld(1)).isZero();
        assertThat(get("a", VersionSelector.NULL)).isEqualTo("content 19");
    }

    @Test
    void fewStay() throws IOException {
        putTimes("a", 15 + REACH);
        checkpoint();
        assertThat(removeOld(16)).isZero();
        put("a", "one more");
        assertThat(removeOld(16)).isEqualTo(16);
    }

    @Test
    void chainsGoOn() throws IOException {
        putTimes("a", 3);
        assertThat(store.setTags(BOB, BUCKET, key("a"), LATEST, Map.of("t", "v")).latest())
                .isTrue();
        putTimes("a", 20);
        checkpoint();
        assertThat(removeOld(1)).isPositive();
        store.close();
        store = reopen();
        // Its predecessor is gone, and linked to all the same.
        assertThat(store.setTags(BOB, BUCKET, key("a"), LATEST, Map.of("t", "w")).latest())
                .isTrue();
        assertThat(causes()).isEmpty();
        putTimes("a", 30);
        checkpoint();
        assertThat(removeOld(1)).isPositive();
        store.close();
        store = reopen();
        assertThat(store.setTags(BOB, BUCKET, key("a"), LATEST, Map.of("t", "x")).latest())
                .isTrue();
        put("a", "last");
        assertThat(wrong()).isEmpty();
    }

    @Test
    void chainsOfManyEntriesGoInSteps() throws IOException {
        putTimes("a", 2100);
        putTimes("b", 30);
        checkpoint();
        assertThat(removeOld(16)).isEqualTo(2100 - REACH + 2 + 30 - REACH);
        assertThat(kinds("a")).endsWith(EventKind.SUMMARY, EventKind.SUMMARY, EventKind.SUMMARY);
    }

    @Test
    void batchesGoWithTheirLastEntry() throws IOException {
        putTimes("a", 50);
        long before = rows(BATCHES);
        checkpoint();
        assertThat(removeOld(1)).isEqualTo(50 - REACH);
        assertThat(rows(BATCHES)).isEqualTo(before - (50 - REACH) + 1);
        assertThat(rows(BATCH_REMOVALS)).isZero();
    }

    @Test
    void aBatchStaysAsLongAsOneOfItsEntries() throws IOException {
        putTimes("a", 20);
        for (int i = 0; i < 20; i++) {
            put("a", "both " + i);
            put("b", "both " + i);
            var outcomes = store.deleteAll(ALICE, BUCKET, List.of(target("a"), target("b")));
            assertThat(outcomes).hasSize(2);
        }
        putTimes("a", 5);
        checkpoint();
        assertThat(removeOld(1)).isPositive();
        assertThat(rows(BATCH_REMOVALS)).isPositive();
        assertThat(causes()).isEmpty();
    }

    private static ObjectStore.DeleteTarget target(String key) {
        return new ObjectStore.DeleteTarget(key(key), LATEST, WriteCondition.NONE);
    }

    @Test
    void whoRemovesMoreIsFound() throws IOException {
        putTimes("a", 40);
        checkpoint();
        long removed = removeOld(1);
        assertThat(causes()).isEmpty();
        remove("a", removed);
        assertThat(causes()).contains(Cause.REMOVED);
    }

    @Test
    void whoDoesNotSaySoIsFound() throws IOException {
        putTimes("a", 40);
        for (int i = 0; i < 20; i++) {
            remove("a", i);
        }
        checkpoint();
        assertThat(removeOld(1)).isZero();
        // Kept states have lost the entries that tell of them.
        assertThat(causes()).containsOnly(Cause.REMOVED, Cause.UNSIGNED_STATE);
        putTimes("b", 40);
        checkpoint();
        assertThat(removeOld(1)).isEqualTo(40 - REACH);
        put("b", "behind");
        remove("b", 40);
        assertThat(causes()).contains(Cause.REMOVED);
    }

    @Test
    void nothingGoesFromAChainWithAGap() throws IOException {
        putTimes("a", 40);
        remove("a", 3);
        checkpoint();
        assertThat(removeOld(5)).isZero();
    }

    @Test
    void exportsAreAudited() throws Exception {
        putTimes("a", 40);
        putTimes("b", 3);
        checkpoint();
        assertThat(removeOld(1)).isEqualTo(40 - REACH);
        ByteArrayOutputStream export = new ByteArrayOutputStream();
        assertThat(provenance().export(Range.ALL, export)).isEqualTo(2);
        List<AuditReport> reports = new ArrayList<>();
        AuditTerms terms = AuditTerms.of(provenance().keys());
        assertThat(
                        new ExportAudit(chain -> terms, reports::add)
                                .read(new ByteArrayInputStream(export.toByteArray())))
                .isEqualTo(new ExportAudit.Outcome.Complete(3));
        assertThat(reports).allMatch(AuditReport::isClean);
        assertThat(reports).extracting(AuditReport::removed).containsExactly(0L, 40L - REACH, 0L);
    }

    @Test
    void olderCheckpointsCannotBeComparedAnyMore() throws IOException {
        putTimes("a", 10);
        checkpoint();
        putTimes("a", 30);
        checkpoint();
        assertThat(removeOld(1)).isPositive();
        assertThat(wrong()).isEmpty();
        assertThatThrownBy(() -> provenance().auditCheckpoints(OptionalLong.of(0), () -> true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("checkpoint 0 cannot be compared");
        ByteArrayOutputStream heads = new ByteArrayOutputStream();
        provenance().writeHeads(provenance().checkpoints(1, 1).getFirst(), heads);
        assertThat(heads.size()).isPositive();
    }

    /** The store never drops a chain, so who does it is found by each checkpoint that has it. */
    @Test
    void whatIsLeftOfAKeyThatIsGoneCannotGoUnnoticed() throws IOException {
        putTimes("gone", 40);
        putTimes("short", 1);
        delete("gone");
        delete("short");
        store.deleteBucket(ALICE, BUCKET);
        checkpoint();
        assertThat(removeOld(1)).isEqualTo(41 - REACH);
        checkpoint();
        assertThat(wrong()).isEmpty();
        assertThat(audit())
                .extracting(each -> each.chain() + " " + each.entries())
                .containsExactlyInAnyOrder("photos/gone " + (REACH + 1), "photos/short 2");
        isHonest = false;
        dropChains("short");
        assertThat(causes()).as("chain by chain there is nothing to see").isEmpty();
        assertThat(wrong()).contains("checkpoint 1 has 3 chains, not 2");
        dropChains("gone");
        assertThat(wrong()).contains("checkpoint 1 has 3 chains, not 1");
    }

    /** Removes the chains of a key in all buckets. */
    private void dropChains(String key) {
        Transaction transaction = new Transaction();
        try (RecordCursor cursor = cube.scan(ENTRIES, new byte[0], new byte[0])) {
            while (cursor.next()) {
                byte[] row = cursor.key();
                int end = RowKeys.objectKeyEnd(row, RowKeys.NUMBER_BYTES);
                if (RowKeys.objectKey(row, end).equals(key)) {
                    transaction.delete(ENTRIES, row);
                }
            }
        }
        assertThat(cube.commit(transaction).join()).isPositive();
    }

    @Test
    void anAuditIsNotDisturbed() throws IOException {
        for (int i = 0; i < 100; i++) {
            putTimes("k%02d".formatted(i), 30);
        }
        checkpoint();
        List<AuditReport> reports = Collections.synchronizedList(new ArrayList<>());
        long chains =
                provenance()
                        .audit(
                                Range.ALL,
                                Signing.CONTENTS,
                                report -> {
                                    if (reports.isEmpty()) {
                                        assertThat(removeOld(1)).isPositive();
                                    }
                                    return reports.add(report);
                                });
        assertThat(chains).isEqualTo(100);
        assertThat(reports).allMatch(AuditReport::isClean);
        assertThat(reports).anyMatch(report -> report.removed() > 0);
    }

    @Test
    void isLikeAModel() throws IOException {
        long seed = Long.getLong("volute.seed", 5);
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        long removed = 0;
        for (int i = 0; i < 1500; i++) {
            String key = "k" + random.nextInt(5);
            switch (random.nextInt(30)) {
                case 0 -> versioning(VersioningState.ENABLED);
                case 1 -> versioning(VersioningState.SUSPENDED);
                case 2, 3 -> checkpoint();
                case 4, 5 -> removed += removeOld(1 + random.nextInt(20));
                case 6 -> {
                    store.close();
                    store = reopen();
                }
                case 7, 8, 9 -> delete(key);
                case 10, 11 -> allVersions().stream().findFirst().ifPresent(this::purge);
                default -> putTimes(key, 1);
            }
            if (i % 100 == 99) {
                assertThat(wrong()).isEmpty();
                long gone = 0;
                for (AuditReport report : audit()) {
                    assertThat(report.findings()).as("step %d", i).isEmpty();
                    assertThat(report.removed() + report.entries())
                            .isEqualTo(report.head().orElseThrow().sequence() + 1);
                    gone += report.removed();
                }
                assertThat(gone).isEqualTo(removed);
            }
        }
        assertThat(removed).isPositive();
    }

    private void purge(ObjectVersion version) {
        try {
            assertThat(delete(version.key().value(), number(version)).markerCreated()).isFalse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
