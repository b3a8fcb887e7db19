package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.ENTRIES;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.UNSIGNED;
import static io.volute.versioning.rows.Families.VERSIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.Finding;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Signing;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.TestKeys;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.EncodedRow;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectLock.Mode;
import io.volute.versioning.value.ObjectLock.Retention;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Rows that are changed below the signed history: each change is a finding. */
class StateAuditTest extends StoreFixture {
    private static final Retention COMPLIANCE =
            new Retention(Mode.COMPLIANCE, Instant.ofEpochMilli(4_000_000_000_000L));

    private ProvenanceSettings settings = TestKeys.settings();

    @Override
    public StoreOptions options(StoreOptions usual) {
        return usual.with(settings);
    }

    /** The result of an audit that compares state. */
    private record Audited(List<Finding> findings, long unproven) {
        List<Cause> causes() {
            return findings.stream().map(Finding::cause).distinct().toList();
        }
    }

    private Audited audit() throws IOException {
        return audit(Range.ALL, Signing.CONTENTS);
    }

    private Audited audit(Range range, Provenance.Terms terms) throws IOException {
        List<Finding> findings = Collections.synchronizedList(new ArrayList<>());
        long[] unproven = new long[1];
        long chains =
                provenance()
                        .audit(
                                range,
                                terms,
                                new Provenance.Reports() {
                                    @Override
                                    public boolean next(
                                            io.volute.provenance.audit.AuditReport report) {
                                        findings.addAll(report.findings());
                                        return true;
                                    }

                                    @Override
                                    public void unproven(long versions) {
                                        unproven[0] = versions;
                                    }
                                });
        assertThat(chains).isNotNegative();
        return new Audited(findings, unproven[0]);
    }

    private void commit(Transaction transaction) {
        assertThat(cube.commit(transaction).join()).isPositive();
    }

    private byte[] current(String key) {
        return RowKeys.current(store.bucket(BUCKET).orElseThrow().id(), key(key));
    }

    private byte[] version(String key, ObjectVersion version) {
        return RowKeys.version(store.bucket(BUCKET).orElseThrow().id(), key(key), version.number());
    }

    private StoredRecord row(Family family, byte[] rowKey) {
        return cube.get(family, rowKey).orElseThrow();
    }

    /** Writes a row again with something else in it, as somebody with the disk can. */
    private void change(
            Family family, byte[] rowKey, ObjectKey key, UnaryOperator<ObjectVersion> change)
            throws IOException {
        StoredRecord record = row(family, rowKey);
        ObjectRow row = ObjectRow.decode(record.summary());
        byte[] detail = cube.readDetail(family, rowKey, record);
        ObjectVersion version = row.version(key, family.equals(CURRENT), "alice", detail);
        EncodedRow changed =
                ObjectRow.encode(
                        change.apply(version),
                        "alice",
                        row.nullBehind(),
                        row.causal(),
                        row.upload());
        if (row.holdsBody()) {
            changed = ObjectRow.withBody(changed, row.body(detail));
        }
        commit(
                new Transaction()
                        .put(
                                family,
                                rowKey,
                                changed.summary(),
                                changed.detail(),
                                record.references()));
    }

    private static ObjectVersion with(ObjectVersion version, ObjectAttributes attributes) {
        return new ObjectVersion(
                version.key(),
                version.number(),
                version.nullVersion(),
                version.latest(),
                version.deleteMarker(),
                version.modified(),
                version.owner(),
                version.bytes(),
                version.parts(),
                attributes);
    }

    private void found(Cause cause) throws IOException {
        assertThat(audit().causes()).containsExactly(cause);
        for (Range range : List.of(Range.ofKey(BUCKET, key("a")), Range.ALL)) {
            assertThat(audit(range, Provenance.Terms.USUAL).causes())
                    .as("without contents, of " + range)
                    .containsExactly(cause);
        }
    }

    private void versioned() throws IOException {
        versioning(VersioningState.ENABLED);
    }

    @Test
    void metadataAndTags() throws IOException {
        put("a", "one");
        assertThat(audit().findings()).isEmpty();
        change(
                CURRENT,
                current("a"),
                key("a"),
                version -> with(version, version.attributes().withTags(Map.of("t", "forged"))));
        found(Cause.STATE_CHANGED);
    }

    @Test
    void metadataBehindChangedTags() throws IOException {
        put("a", "one");
        assertThat(store.setTags(BOB, BUCKET, key("a"), LATEST, Map.of("t", "v")).latest())
                .isTrue();
        assertThat(audit().findings()).isEmpty();
        change(
                CURRENT,
                current("a"),
                key("a"),
                version -> {
                    ObjectAttributes own = version.attributes();
                    var headers = new java.util.TreeMap<>(own.headers());
                    headers.put("content-type", "forged/type");
                    return with(
                            version,
                            new ObjectAttributes(
                                    own.etag(),
                                    headers,
                                    own.userMetadata(),
                                    own.tags(),
                                    own.checksum(),
                                    own.lock()));
                });
        found(Cause.STATE_CHANGED);
    }

    @Test
    void etagAndTime() throws IOException {
        put("a", "one");
        change(
                CURRENT,
                current("a"),
                key("a"),
                version ->
                        new ObjectVersion(
                                version.key(),
                                version.number(),
                                version.nullVersion(),
                                version.latest(),
                                false,
                                version.modified().plusSeconds(1),
                                version.owner(),
                                version.bytes(),
                                version.parts(),
                                version.attributes()));
        found(Cause.STATE_CHANGED);
    }

    private void lockedVersion(ObjectLock lock) throws IOException {
        versioned();
        store.setObjectLock(ALICE, BUCKET, BucketLock.PLAIN);
        assertThat(
                        store.put(
                                        ALICE,
                                        BUCKET,
                                        key("a"),
                                        body("x"),
                                        attributes("x").with(lock),
                                        WriteCondition.NONE)
                                .latest())
                .isTrue();
        assertThat(audit().findings()).isEmpty();
    }

    @Test
    void legalHoldThatIsTakenOff() throws IOException {
        lockedVersion(new ObjectLock(Optional.empty(), Optional.of(LegalHold.ON)));
        change(
                CURRENT,
                current("a"),
                key("a"),
                version -> with(version, version.attributes().with(ObjectLock.NONE)));
        found(Cause.STATE_CHANGED);
    }

    @Test
    void complianceThatIsTakenOff() throws IOException {
        lockedVersion(new ObjectLock(Optional.of(COMPLIANCE), Optional.empty()));
        change(
                CURRENT,
                current("a"),
                key("a"),
                version -> with(version, version.attributes().with(ObjectLock.NONE)));
        found(Cause.STATE_CHANGED);
    }

    @Test
    void noncurrentVersionThatIsRemoved() throws IOException {
        versioned();
        ObjectVersion old = put("a", "one");
        put("a", "two");
        assertThat(audit().findings()).isEmpty();
        commit(new Transaction().delete(VERSIONS, version("a", old)));
        found(Cause.STATE_REMOVED);
    }

    @Test
    void currentVersionAndMarkerThatAreRemoved() throws IOException {
        put("a", "one");
        commit(new Transaction().delete(CURRENT, current("a")));
        found(Cause.STATE_REMOVED);
        versioned();
        put("b", "one");
        delete("b");
        // The marker goes, and what it hid is current again.
        byte[] marker = current("b");
        StoredRecord hidden;
        byte[] hiddenKey;
        try (RecordCursor cursor = cube.scan(VERSIONS, marker, RowKeys.behindPrefix(marker))) {
            assertThat(cursor.next()).isTrue();
            hiddenKey = cursor.key();
            hidden = cursor.record();
        }
        byte[] detail = cube.readDetail(VERSIONS, hiddenKey, hidden);
        commit(
                new Transaction()
                        .delete(VERSIONS, hiddenKey)
                        .put(CURRENT, marker, hidden.summary(), detail, hidden.references()));
        assertThat(audit(Range.ofKey(BUCKET, key("b")), Signing.CONTENTS).causes())
                .containsExactly(Cause.STATE_REMOVED);
    }

    @Test
    void olderVersionThatIsMadeCurrent() throws IOException {
        versioned();
        ObjectVersion old = put("a", "one");
        ObjectVersion newer = put("a", "two");
        byte[] oldKey = version("a", old);
        StoredRecord first = row(VERSIONS, oldKey);
        StoredRecord second = row(CURRENT, current("a"));
        byte[] firstDetail = cube.readDetail(VERSIONS, oldKey, first);
        byte[] secondDetail = cube.readDetail(CURRENT, current("a"), second);
        commit(
                new Transaction()
                        .delete(VERSIONS, oldKey)
                        .put(
                                CURRENT,
                                current("a"),
                                first.summary(),
                                firstDetail,
                                first.references())
                        .put(
                                VERSIONS,
                                version("a", newer),
                                second.summary(),
                                secondDetail,
                                second.references()));
        found(Cause.CURRENT_CHANGED);
    }

    @Test
    void writeWithoutAnEntry() throws IOException {
        put("a", "one");
        put("b", "two");
        // As a whole new key, without a chain.
        byte[] entry = RowKeys.entry(store.bucket(BUCKET).orElseThrow().id(), key("a"), 0);
        commit(new Transaction().delete(ENTRIES, entry));
        found(Cause.UNSIGNED_STATE);
    }

    @Test
    void writeWithoutAnEntryOfAKeyThatHasOthers() throws IOException {
        put("a", "one");
        StoredRecord record = row(CURRENT, current("a"));
        change(
                CURRENT,
                current("a"),
                key("a"),
                version ->
                        new ObjectVersion(
                                version.key(),
                                cube.allocateId(),
                                version.nullVersion(),
                                true,
                                false,
                                version.modified(),
                                version.owner(),
                                version.bytes(),
                                version.parts(),
                                version.attributes()));
        assertThat(record.summary()).isNotEmpty();
        assertThat(audit().causes())
                .containsExactlyInAnyOrder(Cause.UNSIGNED_STATE, Cause.STATE_REMOVED);
    }

    @Test
    void markerThatComesBack() throws IOException {
        versioned();
        put("a", "one");
        delete("a");
        byte[] base = current("a");
        StoredRecord row = row(CURRENT, base);
        long marker = ObjectRow.decode(row.summary()).number();
        delete("a", new VersionSelector.Numbered(marker));
        assertThat(audit().findings()).isEmpty();
        commit(
                new Transaction()
                        .put(
                                VERSIONS,
                                RowKeys.versionIn(base, marker),
                                row.summary(),
                                new byte[0],
                                List.of()));
        assertThat(audit().causes())
                .containsExactlyInAnyOrder(Cause.UNSIGNED_STATE, Cause.CURRENT_CHANGED);
    }

    @Test
    void keptStateThatIsChanged() throws IOException {
        store.setHistoryPolicy(ALICE, BUCKET, HistoryPolicy.EVERY_WRITE);
        put("a", "one");
        put("a", "two");
        byte[] base = current("a");
        byte[] keptKey;
        StoredRecord kept;
        try (RecordCursor cursor = cube.scan(HISTORY, base, RowKeys.behindPrefix(base))) {
            assertThat(cursor.next()).isTrue();
            keptKey = cursor.key();
            kept = cursor.record();
        }
        assertThat(audit().findings()).isEmpty();
        HistoryRow row = HistoryRow.decode(kept.summary());
        byte[] detail = cube.readDetail(HISTORY, keptKey, kept);
        ObjectVersion version = row.state().version(key("a"), false, "alice", detail);
        EncodedRow forged =
                ObjectRow.encode(
                        with(version, version.attributes().withTags(Map.of("t", "forged"))),
                        "alice",
                        0,
                        row.state().causal(),
                        Optional.empty());
        if (row.state().holdsBody()) {
            forged = ObjectRow.withBody(forged, row.state().body(detail));
        }
        commit(
                new Transaction()
                        .put(
                                HISTORY,
                                keptKey,
                                new HistoryRow(
                                                row.written(),
                                                row.ended(),
                                                ObjectRow.decode(forged.summary()))
                                        .encode(),
                                forged.detail(),
                                kept.references()));
        found(Cause.STATE_CHANGED);
    }

    @Test
    void whatChangedWithoutSignaturesIsCounted() throws IOException {
        versioned();
        ObjectVersion old = put("a", "one");
        restart(TestKeys.settings(TestKeys.SHAPE));
        put("a", "unsigned");
        delete("a", number(old));
        put("c", "unsigned");
        restart(TestKeys.settings());
        put("a", "signed");
        Audited audited = audit();
        assertThat(audited.findings()).isEmpty();
        // One is gone, two have no entry; kept states of the past count as well.
        assertThat(audited.unproven()).isGreaterThanOrEqualTo(3);
        put("b", "signed");
        change(
                CURRENT,
                current("b"),
                key("b"),
                version -> with(version, version.attributes().withTags(Map.of("t", "forged"))));
        assertThat(audit().causes()).containsExactly(Cause.STATE_CHANGED);
    }

    private void offAndOn() throws IOException {
        restart(TestKeys.settings(TestKeys.SHAPE));
        restart(TestKeys.settings());
    }

    private void forgeTags(String key) throws IOException {
        change(
                CURRENT,
                current(key),
                key(key),
                version -> with(version, version.attributes().withTags(Map.of("t", "forged"))));
    }

    @Test
    void coveredStaysCoveredWhenNothingChangedWithoutSignatures() throws IOException {
        put("a", "one");
        offAndOn();
        offAndOn();
        assertThat(audit()).isEqualTo(new Audited(List.of(), 0));
        forgeTags("a");
        found(Cause.STATE_CHANGED);
        assertThat(audit().unproven()).isZero();
    }

    @Test
    void coveredStaysCoveredWhenAnotherKeyChangedWithoutSignatures() throws IOException {
        lockedVersion(new ObjectLock(Optional.of(COMPLIANCE), Optional.empty()));
        put("a", "two");
        put("b", "one");
        restart(TestKeys.settings(TestKeys.SHAPE));
        put("c", "unsigned");
        delete("c");
        restart(TestKeys.settings());
        Audited honest = audit();
        assertThat(honest.findings()).isEmpty();
        assertThat(honest.unproven()).isPositive();
        byte[] base = current("a");
        byte[] locked;
        try (RecordCursor cursor = cube.scan(VERSIONS, base, RowKeys.behindPrefix(base))) {
            assertThat(cursor.next()).isTrue();
            locked = cursor.key();
        }
        commit(new Transaction().delete(VERSIONS, locked));
        forgeTags("b");
        assertThat(audit().causes())
                .containsExactlyInAnyOrder(Cause.STATE_REMOVED, Cause.STATE_CHANGED);
        assertThat(audit().unproven()).isEqualTo(honest.unproven());
    }

    @Test
    void laterEditsOfAKeyThatChangedWithoutSignaturesAreFound() throws IOException {
        versioned();
        ObjectVersion old = put("a", "one");
        restart(TestKeys.settings(TestKeys.SHAPE));
        put("a", "unsigned");
        restart(TestKeys.settings());
        assertThat(audit().findings()).isEmpty();
        change(
                VERSIONS,
                version("a", old),
                key("a"),
                version -> with(version, version.attributes().withTags(Map.of("t", "forged"))));
        found(Cause.STATE_CHANGED);
    }

    @Test
    void marksFromOutsideOfAnUnsignedTimeExcuseNothing() throws IOException {
        put("a", "one");
        offAndOn();
        byte[] name = BUCKET.value().getBytes(StandardCharsets.UTF_8);
        commit(new Transaction().put(UNSIGNED, current("a"), name, new byte[0], List.of()));
        forgeTags("a");
        restart(TestKeys.settings());
        found(Cause.STATE_CHANGED);
        offAndOn();
        found(Cause.STATE_CHANGED);
    }

    @Test
    void everyKindOfChangeWithoutSignaturesIsExcused() throws IOException {
        store.setHistoryPolicy(ALICE, BUCKET, HistoryPolicy.EVERY_WRITE);
        put("tags", "one");
        put("gone", "one");
        put("over", "one");
        put("same", "one");
        restart(TestKeys.settings(TestKeys.SHAPE));
        restart(TestKeys.settings(TestKeys.SHAPE));
        assertThat(store.setTags(BOB, BUCKET, key("tags"), LATEST, Map.of("t", "v")).latest())
                .isTrue();
        delete("gone");
        put("over", "two");
        put("new", "one");
        restart(TestKeys.settings());
        Audited audited = audit();
        assertThat(audited.findings()).isEmpty();
        assertThat(audited.unproven()).isPositive();
        assertThat(audit(Range.ofKey(BUCKET, key("same")), Signing.CONTENTS).unproven()).isZero();
        try (RecordCursor marks = cube.scan(UNSIGNED, new byte[0], new byte[0])) {
            assertThat(marks.next()).as("marks that are left").isFalse();
        }
        forgeTags("same");
        assertThat(audit().causes()).containsExactly(Cause.STATE_CHANGED);
    }

    @Test
    void retentionKeepsTheEntryThatExcusesAPresentVersion() throws IOException {
        settings = TestKeys.settings().with(Duration.ofMillis(1));
        restart(settings);
        versioned();
        putAndRemove(12);
        restart(TestKeys.settings(TestKeys.SHAPE));
        put("a", "unsigned");
        restart(TestKeys.settings().with(Duration.ofMillis(1)));
        putAndRemove(30);
        assertThat(audit().findings()).isEmpty();
        assertThat(provenance().checkpoint(() -> true).body().number()).isNotNegative();
        Instant later = Instant.parse("2100-01-01T00:00:00Z");
        long removed = provenance().removeOld(new Provenance.Retention(later, 1000, 1)).entries();
        assertThat(removed).isEqualTo(24);
        assertThat(audit().findings()).isEmpty();
    }

    private void putAndRemove(int times) throws IOException {
        for (int i = 0; i < times; i++) {
            delete("a", number(put("a", "signed " + i)));
        }
    }

    private void restart(ProvenanceSettings with) throws IOException {
        store.close();
        settings = with;
        store = reopen();
    }
}
