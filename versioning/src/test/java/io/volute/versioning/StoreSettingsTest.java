package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignedSettings;
import io.volute.provenance.record.SignedSettings.Before;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.Transaction;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.HiddenFields;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

public class StoreSettingsTest extends StoreFixture {
    private static final ObjectKey OWN = new ObjectKey(ChainIdentity.STORE_KEY);
    private ProvenanceSettings settings = TestKeys.settings();

    @Override
    public StoreOptions options(StoreOptions usual) {
        return usual.with(settings);
    }

    private void restart(ProvenanceSettings with) throws IOException {
        store.close();
        settings = with;
        store = reopen();
    }

    public static ProvenanceSettings off() {
        return TestKeys.settings(TestKeys.SHAPE);
    }

    private List<Entry> own() throws IOException {
        List<Entry> entries = new ArrayList<>();
        provenance().entries(BucketName.OF_STORE, OWN, each -> entries.add(each.entry()));
        return entries;
    }

    private List<SignedSettings> recorded() throws IOException {
        List<SignedSettings> found = new ArrayList<>();
        for (Entry each : own()) {
            found.add(SignedSettings.of(each).orElseThrow());
        }
        return found;
    }

    /** Returns the settings in the audits of a range. */
    private SettingsHistory history(Range range) throws IOException {
        List<SettingsHistory> found = new ArrayList<>();
        List<AuditReport> reports = Collections.synchronizedList(new ArrayList<>());
        long chains =
                provenance()
                        .audit(
                                range,
                                Provenance.Terms.USUAL,
                                new Provenance.Reports() {
                                    @Override
                                    public boolean next(AuditReport report) {
                                        return reports.add(report);
                                    }

                                    @Override
                                    public void settings(SettingsHistory settings) {
                                        found.add(settings);
                                    }
                                });
        assertThat(chains).isEqualTo(reports.size());
        assertThat(reports).allMatch(AuditReport::isClean);
        return found.getFirst();
    }

    @Test
    void startsThatChangeNothingRecordNothing() throws IOException {
        put("a", "one");
        restart(settings);
        restart(settings);
        assertThat(recorded()).hasSize(1);
        assertThat(recorded().getFirst().signatures()).containsExactly(SignatureAlgorithm.ED25519);
        assertThat(own().getFirst().kind()).isEqualTo(EventKind.SETTINGS);
    }

    @Test
    void writeWithoutSignaturesLiesBetweenTwoSignedEntries() throws IOException {
        put("a", "one");
        restart(off());
        assertThat(store.provenance()).isEmpty();
        put("a", "unsigned");
        long commit = cube.lastSequence();
        restart(off());
        put("b", "unsigned");
        restart(TestKeys.settings());
        put("a", "two");
        assertThat(recorded())
                .extracting(SignedSettings::areSigned)
                .containsExactly(true, false, true);
        for (Range range : List.of(Range.ALL, Range.ofKey(BUCKET, key("a")))) {
            List<SettingsHistory.UnsignedPeriod> periods = history(range).unsigned();
            assertThat(periods).hasSize(1);
            assertThat(periods.getFirst().has(commit)).isTrue();
            assertThat(periods.getFirst().has(cube.lastSequence())).isFalse();
        }
    }

    @Test
    void eachSettingIsRecorded() throws IOException {
        restart(settings.with(Duration.ofDays(30)));
        HiddenFields hidden = new HiddenFields(Set.of(), Set.of(EntryField.ACTOR));
        restart(settings.with(new StoreOptions.Confidentiality(hidden, 2)));
        restart(TestKeys.settings(TestKeys.SHAPE, SignatureAlgorithm.ML_DSA_65));
        List<SignedSettings> recorded = recorded();
        assertThat(recorded)
                .extracting(SignedSettings::retentionMillis)
                .containsExactly(
                        0L, Duration.ofDays(30).toMillis(), Duration.ofDays(30).toMillis(), 0L);
        assertThat(recorded.get(2).committed()).containsExactly("actor");
        assertThat(recorded.get(2).auditorsNeeded()).isEqualTo(2);
        assertThat(recorded.get(3).signatures()).containsExactly(SignatureAlgorithm.ML_DSA_65);
        assertThat(history(Range.ALL).unsigned()).isEmpty();
    }

    @Test
    void whatABucketHidesIsRecorded() throws IOException {
        HiddenFields hidden = new HiddenFields(Set.of(), Set.of(EntryField.PRINCIPAL));
        store.settings().setHidden(BUCKET, Optional.of(hidden));
        store.settings().setHidden(BUCKET, Optional.empty());
        List<SignedSettings> recorded = recorded();
        assertThat(recorded).hasSize(3);
        SignedSettings.OfBucket first = recorded.get(1).bucket().orElseThrow();
        assertThat(first.name()).isEqualTo(BUCKET.value());
        assertThat(first.hidden().orElseThrow()).containsExactly(Set.of(), Set.of("principal"));
        assertThat(recorded.get(2).bucket().orElseThrow().hidden()).isEmpty();
        restart(settings);
        assertThat(recorded()).hasSize(3);
        assertThat(history(Range.ALL).unsigned()).isEmpty();
    }

    @Test
    void ownChainIsInEachExportAndCheckpoint() throws IOException {
        put("a", "one");
        assertThat(
                        provenance()
                                .export(
                                        Range.ofKey(BUCKET, key("a")),
                                        new java.io.ByteArrayOutputStream()))
                .isEqualTo(1);
        assertThat(provenance().checkpoint(() -> true).body().heads()).isEqualTo(2);
    }

    @Test
    void markThatIsTakenOutIsFound() throws IOException {
        restart(off());
        put("a", "unsigned");
        restart(TestKeys.settings());
        put("b", "signed");
        byte[] mark = RowKeys.entry(ChainIdentity.STORE_BUCKET_ID, OWN, 1);
        assertThat(cube.commit(new Transaction().delete(Families.ENTRIES, mark)).join())
                .isPositive();
        assertThat(Signing.findings(store))
                .anyMatch(each -> each.contains("entries were taken out"));
    }

    @Test
    void storeWithADamagedMarkOpens() throws IOException {
        restart(off());
        byte[] mark = RowKeys.entry(ChainIdentity.STORE_BUCKET_ID, OWN, 1);
        var row = cube.get(Families.ENTRIES, mark).orElseThrow();
        assertThat(
                        cube.commit(
                                        new Transaction()
                                                .put(
                                                        Families.ENTRIES,
                                                        mark,
                                                        row.summary(),
                                                        utf8("rubbish"),
                                                        List.of()))
                                .join())
                .isPositive();
        restart(TestKeys.settings());
        put("a", "one");
        assertThat(Signing.findings(store)).isNotEmpty();
    }

    private void delete(Family family, byte[] from) {
        Transaction transaction = new Transaction();
        try (RecordCursor cursor = cube.scan(family, from, RowKeys.behindPrefix(from))) {
            while (cursor.next()) {
                transaction.delete(family, cursor.key());
            }
        }
        assertThat(cube.commit(transaction).join()).isPositive();
    }

    private void takeOutOwnChain() {
        delete(Families.ENTRIES, RowKeys.current(ChainIdentity.STORE_BUCKET_ID, OWN));
        delete(Families.CHECKPOINTS, new byte[0]);
    }

    private void assertRefused(ProvenanceSettings with) {
        settings = with;
        assertThatThrownBy(this::reopen)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("provenance.on-missing-settings = begin-anew");
    }

    @Test
    void storeWhoseOwnChainWasTakenOutDoesNotOpen() throws IOException {
        put("a", "one");
        assertThat(provenance().checkpoint(() -> true).body().number()).isZero();
        takeOutOwnChain();
        store.close();
        assertRefused(TestKeys.settings());
        assertRefused(off());
        settings = TestKeys.settings().beginningAnew();
        store = reopen();
        assertThat(recorded()).extracting(SignedSettings::before).containsExactly(Before.LOST);
        settings = TestKeys.settings();
        restart(settings);
        assertThat(recorded().getFirst().before()).isEqualTo(Before.LOST);
    }

    @Test
    void storeOfWhichAllEntriesWereTakenOutDoesNotOpen() throws IOException {
        put("a", "one");
        delete(Families.ENTRIES, new byte[0]);
        delete(Families.BATCHES, new byte[0]);
        store.close();
        assertRefused(TestKeys.settings());
        settings = TestKeys.settings().beginningAnew();
        store = reopen();
    }

    @Test
    void storeOpensAfterACrashBehindTheCommitOfItsKeys() throws IOException {
        takeOutOwnChain();
        restart(TestKeys.settings());
        assertThat(recorded()).extracting(SignedSettings::before).containsExactly(Before.NOTHING);
    }

    @Test
    void storeFromBeforeSignedSettingsOpens() throws IOException {
        put("a", "one");
        // Its entries have none of the details of later programs.
        byte[] first = RowKeys.entry(store.bucket(BUCKET).orElseThrow().id(), key("a"), 0);
        var row = cube.get(Families.ENTRIES, first).orElseThrow();
        EntryRecord record =
                EntryRecord.decode(Bytes.of(cube.readDetail(Families.ENTRIES, first, row)));
        Entry entry = record.entry();
        Entry older =
                new Entry(
                        entry.placement(),
                        entry.kind(),
                        entry.versionId(),
                        entry.content(),
                        entry.principal(),
                        new TreeMap<>(),
                        entry.signers(),
                        entry.attestation(),
                        entry.source(),
                        entry.slots());
        byte[] changed =
                new EntryRecord(
                                older.encode(),
                                older,
                                record.links(),
                                record.path(),
                                record.disclosure())
                        .encode()
                        .toArray();
        assertThat(
                        cube.commit(
                                        new Transaction()
                                                .put(
                                                        Families.ENTRIES,
                                                        first,
                                                        row.summary(),
                                                        changed,
                                                        List.of()))
                                .join())
                .isPositive();
        takeOutOwnChain();
        restart(TestKeys.settings());
        assertThat(recorded()).extracting(SignedSettings::before).containsExactly(Before.ANYTHING);
    }
}
