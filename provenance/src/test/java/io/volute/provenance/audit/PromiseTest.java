package io.volute.provenance.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.Samples;
import io.volute.provenance.chain.Event;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Opening;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.Signatures;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The promises of the paper one by one. As there, each entry is signed by another key, and all of
 * them may sign: those of Alice, Bob, Carol, Alice, Bob, Carol ... are keys of the store here.
 */
@ParameterizedClass
@EnumSource
class PromiseTest {
    private static final List<SigningKey> KEYS = List.of(History.ALICE, History.BOB, History.CAROL);
    private static final List<String> NAMES = List.of("alice", "bob", "carol");

    private static final SigningKey ALICES_OWN =
            Samples.key(SignatureAlgorithm.ED25519, "alice's own");

    private final AuditTerms terms = AuditTerms.of(keys());
    private final History history;
    private final List<EntryRecord> records;

    PromiseTest(Construction construction) {
        history = new History("deed", History.shape(construction), 21);
        for (int i = 0; i < 12; i++) {
            history.add(event(i), KEYS.get(i % 3));
        }
        records = new ArrayList<>(history.records);
    }

    private static KeyList keys() {
        try {
            KeyList list = KeyList.begin(Samples.STORE, List.of(History.OLD_STORE), 0);
            for (SigningKey key : List.of(KEYS.get(0), KEYS.get(1), KEYS.get(2), History.STORE)) {
                list = list.with(grant(key, KeyRole.STORE, ""), 0, List.of(History.OLD_STORE, key));
            }
            KeyGrant own = grant(ALICES_OWN, KeyRole.PRINCIPAL, "alice");
            list = list.with(own, 0, List.of(History.OLD_STORE));
            KeyGrant old = list.find(History.OLD_STORE.id()).orElseThrow();
            return list.with(old.until(History.ROTATED), 0, List.of(History.OLD_STORE));
        } catch (RefusedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyGrant grant(SigningKey key, KeyRole role, String owner) {
        return new KeyGrant(key.publicKey(), role, owner, 0, KeyGrant.OPEN);
    }

    private static Event event(int i) {
        Bytes version = Bytes.of("v" + i);
        Optional<Hash> content = Optional.of(Hash.ofContent(version.toArray()));
        String who = NAMES.get(i % 3);
        return Event.of(EventKind.WRITE, History.ROTATED + i, 1_000L * i, version, content, who);
    }

    private static void broken(AuditReport report, Promise promise, long sequence) {
        assertThat(report.findings())
                .anySatisfy(
                        each -> {
                            assertThat(each.promise()).isEqualTo(promise);
                            assertThat(each.sequence()).isEqualTo(sequence);
                        });
    }

    @Test
    void canary() {
        assertThat(history.audit(terms.with(history.head())).findings()).isEmpty();
    }

    @Test
    void i1NothingIsRemovedFromStartOrMiddle() {
        broken(history.audit(terms, records.subList(1, 12)), Promise.I1, 0);
        records.remove(6);
        AuditReport report = history.audit(terms, records);
        broken(report, Promise.I1, 6);
        assertThat(report.findings()).hasSize(1);
    }

    @Test
    void i1NothingIsRemovedFromTheEndOfWhatACheckpointHolds() {
        broken(history.audit(terms.with(history.head()), records.subList(0, 9)), Promise.I1, 9);
    }

    @Test
    void i2NothingIsAddedByOne() {
        Forger bob = new Forger(history, History.BOB);
        Entry own = records.get(4).entry();
        Entry more = Forger.withPlacement(own, moved(own, 5));
        records.add(5, bob.signed(more, records));
        AuditReport report = bob.audit(terms, records);
        broken(report, Promise.I2, 5);
    }

    /** At the end nothing contradicts it but the key itself. */
    @Test
    void i2NothingIsAddedWithAKeyThatEndedOrThatNobodyKnows() {
        history.add(event(12), History.OLD_STORE);
        assertThat(history.audit(terms).findings())
                .extracting(Finding::cause)
                .containsExactly(Cause.EXPIRED_KEY);
        history.add(event(13), Samples.key(SignatureAlgorithm.ED25519, "mallory"));
        broken(history.audit(terms), Promise.I2, 13);
        assertThat(history.audit(terms).findings())
                .extracting(Finding::cause)
                .containsExactly(Cause.EXPIRED_KEY, Cause.UNKNOWN_KEY);
    }

    @Test
    void i2NothingIsAltered() {
        EntryRecord here = records.get(5);
        records.set(5, Forger.exchanged(here, Forger.withContent(here.entry(), Hash.ZERO)));
        AuditReport report = history.audit(terms, records);
        broken(report, Promise.I2, 5);
        assertThat(report.findings()).allSatisfy(it -> assertThat(it.sequence()).isEqualTo(5));
        if (here.entry().placement().shape().construction() == Construction.ONE_LINK) {
            // Seen again at the distances 1, 2, 4; the kind's predecessor is at 1 as well.
            assertThat(report.contradicted()).containsEntry(5L, 4);
        }
    }

    @Test
    void i3TwoCannotAddAnEntryOfAThird() {
        Forger both = new Forger(history, History.ALICE, History.CAROL);
        Entry bobs = records.get(4).entry();
        EntryRecord signedAsBob =
                both.signedAs(Forger.withContent(bobs, Hash.ZERO), records.subList(0, 4));
        records.set(4, signedAsBob);
        broken(both.audit(terms, records), Promise.I5, 4);

        Forger alone = new Forger(history, ALICES_OWN);
        records.set(4, alone.signed(Forger.withContent(bobs, Hash.ZERO), records.subList(0, 4)));
        broken(alone.audit(terms, records), Promise.I3, 4);
    }

    /** A principal signs statements. Only the store signs entries, theirs too. */
    @Test
    void i2PrincipalsAddNothingInTheirOwnName() {
        history.add(event(12), ALICES_OWN);
        assertThat(history.audit(terms).findings())
                .extracting(Finding::cause)
                .containsExactly(Cause.NOT_OF_STORE);
    }

    @Test
    void i3NobodyIsMadeToSayWhatHeDidNotSign() {
        Event event = event(12);
        Event attested = history.attested(event, ALICES_OWN, Bytes.of("0123456789abcdef"));
        Event other =
                Event.of(
                                EventKind.WRITE,
                                event.commitSequence(),
                                0,
                                event.versionId(),
                                Optional.of(Hash.ZERO),
                                "alice")
                        .with(attested.attestation().orElseThrow());
        history.add(attested, History.STORE);
        assertThat(history.audit(terms).findings()).isEmpty();
        history.add(other, History.STORE);
        broken(history.audit(terms), Promise.I3, 13);
        assertThat(history.audit(terms).findings())
                .extracting(Finding::cause)
                .containsExactly(Cause.BAD_ATTESTATION, Cause.REPEATED_ATTESTATION);
    }

    /** Bob and Alice are the neighbours of Carol's entry 5; Carol and others come later. */
    @Test
    void i4TwoCannotRemoveWhatIsBetweenThem() {
        Forger both = new Forger(history, History.BOB);
        Forger alice = new Forger(history, History.ALICE);
        Entry last = records.get(6).entry();
        List<EntryRecord> before = records.subList(0, 5);
        EntryRecord closer =
                alice.signed(Forger.withPlacement(last, moved(last, 5)), List.copyOf(before));
        List<EntryRecord> forged = new ArrayList<>(before);
        forged.add(closer);
        forged.addAll(records.subList(7, 12));
        AuditReport report = alice.audit(terms, forged);
        broken(report, Promise.I4, 5);
        broken(report, Promise.I1, 6);
        assertThat(both.batches).isEmpty();
    }

    /** They fill the gap with an entry of their own, so that no number is missing. */
    @Test
    void i4TwoCannotReplaceWhatIsBetweenThem() {
        Forger bob = new Forger(history, History.BOB);
        Forger alice = new Forger(history, History.ALICE);
        List<EntryRecord> forged = new ArrayList<>(records.subList(0, 5));
        Entry filler = Forger.withPrincipal(records.get(5).entry(), "bob");
        forged.add(bob.signed(filler, forged));
        forged.add(alice.signed(records.get(6).entry(), forged));
        forged.addAll(records.subList(7, 12));
        alice.batches.addAll(bob.batches);
        AuditReport report = alice.audit(terms, forged);
        boolean isNamed =
                report.findings().stream()
                        .anyMatch(it -> it.promise() == Promise.I4 && it.sequence() == 6);
        assertThat(isNamed).isTrue();
        assertThat(report.findings()).allSatisfy(it -> assertThat(it.sequence()).isBetween(5L, 6L));
    }

    @Test
    void i5NobodyCanDenyWhatHeSigned() {
        BatchRecord batch = history.batches.get(5);
        history.batches.set(
                5, new BatchRecord(batch.storeId(), batch.leaves(), batch.root(), Signatures.NONE));
        broken(history.audit(terms), Promise.I5, 5);
        byte[] changed = batch.signatures().bySigner().firstEntry().getValue().toArray();
        changed[10] ^= 4;
        history.batches.set(
                5,
                new BatchRecord(
                        batch.storeId(),
                        batch.leaves(),
                        batch.root(),
                        Signatures.NONE.with(History.CAROL.id(), Bytes.of(changed))));
        broken(history.audit(terms), Promise.I5, 5);
    }

    @Test
    void i6AChainIsOfOneKey() {
        ChainAudit audit = new ChainAudit(Samples.identity("will"), terms);
        history.batches.forEach(each -> audit.batch(each.encode()));
        records.forEach(each -> audit.entry(each.encode()));
        AuditReport report = audit.finish();
        broken(report, Promise.I6, 0);
        assertThat(report.findings()).hasSize(12);
    }

    @Test
    void i7ContentDoesNotChangeByItself() {
        Contents honest = (version, parts) -> Optional.of(Hash.ofContent(version.toArray()));
        assertThat(history.audit(terms.with(honest)).findings()).isEmpty();
        Contents changed =
                (version, parts) ->
                        version.equals(Bytes.of("v7"))
                                ? Optional.of(Hash.ZERO)
                                : honest.hashOf(version, parts);
        AuditReport report = history.audit(terms.with(changed));
        broken(report, Promise.I7, 7);
        assertThat(report.findings()).hasSize(1);
    }

    @Test
    void c1AndC2WhatOpensIsWhatWasFixed() {
        Random random = new Random(3);
        Opening reason = new Opening(Samples.bytes(random, 32), Bytes.of("asked by the police"));
        Bytes slot = Samples.bytes(random, 60);
        TreeMap<Bytes, io.volute.provenance.record.Field> details = new TreeMap<>();
        details.put(Bytes.of("reason"), reason.field());
        TreeMap<Integer, Opening> openings = new TreeMap<>(java.util.Map.of(1, reason));
        TreeMap<Integer, Bytes> slots = new TreeMap<>(java.util.Map.of(0, slot));
        Event event = event(12);
        EntryRecord told =
                history.add(
                        event.with(
                                event.principal(),
                                details,
                                List.of(Domain.SLOT.hash(slot)),
                                new Disclosure(openings, slots)),
                        History.ALICE);
        assertThat(history.audit(terms).findings()).isEmpty();

        // Handed on without them, and put back.
        EntryRecord silent = told.with(told.disclosure().narrowed(it -> false, it -> false));
        assertThat(silent.encode().length()).isLessThan(told.encode().length());
        history.records.set(12, silent);
        assertThat(history.audit(terms.with(history.head())).findings()).isEmpty();

        openings.put(1, new Opening(reason.r(), Bytes.of("asked by nobody")));
        history.records.set(12, told.with(new Disclosure(openings, new TreeMap<>())));
        broken(history.audit(terms), Promise.C2, 12);
        slots.put(0, Samples.bytes(random, 60));
        history.records.set(12, told.with(new Disclosure(new TreeMap<>(), slots)));
        broken(history.audit(terms), Promise.C1, 12);
    }

    private static Entry.Placement moved(Entry entry, long sequence) {
        Entry.Placement old = entry.placement();
        return new Entry.Placement(
                old.shape(),
                old.chainId(),
                sequence,
                old.commitSequence(),
                old.timeMillis(),
                OptionalLong.of(sequence - 1));
    }
}
