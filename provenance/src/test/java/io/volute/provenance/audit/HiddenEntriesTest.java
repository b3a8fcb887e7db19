package io.volute.provenance.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.Samples;
import io.volute.provenance.chain.Event;
import io.volute.provenance.chain.ExportReader;
import io.volute.provenance.chain.ExportWriter;
import io.volute.provenance.chain.OpeningsFile;
import io.volute.provenance.chain.Reinstatement;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Opening;
import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.provenance.secrecy.AuditorKey;
import io.volute.provenance.secrecy.EntryReader;
import io.volute.provenance.secrecy.KeySlot;
import io.volute.provenance.secrecy.Place;
import io.volute.provenance.secrecy.SessionKey;
import io.volute.provenance.secrecy.SharedTree;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Entries of which parts are encrypted or withheld: verified by all, read by some (C1, C2). */
class HiddenEntriesTest {
    private static final Bytes ACTOR = Bytes.of("actor");
    private static final Bytes REASON = Bytes.of("reason");
    private static final String CANARY = "canary-e93b";
    private static final Withholding REASONS = new Withholding(Set.of("reason"), false);

    private final SecureRandom random = new SecureRandom();
    private final AuditorKey auditor = AuditorKey.generate(random);
    private final SharedTree tree =
            SharedTree.plant(
                    List.of(auditor.publicKey(), AuditorKey.generate(random).publicKey()), random);
    private final History history =
            new History("k", History.shape(Construction.LINK_PER_DIMENSION), 5);

    /** The actor encrypted, the reason committed to. */
    private Event hidden(SessionKey key, String actor) {
        TreeMap<Bytes, Field> details = new TreeMap<>();
        details.put(ACTOR, key.encrypt(SessionKey.detail("actor"), Bytes.of(actor)));
        Opening opening = new Opening(bytes(32), Bytes.of("reason " + CANARY));
        details.put(REASON, opening.field());
        List<KeySlot> slots = tree.wrap(key, random);
        return history.event(EventKind.WRITE)
                .with(
                        Field.plain("alice"),
                        details,
                        slots.stream().map(KeySlot::hash).toList(),
                        new Disclosure(
                                new TreeMap<>(Map.of(2, opening)),
                                new TreeMap<>(Map.of(0, slots.getFirst().encode()))));
    }

    private Bytes bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private SessionKey nextKey() {
        Place here = new Place(history.identity.chainId(), history.builder.nextSequence());
        return SessionKey.generate(here, random);
    }

    private void grow(int entries) {
        for (int i = 0; i < entries; i++) {
            history.add(hidden(nextKey(), CANARY + i), History.STORE);
        }
    }

    private EntryReader reader(AuditorKey... keys) {
        EntryReader reader = new EntryReader(List.of(keys));
        reader.learn(tree);
        return reader;
    }

    private AuditTerms terms() {
        return AuditTerms.of(History.keys()).with(history.head());
    }

    private byte[] export(Withholding withheld) throws IOException {
        return export(withheld, Optional.of(tree));
    }

    private byte[] export(Withholding withheld, Optional<SharedTree> exported) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        ExportWriter writer = new ExportWriter(file);
        writer.chain(history.identity);
        for (var batch : history.batches) {
            writer.batch(batch);
        }
        if (exported.isPresent()) {
            writer.tree(exported.get());
        }
        for (EntryRecord record : history.records) {
            writer.entry(withheld.applyTo(record));
        }
        writer.end();
        return file.toByteArray();
    }

    private AuditReport audit(byte[] export, AuditTerms terms) throws IOException {
        List<AuditReport> reports = new ArrayList<>();
        ExportAudit.Outcome outcome =
                new ExportAudit(chain -> terms, reports::add)
                        .read(new ByteArrayInputStream(export));
        assertThat(outcome).isEqualTo(new ExportAudit.Outcome.Complete(1));
        return reports.getFirst();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Anybody finds it, not only an auditor who cannot read then. */
    @Test
    void aChangedHandoverAndAMissingTreeAreFound() throws IOException {
        grow(2);
        assertThat(audit(export(REASONS, Optional.empty()), terms()).findings())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.promise()).isEqualTo(Promise.C1));
        byte[] bytes = tree.encode().toArray();
        bytes[bytes.length - 1] ^= 1;
        SharedTree changed = SharedTree.decode(Bytes.of(bytes));
        assertThat(audit(export(REASONS, Optional.of(changed)), terms()).findings()).hasSize(2);
        assertThat(audit(export(new Withholding(Set.of(), true), Optional.empty()), terms()))
                .satisfies(each -> assertThat(each.findings()).isEmpty());
    }

    @Test
    void allVerifyAndOnlyTheAuditorReads() throws IOException {
        grow(5);
        byte[] export = export(REASONS);
        assertThat(text(export)).doesNotContain(CANARY);
        AuditReport anybody = audit(export, terms());
        assertThat(anybody.findings()).isEmpty();
        assertThat(anybody.hidden()).isEqualTo(new AuditReport.Hidden(5, 0, 5));
        // The reader learns of the tree from the export.
        AuditReport read = audit(export, terms().with(new EntryReader(List.of(auditor))));
        assertThat(read.findings()).isEmpty();
        assertThat(read.hidden()).isEqualTo(new AuditReport.Hidden(5, 5, 5));
        AuditReport stranger = audit(export, terms().with(reader(AuditorKey.generate(random))));
        assertThat(stranger.hidden().read()).isZero();
        assertThat(reader(auditor).read(history.records.get(3)).text(1))
                .contains(Bytes.of(CANARY + 3));
    }

    @Test
    void treesOfChainsThatArePassedOverAreKnown() throws IOException {
        grow(2);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        ExportWriter writer = new ExportWriter(file);
        writer.chain(Samples.identity("before"));
        for (var batch : history.batches) {
            writer.batch(batch);
        }
        writer.tree(tree);
        writer.end();
        writer.chain(history.identity);
        for (EntryRecord record : history.records) {
            writer.entry(record);
        }
        writer.end();
        List<AuditReport> reports = new ArrayList<>();
        AuditTerms terms = terms().with(new EntryReader(List.of(auditor)));
        int[] chains = new int[1];
        ExportAudit.Outcome unused =
                ExportAudit.ofSome(
                                chain ->
                                        chains[0]++ == 0
                                                ? java.util.Optional.empty()
                                                : java.util.Optional.of(terms),
                                reports::add)
                        .read(new ByteArrayInputStream(file.toByteArray()));
        assertThat(reports).hasSize(1);
        assertThat(reports.getFirst().hidden().read()).isEqualTo(2);
        assertThat(reports.getFirst().findings()).isEmpty();
    }

    @Test
    void ciphertextsAndSlotsOfAnotherEntryAreFound() throws RefusedException {
        grow(4);
        EntryRecord first = history.records.get(1);
        EntryRecord second = history.records.get(2);
        List<EntryRecord> swapped = new ArrayList<>(history.records);
        swapped.set(1, first.with(second.disclosure()));
        assertThat(history.audit(terms(), swapped).findings())
                .extracting(Finding::cause)
                .containsExactlyInAnyOrder(Cause.BAD_KEY_MATERIAL, Cause.BAD_OPENING);
        // The ciphertext stands in the signed bytes: exchanging it is changing the entry.
        byte[] encoded = first.encode().toArray();
        byte[] own = first.entry().details().get(ACTOR).value().toArray();
        byte[] other = second.entry().details().get(ACTOR).value().toArray();
        int at = text(encoded).indexOf(text(own));
        System.arraycopy(other, 0, encoded, at, other.length);
        swapped.set(1, EntryRecord.decode(Bytes.of(encoded)));
        assertThat(history.audit(terms(), swapped).findings())
                .extracting(Finding::promise)
                .contains(Promise.I2);
    }

    /** The store itself signs what it encrypted elsewhere: only an auditor with a key can tell. */
    @Test
    void whatTheStoreSignedAndDoesNotOpenIsFoundByItsAuditor() {
        grow(2);
        SessionKey elsewhere =
                SessionKey.generate(new Place(history.identity.chainId(), 0), random);
        history.add(hidden(elsewhere, "mallory"), History.STORE);
        assertThat(history.audit(terms()).findings()).isEmpty();
        AuditReport read = history.audit(terms().with(reader(auditor)));
        assertThat(read.findings())
                .extracting(Finding::toString)
                .containsExactly(
                        "entry 2: C1 broken, key material was exchanged: slot 0 does not open");
    }

    @Test
    void anAttestationInAnotherNameIsFoundByWhoReadsTheName() {
        SessionKey key = nextKey();
        List<KeySlot> slots = tree.wrap(key, random);
        Event event = history.attested(history.event(EventKind.DELETE), History.BOB, bytes(16));
        history.add(
                event.with(
                        key.encrypt(SessionKey.PRINCIPAL, Bytes.of("alice")),
                        new TreeMap<>(),
                        slots.stream().map(KeySlot::hash).toList(),
                        new Disclosure(
                                new TreeMap<>(),
                                new TreeMap<>(Map.of(0, slots.getFirst().encode())))),
                History.STORE);
        assertThat(history.audit(terms()).findings()).isEmpty();
        assertThat(history.audit(terms().with(reader(auditor))).findings())
                .extracting(Finding::cause)
                .containsExactly(Cause.FOREIGN_NAME);
    }

    @Test
    void withheldTextsComeBackAsTheyWereOrNotAtAll() throws IOException {
        grow(3);
        byte[] full = export(Withholding.NOTHING);
        byte[] withheld = export(REASONS);
        assertThat(text(full)).contains("reason " + CANARY);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        OpeningsFile openings = new OpeningsFile(file);
        for (EntryRecord record : history.records) {
            for (Map.Entry<Integer, Opening> each : REASONS.openings(record).entrySet()) {
                openings.add(OpeningsFile.Of.entry(record.entry()), each.getKey(), each.getValue());
            }
        }
        assertThat(reinstated(withheld, file.toByteArray())).isEqualTo(full);

        byte[] altered = file.toByteArray();
        altered[altered.length - 1] ^= 1;
        assertThatThrownBy(() -> reinstated(withheld, altered))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("entry 2 of chain")
                .hasMessageContaining("does not match its commitment");
        byte[] cut = java.util.Arrays.copyOf(altered, altered.length - 3);
        assertThatThrownBy(() -> reinstated(withheld, cut)).isInstanceOf(RefusedException.class);
    }

    private static byte[] reinstated(byte[] export, byte[] openings) throws IOException {
        Map<OpeningsFile.Of, SortedMap<Integer, Opening>> read =
                OpeningsFile.read(new ByteArrayInputStream(openings));
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        ExportReader reader = new ExportReader(new ByteArrayInputStream(export));
        assertThat(new Reinstatement(read).copy(reader, target)).isEqualTo(3);
        return target.toByteArray();
    }

    @Test
    void withoutSlotsNobodyReadsAndAllVerify() throws IOException {
        grow(2);
        byte[] export = export(new Withholding(Set.of(), true));
        AuditReport report = audit(export, terms().with(reader(auditor)));
        assertThat(report.findings()).isEmpty();
        assertThat(report.hidden()).isEqualTo(new AuditReport.Hidden(2, 0, 0));
        assertThat(new Withholding(Set.of("principal"), false).isInVain(history.records.get(0)))
                .isTrue();
        assertThat(REASONS.isInVain(history.records.get(0))).isFalse();
    }
}
