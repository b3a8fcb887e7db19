package io.volute.versioning.provenance;

import static io.volute.provenance.record.EventKind.COPY;
import static io.volute.provenance.record.EventKind.DELETE;
import static io.volute.provenance.record.EventKind.LOCK;
import static io.volute.provenance.record.EventKind.PURGE;
import static io.volute.provenance.record.EventKind.TAGS;
import static io.volute.provenance.record.EventKind.WRITE;
import static io.volute.versioning.rows.Families.BATCHES;
import static io.volute.versioning.rows.Families.CHAIN_BUCKETS;
import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.ENTRIES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditScope;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.ExportAudit;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.storage.BlobWriter;
import io.volute.storage.CubeState;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.FakeCube;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.TestKeys;
import io.volute.versioning.body.Origin;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BodyHash;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.Change.OfLegalHold;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectLock.Mode;
import io.volute.versioning.value.ObjectLock.Retention;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.ReplicaOrigin;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.WriteCondition;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProvenanceTest extends StoreFixture {
    private static final byte[] NOTHING = {};
    private ProvenanceSettings settings = TestKeys.settings();

    @Override
    public StoreOptions options(StoreOptions usual) {
        return usual.with(settings);
    }

    private static Terms terms(Provenance.AuditScopeOf scope, boolean comparesContents) {
        return new Terms(scope, Set.of(), false, comparesContents, 2);
    }

    private static Terms contents() {
        return terms(Provenance.AuditScopeOf.EVERYTHING, true);
    }

    private List<AuditReport> audit(Range range, Terms terms) throws IOException {
        List<AuditReport> reports = Collections.synchronizedList(new ArrayList<>());
        long chains = provenance().audit(range, terms, reports::add);
        assertThat(reports).hasSize((int) chains);
        return reports;
    }

    /** Returns the findings of a full audit that compares contents. */
    private List<Finding> findings() throws IOException {
        return audit(Range.ALL, contents()).stream()
                .flatMap(report -> report.findings().stream())
                .toList();
    }

    private static Optional<Hash> hash(String content) {
        return Optional.of(Hash.ofContent(utf8(content)));
    }

    private void replace(Family family, byte[] key, byte[] summary, byte[] detail, StoredRecord old)
            throws IOException {
        commit(new Transaction().put(family, key, summary, detail, old.references()));
    }

    private void commit(Transaction transaction) {
        assertThat(cube.commit(transaction).join()).isPositive();
    }

    private byte[] entryKey(String key, long sequence) {
        long bucketId = store.bucket(BUCKET).orElseThrow().id();
        return RowKeys.entry(bucketId, key(key), sequence);
    }

    @Test
    void eachChangeIsAnEntry() throws IOException {
        ObjectVersion first = put("a", "one");
        ObjectVersion second = put("a", "two");
        assertThat(store.setTags(BOB, BUCKET, key("a"), LATEST, Map.of("t", "v")).number())
                .isEqualTo(second.number());
        delete("a");
        put("a", "three");
        List<Entry> entries = entries("a");
        assertThat(kinds("a")).containsExactly(WRITE, WRITE, TAGS, DELETE, WRITE);
        assertThat(entries)
                .extracting(Entry::content)
                .startsWith(hash("one"), hash("two"))
                .endsWith(Optional.empty(), hash("three"));
        assertThat(entries.getFirst().versionId().text())
                .isEqualTo(VersionId.format(first.number(), false));
        assertThat(entries.get(2).principal().value().text()).isEqualTo("bob");
        assertThat(detail(entries.get(2), "access-key")).isEqualTo("key-b");
        assertThat(detail(entries.get(2), "actor")).isEqualTo("bob-phone");
        assertThat(entries.get(3).versionId().text())
                .isEqualTo(VersionId.format(second.number(), false));
        assertThat(findings()).isEmpty();
    }

    /** The signed entry of a replica has the claimant, and covers the origin. */
    @Test
    void aClaimIsInTheEntryOfWhoMadeIt() throws IOException {
        versioning(VersioningState.ENABLED);
        String source = "00000000-0000-0000-0000-000000000009/away";
        ReplicaOrigin first = new ReplicaOrigin(source, 7);
        ReplicaOrigin second = new ReplicaOrigin(source, 8);
        store.put(
                BOB,
                BUCKET,
                key("a"),
                body("x"),
                attributes("x").withHeader("content-type", Optional.empty()),
                new WriteCondition.IfNoReplica(first));
        store.delete(
                BOB,
                BUCKET,
                new DeleteTarget(key("a"), LATEST, new WriteCondition.IfNoReplica(second)));
        put("a", "own");
        List<Entry> entries = entries("a");
        assertThat(kinds("a")).containsExactly(WRITE, DELETE, WRITE);
        assertThat(entries)
                .extracting(entry -> entry.principal().value().text())
                .containsExactly("bob", "bob", "alice");
        assertThat(entries)
                .extracting(entry -> entry.details().get(Bytes.of("metadata")))
                .startsWith(claim(first), claim(second));
        assertThat(findings()).isEmpty();
    }

    private static Field claim(ReplicaOrigin origin) {
        ObjectAttributes claimed =
                ObjectAttributes.ofEtag("")
                        .withHeader(ObjectAttributes.REPLICA, Optional.of(origin.text()));
        return new Field(
                Field.Form.PLAIN, Bytes.of(MetadataHash.of(claimed).orElseThrow().toArray()));
    }

    private static String detail(Entry entry, String name) {
        return entry.details().get(Bytes.of(name)).value().text();
    }

    @Test
    void markersAndPurgesAreToldApart() throws IOException {
        versioning(VersioningState.ENABLED);
        ObjectVersion version = put("a", "one");
        delete("a");
        delete("a", number(version));
        assertThat(kinds("a")).containsExactly(WRITE, DELETE, PURGE);
        assertThat(findings()).isEmpty();
    }

    @Test
    void locksAreTold() throws IOException {
        versioning(VersioningState.ENABLED);
        store.setObjectLock(ALICE, BUCKET, BucketLock.PLAIN);
        Retention retention =
                new Retention(Mode.COMPLIANCE, Instant.ofEpochMilli(4_000_000_000_000L));
        ObjectLock lock = new ObjectLock(Optional.of(retention), Optional.of(LegalHold.ON));
        store.put(
                ALICE,
                BUCKET,
                key("a"),
                body("x"),
                attributes("x").with(lock),
                WriteCondition.NONE);
        store.setLock(BOB, BUCKET, key("a"), LATEST, new OfLegalHold(LegalHold.OFF));
        assertThat(kinds("a")).containsExactly(WRITE, LOCK);
        assertThat(entries("a").getFirst().details().get(Bytes.of("lock")).value())
                .isEqualTo(
                        Bytes.of(
                                Domain.LOCK
                                        .hash(map("legal-hold", "ON", "mode", "COMPLIANCE"))
                                        .toArray()));
        Entry told = entries("a").getLast();
        assertThat(told.content())
                .contains(Domain.LOCK.hash(map("legal-hold", "OFF", "mode", "COMPLIANCE")));
        assertThat(told.principal().value().text()).isEqualTo("bob");
        assertThat(findings()).isEmpty();
    }

    /** The canonical form of a lock until then, by hand. */
    private static byte[] map(String name, String value, String other, String otherValue) {
        ByteBuffer out = ByteBuffer.allocate(200).putInt(3);
        for (String each : List.of(name, value, other, otherValue, "until", "4000000000000")) {
            out.putInt(each.length()).put(utf8(each));
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    @Test
    void copiesContinueTheChainOfTheirSource() throws IOException {
        ObjectVersion source = put("from", "content");
        put("from", "newer");
        assertThat(source.number()).isPositive();
        store.copy(
                BOB,
                new ObjectStore.Source(BUCKET, key("from"), LATEST, Optional.empty()),
                BUCKET,
                key("to"),
                version -> {},
                ObjectVersion::attributes,
                WriteCondition.NONE);
        Entry copy = entries("to").getFirst();
        assertThat(copy.kind()).isEqualTo(COPY);
        assertThat(copy.content()).isEqualTo(hash("newer"));
        assertThat(copy.source().orElseThrow().head().sequence()).isEqualTo(1);
        assertThat(copy.source().orElseThrow().chainId())
                .isEqualTo(entries("from").getLast().placement().chainId());
        assertThat(findings()).isEmpty();
    }

    @Test
    void multipartContentIsHashedByParts() throws IOException {
        String upload = createUpload("m");
        List<PartChoice> choices = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            String etag = putPart("m", upload, i, i < 3 ? "0123456789" : "end").etag();
            choices.add(new PartChoice(i, etag, Optional.empty()));
        }
        store.completeUpload(
                ALICE,
                BUCKET,
                key("m"),
                upload,
                choices,
                (info, parts) -> uploadAttributes(),
                WriteCondition.NONE);
        Entry entry = entries("m").getFirst();
        assertThat(detail(entry, "parts")).isEqualTo("2x10,1x3");
        assertThat(entry.content()).isPresent().isNotEqualTo(hash("01234567890123456789end"));
        assertThat(findings()).isEmpty();
    }

    private ObjectVersion putInPieces(String name, String... pieces) throws IOException {
        BodyHash.InPieces hash = new BodyHash.InPieces(3);
        long bytes = String.join("", pieces).length();
        try (BlobWriter writer =
                store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(bytes), hash)) {
            for (String piece : pieces) {
                byte[] content = piece.getBytes(StandardCharsets.UTF_8);
                // A piece is added when all of it has been written.
                writer.write(ByteBuffer.wrap(content, 0, content.length / 2));
                writer.write(
                        ByteBuffer.wrap(
                                content, content.length / 2, content.length - content.length / 2));
                hash.add(content.length, Hash.ofContent(content).toArray());
            }
            return store.put(
                    ALICE,
                    BUCKET,
                    key(name),
                    writer.finish(),
                    uploadAttributes(),
                    WriteCondition.NONE);
        }
    }

    @Test
    void contentOfSeveralPiecesIsHashedByThem() throws IOException {
        putInPieces("k", "0123456789", "0123456789", "end");
        Entry entry = entries("k").getFirst();
        assertThat(detail(entry, "parts")).isEqualTo("2x10,1x3");
        ByteWriter parts = new ByteWriter().u32(3);
        for (String piece : List.of("0123456789", "0123456789", "end")) {
            parts.u64(piece.length()).hash(hash(piece).orElseThrow());
        }
        assertThat(entry.content()).contains(Domain.PARTS.hash(parts.toBytes()));
        store.copy(
                ALICE,
                new ObjectStore.Source(BUCKET, key("k"), LATEST, Optional.empty()),
                BUCKET,
                key("copy"),
                version -> {},
                ObjectVersion::attributes,
                WriteCondition.NONE);
        assertThat(entries("copy").getFirst().content()).isEqualTo(entry.content());
        assertThat(detail(entries("copy").getFirst(), "parts")).isEqualTo("2x10,1x3");
        assertThat(findings()).isEmpty();
    }

    @Test
    void contentOfOnePieceOrNoneIsHashedAsAWhole() throws IOException {
        putInPieces("one", "content");
        putInPieces("none");
        assertThat(entries("one").getFirst().content()).isEqualTo(hash("content"));
        assertThat(entries("none").getFirst().content()).isEqualTo(hash(""));
        assertThat(findings()).isEmpty();
    }

    @Test
    void piecesBeyondTheMostAreOne() throws IOException {
        putInPieces("many", "ab", "ab", "ab", "c", "d", "ef");
        assertThat(detail(entries("many").getFirst(), "parts")).isEqualTo("3x2,1x4");
        assertThat(findings()).isEmpty();
    }

    @Test
    void piecesThatAreNotTheBodyAreNotStored() throws IOException {
        BodyHash.InPieces hash = new BodyHash.InPieces(3);
        hash.add(3, hash("abc").orElseThrow().toArray());
        try (BlobWriter writer =
                store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(4), hash)) {
            writer.write(ByteBuffer.wrap(new byte[4]));
            assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void sizesOfPartsAreReadStrictly() {
        assertThat(Origin.sizes("2x10,1x3")).contains(List.of(10L, 10L, 3L));
        for (String text : List.of("", "x", "1x", "2x10,", "-1x3", "1x3 ", "99999x1", "1x-1")) {
            assertThat(Origin.sizes(text)).as(text).isEmpty();
        }
    }

    @Test
    void oneCommitOfManyKeysHasAnEntryForEach() throws IOException {
        for (int i = 0; i < 5; i++) {
            put("k" + i, "content " + i);
        }
        List<DeleteTarget> targets = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            targets.add(new DeleteTarget(key("k" + i), LATEST, WriteCondition.NONE));
        }
        long batches = rows(BATCHES);
        assertThat(store.deleteAll(ALICE, BUCKET, targets)).hasSize(5);
        assertThat(rows(BATCHES)).isEqualTo((int) batches + 1);
        for (int i = 0; i < 5; i++) {
            assertThat(kinds("k" + i)).containsExactly(WRITE, DELETE);
        }
        assertThat(findings()).isEmpty();
    }

    @Test
    void chainsGoOnAfterARestartAndARotation() throws IOException {
        for (int i = 0; i < 20; i++) {
            put("a", "content " + i);
        }
        store.close();
        store = reopen();
        put("a", "after the restart");
        provenance().rotateKeys();
        put("a", "after the rotation");
        store.close();
        settings =
                TestKeys.settings(
                        TestKeys.SHAPE, SignatureAlgorithm.ML_DSA_65, SignatureAlgorithm.ED25519);
        store = reopen();
        put("a", "with both");
        assertThat(entries("a")).hasSize(23);
        assertThat(entries("a").getLast().signers()).hasSize(2);
        assertThat(findings()).isEmpty();
        // First key, rotated: new and old; other algorithms: two new and one old.
        assertThat(provenance().keys().size()).isEqualTo(6);
    }

    @Test
    void secondConstructionGoesOnAfterARestart() throws IOException {
        store.close();
        settings =
                TestKeys.settings(
                        new SpiralShape(Construction.LINK_PER_DIMENSION, 2),
                        SignatureAlgorithm.ED25519);
        store = reopen();
        for (int i = 0; i < 12; i++) {
            put("a", "content " + i);
            store.close();
            store = reopen();
        }
        assertThat(findings()).isEmpty();
        List<AuditReport> reports =
                audit(
                        Range.ALL,
                        terms(head -> new AuditScope.Dimension(2, head.getAsLong()), false));
        assertThat(reports.getFirst().isClean()).isTrue();
        assertThat(reports.getFirst().verified()).isEqualTo(3);
    }

    @Test
    void exportIsEnoughForAnAuditor() throws IOException {
        for (int i = 0; i < 30; i++) {
            put("k" + i % 7, "content " + i);
        }
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        assertThat(provenance().export(Range.ALL, file)).isEqualTo(7);
        KeyList keys = KeyList.read(provenance().keys().encode(), provenance().keys().root());
        List<AuditReport> reports = new ArrayList<>();
        ExportAudit audit = new ExportAudit(identity -> AuditTerms.of(keys), reports::add);
        assertThat(audit.read(new ByteArrayInputStream(file.toByteArray())))
                .isEqualTo(new ExportAudit.Outcome.Complete(8));
        assertThat(reports).allMatch(AuditReport::isClean).hasSize(8);
        assertThat(reports.stream().mapToLong(AuditReport::entries).sum()).isEqualTo(30 + 1);
    }

    @Test
    void rangesAreOfABucketAPrefixOrAKey() throws IOException {
        put("a/1", "");
        put("a/2", "");
        put("b", "");
        assertThat(audit(new Range(Optional.of(BUCKET), "a/", false), contents())).hasSize(2);
        assertThat(audit(Range.ofKey(BUCKET, key("a/1")), contents())).hasSize(1);
        assertThat(audit(Range.ofKey(BUCKET, key("a/")), contents())).isEmpty();
        refused(
                StoreException.Reason.NO_SUCH_BUCKET,
                () -> audit(Range.ofKey(new BucketName("other"), key("a")), contents()));
    }

    @Test
    void chainsOutliveTheirBucket() throws IOException {
        put("a", "one");
        delete("a");
        store.deleteBucket(ALICE, BUCKET);
        assertThat(store.createBucket(ALICE, BUCKET).name()).isEqualTo(BUCKET);
        put("a", "two");
        assertThat(audit(Range.ofKey(BUCKET, key("a")), contents())).hasSize(2);
        assertThat(kinds("a")).containsExactly(WRITE);
        assertThat(findings()).isEmpty();
    }

    @Test
    void removedEntryIsFound() throws IOException {
        for (int i = 0; i < 10; i++) {
            put("a", "content " + i);
        }
        commit(new Transaction().delete(ENTRIES, entryKey("a", 4)));
        assertThat(findings()).anyMatch(each -> each.cause() == Cause.REMOVED);
        store.close();
        store = reopen();
        put("a", "later");
        assertThat(entries("a").getLast().sequence()).isEqualTo(10);
        assertThat(entries("a")).hasSize(10);
    }

    @Test
    void editedEntryIsFound() throws IOException {
        put("a", "one");
        put("b", "two");
        byte[] key = entryKey("a", 0);
        StoredRecord a = cube.get(ENTRIES, key).orElseThrow();
        byte[] detail = cube.readDetail(ENTRIES, key, a);
        int bob = new String(detail, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("alice");
        detail[bob] = 'A';
        replace(ENTRIES, key, a.summary(), detail, a);
        assertThat(findings()).anyMatch(each -> each.cause() == Cause.ALTERED);
        replace(ENTRIES, key, a.summary(), utf8("rubbish"), a);
        assertThat(findings()).anyMatch(each -> each.cause() == Cause.UNREADABLE);
    }

    @Test
    void missingBatchIsFound() throws IOException {
        put("a", "one");
        try (RecordCursor cursor = cube.scan(BATCHES, NOTHING, NOTHING)) {
            assertThat(cursor.next()).isTrue();
            commit(new Transaction().delete(BATCHES, cursor.key()));
        }
        assertThat(findings()).anyMatch(each -> each.cause() == Cause.ALTERED);
    }

    @Test
    void exchangedContentIsFound() throws IOException {
        put("a", "one");
        put("b", "two");
        long bucketId = store.bucket(BUCKET).orElseThrow().id();
        StoredRecord b = cube.get(CURRENT, RowKeys.current(bucketId, key("b"))).orElseThrow();
        byte[] key = RowKeys.current(bucketId, key("a"));
        StoredRecord a = cube.get(CURRENT, key).orElseThrow();
        replace(CURRENT, key, a.summary(), NOTHING, b);
        assertThat(findings())
                .singleElement()
                .matches(each -> each.cause() == Cause.CONTENT_CHANGED);
        assertThat(audit(Range.ALL, terms(Provenance.AuditScopeOf.EVERYTHING, false)))
                .allMatch(AuditReport::isClean);
    }

    @Test
    void chainOfARenamedBucketDoesNotFit() throws IOException {
        put("a", "one");
        long bucketId = store.bucket(BUCKET).orElseThrow().id();
        commit(new Transaction().delete(CHAIN_BUCKETS, RowKeys.number(bucketId)));
        assertThat(findings()).anyMatch(each -> each.cause() == Cause.TRANSPLANTED);
    }

    @Test
    void failedCommitLeavesNoEntry() throws IOException {
        put("a", "one");
        ((FakeCube) cube).failNextCommit(new IOException("no"));
        assertThatThrownBy(() -> put("a", "lost")).hasMessage("no");
        put("a", "two");
        assertThat(entries("a"))
                .extracting(Entry::content)
                .containsExactly(hash("one"), hash("two"));
        assertThat(findings()).isEmpty();
    }

    @Test
    void storeThatTakesNoWritesOpensWithTheKeysThatItHas() throws IOException {
        put("a", "one");
        store.close();
        ((FakeCube) cube).state(CubeState.READ_ONLY);
        settings = TestKeys.settings(TestKeys.SHAPE, SignatureAlgorithm.ML_DSA_65);
        store = reopen();
        assertThat(findings()).isEmpty();
        assertThat(provenance().keys().size()).isEqualTo(1);
        store.close();
        cube = new FakeCube();
        ((FakeCube) cube).state(CubeState.READ_ONLY);
        store = reopen();
        assertThat(store.provenance()).isEmpty();
    }

    @Test
    void anotherMasterKeyDoesNotOpenTheStore() throws IOException {
        store.close();
        ProvenanceSettings right = settings;
        settings =
                new ProvenanceSettings(
                        TestKeys.master("wrong"),
                        right.algorithms(),
                        right.shape(),
                        right.random());
        assertThatThrownBy(this::reopen)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another master key");
        settings = right;
        store = reopen();
    }
}
