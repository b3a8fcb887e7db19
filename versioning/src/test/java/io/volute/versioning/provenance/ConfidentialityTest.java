package io.volute.versioning.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.ExportAudit;
import io.volute.provenance.chain.ExportReader;
import io.volute.provenance.chain.OpeningsFile;
import io.volute.provenance.chain.Reinstatement;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Frame;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.secrecy.Auditor.Share;
import io.volute.provenance.secrecy.AuditorKey;
import io.volute.provenance.secrecy.EntryReader;
import io.volute.provenance.secrecy.Place;
import io.volute.provenance.secrecy.SharedTree;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Selection;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.Confidentiality;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.TestKeys;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.HiddenFields;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Hidden fields: their readers, and their verification by everybody else. */
class ConfidentialityTest extends StoreFixture {
    private static final Set<EntryField> WHO =
            EnumSet.of(EntryField.PRINCIPAL, EntryField.ACCESS_KEY, EntryField.ACTOR);
    private static final Withholding ACTORS = new Withholding(Set.of("actor"), false);

    private final SecureRandom random = new SecureRandom();
    private ProvenanceSettings settings = TestKeys.settings();

    @Override
    public StoreOptions options(StoreOptions usual) {
        return usual.with(settings);
    }

    private void reopen(Confidentiality confidentiality) throws IOException {
        store.close();
        settings = settings.with(confidentiality);
        store = reopen();
    }

    private static Confidentiality hiding(
            Set<EntryField> encrypted, Set<EntryField> committed, int needed) {
        return new Confidentiality(new HiddenFields(encrypted, committed), needed);
    }

    private AuditorKey addAuditor(String name) throws IOException {
        AuditorKey key = AuditorKey.generate(random);
        provenance().addAuditor(name, publicKey(key));
        return key;
    }

    private static PublicKey publicKey(AuditorKey key) {
        return new PublicKey(SignatureAlgorithm.X25519, key.publicKey());
    }

    private byte[] export(Withholding withheld) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        assertThat(provenance().export(Range.ALL, Selection.ALL.with(withheld), file)).isPositive();
        return file.toByteArray();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private List<AuditReport> audit(byte[] export, EntryReader reader) throws IOException {
        KeyList keys = KeyList.read(provenance().keys().encode(), provenance().keys().root());
        List<AuditReport> reports = new ArrayList<>();
        AuditTerms terms = AuditTerms.of(keys).with(reader);
        ExportAudit.Outcome outcome =
                new ExportAudit(chain -> terms, reports::add)
                        .read(new ByteArrayInputStream(export));
        assertThat(outcome).isInstanceOf(ExportAudit.Outcome.Complete.class);
        assertThat(reports).allMatch(AuditReport::isClean);
        return reports.stream().filter(each -> !each.isOfStore()).toList();
    }

    /** Returns the actor of each entry, or a question mark if the reader cannot decrypt it. */
    private static List<String> actors(byte[] export, EntryReader reader) throws IOException {
        List<String> actors = new ArrayList<>();
        for (EntryRecord record : records(export, reader)) {
            int index = record.entry().fieldNames().indexOf("actor");
            actors.add(reader.read(record).text(index).map(it -> it.text()).orElse("?"));
        }
        return actors;
    }

    /** The entries of an export, whose trees the reader gets to know. */
    private static List<EntryRecord> records(byte[] export, EntryReader reader) throws IOException {
        List<EntryRecord> records = new ArrayList<>();
        ExportReader frames = new ExportReader(new ByteArrayInputStream(export));
        for (Optional<Frame> next = frames.next(); next.isPresent(); next = frames.next()) {
            if (next.get().type() == Frame.Type.TREE.code()) {
                reader.learn(SharedTree.decode(next.get().payload()));
            } else if (next.get().type() == Frame.Type.ENTRY.code()) {
                records.add(EntryRecord.decode(next.get().payload()));
            }
        }
        // Those of the store's own chain name nobody.
        records.removeIf(each -> each.entry().kind() == EventKind.SETTINGS);
        return records;
    }

    private static EntryReader reader(AuditorKey... keys) {
        return new EntryReader(List.of(keys));
    }

    @Test
    void whatIsToBeEncryptedIsLeftOutWhileNobodyMayRead() throws IOException {
        reopen(hiding(WHO, Set.of(), 2));
        AuditorKey one = addAuditor("one");
        put("a", "text");
        Entry entry = entries("a").getFirst();
        assertThat(entry.principal()).isEqualTo(Field.ABSENT);
        assertThat(entry.details().values()).contains(Field.ABSENT);
        assertThat(entry.slots()).isEmpty();
        assertThat(actors(export(Withholding.NOTHING), reader(one))).containsExactly("?");
        audit(export(Withholding.NOTHING), reader(one));
    }

    @Test
    void auditorsReadAndNobodyElseLearnsAnything() throws IOException {
        reopen(hiding(WHO, Set.of(), 1));
        AuditorKey one = addAuditor("one");
        AuditorKey two = addAuditor("two");
        put("a", "text");
        put("a", "more");
        delete("a");
        byte[] export = export(Withholding.NOTHING);
        assertThat(text(export)).doesNotContain("alice", "key-a");
        assertThat(actors(export, reader(one)))
                .containsExactly("alice-laptop", "alice-laptop", "alice-laptop");
        assertThat(actors(export, reader(two))).doesNotContain("?");
        assertThat(actors(export, reader(AuditorKey.generate(random)))).containsOnly("?");
        AuditReport report = audit(export, reader(two)).getFirst();
        assertThat(report.hidden()).isEqualTo(new AuditReport.Hidden(9, 9, 0));
    }

    @Test
    void aRemovedAuditorReadsWhatWasForHimAndNothingLater() throws IOException {
        reopen(hiding(WHO, Set.of(), 1));
        AuditorKey stays = addAuditor("stays");
        AuditorKey goes = addAuditor("goes");
        put("a", "1");
        provenance().endAuditor("goes");
        put("a", "2");
        // Another key for the same name; a restart in between.
        reopen(settings.confidentiality());
        AuditorKey comes = addAuditor("goes");
        put("a", "3");
        byte[] export = export(Withholding.NOTHING);
        String actor = "alice-laptop";
        assertThat(actors(export, reader(stays))).containsExactly(actor, actor, actor);
        assertThat(actors(export, reader(goes))).containsExactly(actor, "?", "?");
        assertThat(actors(export, reader(comes))).containsExactly("?", "?", actor);
        audit(export, reader(goes));
    }

    @Test
    void namesAndKeysAreTakenOnce() throws IOException {
        AuditorKey key = addAuditor("one");
        refused(Reason.INVALID_ARGUMENT, () -> addAuditor("one"));
        refused(Reason.INVALID_ARGUMENT, () -> provenance().endAuditor("two"));
        provenance().endAuditor("one");
        refused(Reason.INVALID_ARGUMENT, () -> provenance().endAuditor("one"));
        refused(Reason.INVALID_ARGUMENT, () -> provenance().addAuditor("one", publicKey(key)));
        for (int i = 0; i < SharedTree.AUDITORS_MAX; i++) {
            addAuditor("auditor " + i);
        }
        refused(Reason.INVALID_ARGUMENT, () -> addAuditor("one"));
    }

    @Test
    void severalAuditorsReadTogether() throws IOException {
        reopen(hiding(WHO, Set.of(), 2));
        AuditorKey one = addAuditor("one");
        AuditorKey two = addAuditor("two");
        addAuditor("three");
        put("a", "1");
        put("b", "2");
        byte[] export = export(Withholding.NOTHING);
        assertThat(actors(export, reader(one))).containsOnly("?");
        assertThat(actors(export, reader(one, two))).containsOnly("alice-laptop").hasSize(2);
        EntryReader withShares = reader(one);
        shares(export, two, withShares);
        assertThat(actors(export, withShares)).containsOnly("alice-laptop");
        EntryReader alone = reader(one);
        shares(export, one, alone);
        assertThat(actors(export, alone)).as("one auditor's share twice").containsOnly("?");
    }

    private static void shares(byte[] export, AuditorKey key, EntryReader into) throws IOException {
        EntryReader own = reader(key);
        for (EntryRecord record : records(export, own)) {
            for (Share share : own.shares(record)) {
                into.add(Place.of(record.entry()), share);
            }
        }
    }

    @Test
    void committedFieldsAreToldWithheldAndPutBack() throws IOException {
        reopen(hiding(Set.of(), WHO, 1));
        put("a", "1");
        put("b", "2");
        byte[] full = export(Withholding.NOTHING);
        byte[] withheld = export(ACTORS);
        assertThat(text(full)).contains("alice-laptop");
        assertThat(text(withheld)).doesNotContain("alice-laptop").contains("key-a");
        assertThat(audit(withheld, reader()).getFirst().hidden())
                .isEqualTo(new AuditReport.Hidden(0, 0, 1));
        ByteArrayOutputStream openings = new ByteArrayOutputStream();
        assertThat(provenance().openings(Range.ALL, Selection.ALL.with(ACTORS), openings))
                .isEqualTo(2);
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        var read = OpeningsFile.read(new ByteArrayInputStream(openings.toByteArray()));
        ExportReader frames = new ExportReader(new ByteArrayInputStream(withheld));
        assertThat(new Reinstatement(read).copy(frames, again)).isEqualTo(2);
        assertThat(again.toByteArray()).isEqualTo(full);
    }

    private void hide(HiddenFields fields) throws IOException {
        store.settings().setHidden(BUCKET, Optional.of(fields));
    }

    private List<Field.Form> forms(String key) throws IOException {
        Entry last = entries(key).getLast();
        return List.of(last.principal().form(), last.details().get(Bytes.of("access-key")).form());
    }

    /** From the next entry on; the bucket's choice outlives a restart, and can be taken back. */
    @Test
    void aBucketSaysItselfWhatIsHidden() throws IOException {
        AuditorKey one = addAuditor("one");
        put("a", "plain");
        hide(new HiddenFields(Set.of(EntryField.PRINCIPAL), Set.of(EntryField.ACCESS_KEY)));
        put("a", "hidden");
        assertThat(forms("a")).containsExactly(Field.Form.ENCRYPTED, Field.Form.COMMITMENT);
        reopen(hiding(WHO, Set.of(), 1));
        put("a", "still");
        put("new", "also a new key");
        assertThat(forms("a")).containsExactly(Field.Form.ENCRYPTED, Field.Form.COMMITMENT);
        assertThat(forms("new")).containsExactly(Field.Form.ENCRYPTED, Field.Form.COMMITMENT);
        hide(HiddenFields.NONE);
        delete("a");
        assertThat(forms("a")).containsExactly(Field.Form.PLAIN, Field.Form.PLAIN);
        store.settings().setHidden(BUCKET, Optional.empty());
        put("a", "as all");
        assertThat(forms("a")).containsExactly(Field.Form.ENCRYPTED, Field.Form.ENCRYPTED);
        AuditReport report = audit(export(Withholding.NOTHING), reader(one)).getFirst();
        assertThat(report.hidden()).isEqualTo(new AuditReport.Hidden(5, 5, 0));
    }

    @Test
    void anotherBucketIsNotMeant() throws IOException {
        hide(new HiddenFields(Set.of(), WHO));
        BucketName other = new BucketName("other");
        assertThat(store.createBucket(ALICE, other).hidden()).isEmpty();
        assertThat(store.bucket(BUCKET).orElseThrow().hidden())
                .contains(new HiddenFields(Set.of(), WHO));
        refused(
                StoreException.Reason.NO_SUCH_BUCKET,
                () -> store.settings().setHidden(new BucketName("none"), Optional.empty()));
    }

    /** Equal texts have different commitments, and the same ones are not seen to be equal. */
    @Test
    void nothingIsHiddenTheSameWayTwice() throws IOException {
        reopen(hiding(EnumSet.of(EntryField.ACTOR), Set.of(EntryField.PRINCIPAL), 1));
        addAuditor("one");
        put("a", "1");
        put("a", "1");
        List<Entry> entries = entries("a");
        assertThat(entries.get(0).fields()).doesNotContainAnyElementsOf(hidden(entries.get(1)));
        assertThat(entries.get(0).slots()).doesNotContainAnyElementsOf(entries.get(1).slots());
    }

    private static List<Field> hidden(Entry entry) {
        List<Field> hidden = new ArrayList<>(entry.fields());
        hidden.removeIf(field -> field.form() == Field.Form.PLAIN);
        assertThat(hidden).hasSize(2);
        return hidden;
    }
}
