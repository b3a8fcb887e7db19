package io.volute.provenance.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A forger tries each thing at each place of a chain; the auditor, who knows the head from a
 * checkpoint, has to see every one. With {@code -Dforger.all=true} every bit is flipped, else one
 * of 1,999, and all bits of one record.
 */
@ParameterizedClass
@EnumSource
@Tag("slow")
class ForgeryTest {
    private static final int ENTRIES = 1_000;
    private static final long SEED = 11;
    private static final boolean IS_WHOLE = Boolean.getBoolean("forger.all");
    private static final int BIT_STEP = IS_WHOLE ? 1 : 499;

    private final Construction construction;
    private History history;
    private AuditTerms terms;
    private List<Bytes> honest;

    /** The audit of the first i records stands at i. */
    private final List<ChainAudit> standing = new ArrayList<>();

    ForgeryTest(Construction construction) {
        this.construction = construction;
    }

    @BeforeEach
    void honestChain() {
        history = new History("k", History.shape(construction), SEED).grow(ENTRIES);
        terms = AuditTerms.of(History.keys()).with(history.head());
        honest = history.records.stream().map(EntryRecord::encode).toList();
        ChainAudit audit = history.begin(terms);
        for (Bytes each : honest) {
            standing.add(audit.copy());
            audit.entry(each);
        }
        assertThat(audit.finish().findings()).as("the honest chain").isEmpty();
    }

    /** Nothing that a test did made the auditor refuse what is honest. */
    @AfterEach
    void canary() {
        assertThat(isSeen(0, List.of(), 0)).as("the honest chain").isFalse();
    }

    /** Goes on behind the first {@code from} honest records with these, then with honest ones. */
    private boolean isSeen(int from, List<Bytes> forged, int resume) {
        ChainAudit audit = standing.get(from).copy();
        forged.forEach(audit::entry);
        for (int i = resume; i < ENTRIES && audit.isClean(); i++) {
            audit.entry(honest.get(i));
        }
        return !audit.isClean() || !audit.finish().isClean();
    }

    @Test
    void seesEveryFlippedBit() {
        long flips = 0;
        int bit = 0;
        for (int at = 0; at < ENTRIES; at++) {
            byte[] record = honest.get(at).toArray();
            int step = at == 617 ? 1 : BIT_STEP;
            for (; bit < record.length * 8; bit += step) {
                record[bit >> 3] ^= (byte) (1 << (bit & 7));
                assertThat(isSeen(at, List.of(Bytes.of(record)), at + 1))
                        .as("entry %d, bit %d", at, bit)
                        .isTrue();
                record[bit >> 3] ^= (byte) (1 << (bit & 7));
                flips++;
            }
            bit -= record.length * 8;
        }
        assertThat(flips).isGreaterThan(8_000);
    }

    @Test
    void seesWhatIsMissing() {
        for (int at = 0; at < ENTRIES; at++) {
            for (int count = 1; at + count <= ENTRIES; count *= 2) {
                assertThat(isSeen(at, List.of(), at + count)).as("%d from %d", count, at).isTrue();
            }
            assertThat(isSeen(at, List.of(), ENTRIES)).as("cut at %d", at).isTrue();
        }
    }

    @Test
    void seesWhatIsRepeatedOrMoved() {
        Random random = new Random(SEED);
        for (int at = 0; at < ENTRIES; at++) {
            Bytes here = honest.get(at);
            assertThat(isSeen(at, List.of(here, here), at + 1)).as("twice %d", at).isTrue();
            int other = random.nextInt(ENTRIES);
            assertThat(isSeen(at, List.of(honest.get(other)), at + 1) || other == at)
                    .as("%d at %d", other, at)
                    .isTrue();
            assertThat(isSeen(at, List.of(honest.get(other)), at)).as("inserted %d", at).isTrue();
            if (at + 1 < ENTRIES) {
                assertThat(isSeen(at, List.of(honest.get(at + 1), here), at + 2))
                        .as("swapped %d", at)
                        .isTrue();
            }
        }
    }

    @Test
    void seesWhatIsSignedWithOtherKeys() {
        SigningKey mallory = Samples.key(SignatureAlgorithm.ED25519, "mallory");
        for (SigningKey key : List.of(mallory, History.OLD_STORE, History.BOB)) {
            Forger forger = new Forger(history, key);
            for (int at = 0; at < ENTRIES; at += 11) {
                Entry entry = history.records.get(at).entry();
                Entry changed = Forger.withContent(entry, Hash.ZERO);
                EntryRecord named = forger.signed(changed, history.records);
                EntryRecord unnamed = forger.signedAs(changed, history.records);
                forger.batches.forEach(each -> standing.getFirst().batch(each.encode()));
                forger.batches.clear();
                assertThat(isSeen(at, List.of(named.encode()), at + 1)).as("%d", at).isTrue();
                assertThat(isSeen(at, List.of(unnamed.encode()), at + 1)).as("%d", at).isTrue();
                assertThat(isSeen(at, List.of(named.encode()), at)).as("%d", at).isTrue();
            }
        }
    }

    /** Even the store's own key does not help behind a checkpoint, or before later entries. */
    @Test
    void seesWhatTheStoreItselfRewrites() {
        Forger forger = new Forger(history, History.STORE);
        for (int at = 0; at < ENTRIES; at += 3) {
            Entry entry = history.records.get(at).entry();
            Entry changed = Forger.withContent(entry, Hash.ZERO);
            EntryRecord record = forger.signed(changed, history.records);
            forger.batches.forEach(each -> standing.getFirst().batch(each.encode()));
            forger.batches.clear();
            assertThat(isSeen(at, List.of(record.encode()), at + 1)).as("%d", at).isTrue();
        }
    }

    @Test
    void seesEntriesOfOtherChains() {
        History other = new History("other", History.shape(construction), SEED).grow(ENTRIES);
        other.batches.forEach(each -> standing.getFirst().batch(each.encode()));
        for (int at = 0; at < ENTRIES; at++) {
            Bytes theirs = other.records.get(at).encode();
            assertThat(isSeen(at, List.of(theirs), at + 1)).as("%d", at).isTrue();
        }
        ChainIdentity elsewhere =
                new ChainIdentity(Samples.STORE, 8, "photos", history.identity.key());
        ChainAudit audit = new ChainAudit(elsewhere, terms);
        history.batches.forEach(each -> audit.batch(each.encode()));
        honest.forEach(audit::entry);
        assertThat(audit.finish().findings()).extracting(Finding::promise).contains(Promise.I6);
    }

    @Test
    void seesMixedEvidence() {
        for (int at = 0; at < ENTRIES; at++) {
            EntryRecord here = history.records.get(at);
            EntryRecord next = history.records.get((at + 1) % ENTRIES);
            List<EntryRecord> forged =
                    List.of(
                            new EntryRecord(
                                    here.encoded(),
                                    here.entry(),
                                    here.links(),
                                    next.path(),
                                    here.disclosure()),
                            new EntryRecord(
                                    here.encoded(),
                                    here.entry(),
                                    next.links(),
                                    here.path(),
                                    here.disclosure()),
                            Forger.exchanged(here, next.entry()),
                            Forger.exchanged(here, Forger.withContent(here.entry(), Hash.ZERO)),
                            Forger.exchanged(here, Forger.withPrincipal(here.entry(), "bob")));
            for (EntryRecord each : forged) {
                boolean isSame = each.encode().equals(honest.get(at));
                assertThat(isSame || isSeen(at, List.of(each.encode()), at + 1))
                        .as("%d: %s", at, forged.indexOf(each))
                        .isTrue();
            }
        }
    }
}
