package io.volute.provenance.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.Samples;
import io.volute.provenance.anchor.CheckpointAudit.Verdict;
import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.History;
import io.volute.provenance.audit.Promise;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CheckpointTest {
    private static final SigningKey NOTARY = Samples.key(SignatureAlgorithm.ED25519, "notary");
    private static final List<SigningKey> BOTH = List.of(History.STORE, History.POST_QUANTUM);

    private final KeyList keys;
    private final PrefixMap map =
            PrefixMap.EMPTY.with(Hash.ZERO, new ChainHead(3, Hash.ofHex("11".repeat(32))));

    CheckpointTest() throws RefusedException {
        KeyGrant notary =
                new KeyGrant(NOTARY.publicKey(), KeyRole.WITNESS, "notary", 0, KeyGrant.OPEN);
        keys = History.keys().with(notary, 5, List.of(History.STORE, History.POST_QUANTUM, NOTARY));
    }

    private Checkpoint sign(Optional<Checkpoint> before, long commit, List<SigningKey> signers) {
        return Checkpoint.sign(before, 7, commit, map.mapRoot(), keys, signers);
    }

    @Test
    void checkpointsFollowEachOther() throws RefusedException {
        CheckpointAudit audit = new CheckpointAudit(keys);
        Optional<Checkpoint> before = Optional.empty();
        for (int i = 0; i < 5; i++) {
            Checkpoint next = Checkpoint.sign(before, 7, 2_000 + i, map.mapRoot(), keys, BOTH);
            Checkpoint read = Checkpoint.decode(next.encode());
            assertThat(read).isEqualTo(next);
            assertThat(audit.next(read)).isEmpty();
            before = Optional.of(read);
        }
    }

    @Test
    void anotherPastIsSeen() {
        Checkpoint first = sign(Optional.empty(), 2_000, BOTH);
        Checkpoint forked = sign(Optional.empty(), 2_001, BOTH);
        Checkpoint afterFork = sign(Optional.of(forked), 2_002, BOTH);
        Checkpoint second = sign(Optional.of(first), 2_003, BOTH);
        Checkpoint third = sign(Optional.of(second), 1_999, BOTH);
        CheckpointAudit audit = new CheckpointAudit(keys, first);
        assertThat(audit.next(afterFork))
                .containsExactly("checkpoint 1 follows another checkpoint");
        assertThat(audit.next(forked)).contains("checkpoint 0 does not follow 0");
        assertThat(audit.next(second)).isEmpty();
        assertThat(audit.next(third)).containsExactly("checkpoint 2 goes back in time");
    }

    @Test
    void onlyTheStoreSignsAndOnlyWhileItsKeyIsValid() {
        CheckpointAudit audit = new CheckpointAudit(keys);
        for (SigningKey other : List.of(History.OLD_STORE, History.ALICE, NOTARY)) {
            List<SigningKey> signers = List.of(other, History.POST_QUANTUM);
            assertThat(audit.next(sign(Optional.empty(), 2_000, signers)))
                    .containsExactly("checkpoint 0 is not signed by " + other.id());
        }
        Checkpoint signed = sign(Optional.empty(), 2_000, BOTH);
        Checkpoint stripped =
                new Checkpoint(
                        signed.body(),
                        new io.volute.provenance.record.Signatures(
                                signed.signatures().bySigner().headMap(History.POST_QUANTUM.id())),
                        signed.witnesses());
        assertThat(audit.next(stripped)).hasSize(1);
        assertThat(audit.next(signed)).isEmpty();
    }

    @Test
    void witnessesCoSign() {
        Checkpoint checkpoint = sign(Optional.empty(), 2_000, BOTH);
        Checkpoint seen = checkpoint.witnessed(NOTARY).witnessed(History.BOB);
        CheckpointAudit audit = new CheckpointAudit(keys);
        assertThat(audit.next(seen)).isEmpty();
        assertThat(audit.witnesses(checkpoint)).isEmpty();
        assertThat(audit.witnesses(seen)).containsExactly("notary");
        assertThat(seen.hash()).isEqualTo(checkpoint.hash());
    }

    /** Under {@code both}, a forger who has the keys of Ed25519 makes no checkpoint. */
    @Test
    void everyAlgorithmInForceSigns() throws RefusedException {
        CheckpointAudit audit = new CheckpointAudit(keys);
        List<SigningKey> alone = List.of(History.STORE);
        assertThat(audit.next(sign(Optional.empty(), 2_000, alone)))
                .containsExactly("checkpoint 0 has no signer of ML_DSA_65, which was in force");
        // A list that is cut short has no key of ML-DSA-65: that has the third record.
        KeyList cut = KeyList.of(List.of(keys.record(0), keys.record(1)), keys.root());
        assertThat(audit.next(sign(cut, 2_000, alone)))
                .containsExactly("checkpoint 0 has 2 key records, not " + keys.size());
        assertThat(audit.next(sign(cut, 0, alone)))
                .containsExactly("checkpoint 0 has 2 key records, not 0");
        assertThat(audit.next(sign(keys, 5, BOTH)))
                .containsExactly("checkpoint 0 has 8 key records, not 7");
        // Once the key has ended, the other algorithm signs alone; what it signed stays good.
        Checkpoint before = sign(keys, 2_000, BOTH);
        KeyGrant ended = keys.find(History.POST_QUANTUM.id()).orElseThrow().until(2_001);
        KeyList longer = keys.with(ended, 2_000, BOTH);
        CheckpointAudit later = new CheckpointAudit(longer);
        assertThat(later.next(before)).isEmpty();
        Checkpoint after =
                Checkpoint.sign(Optional.of(before), 7, 2_001, map.mapRoot(), longer, alone);
        assertThat(later.next(after)).isEmpty();
    }

    private Checkpoint sign(KeyList of, long commit, List<SigningKey> signers) {
        return Checkpoint.sign(Optional.empty(), 7, commit, map.mapRoot(), of, signers);
    }

    /** Flips every bit, in a store without ML-DSA-65, whose signatures are long. */
    @Test
    void anyFlippedBitIsSeen() throws RefusedException {
        KeyGrant notary =
                new KeyGrant(NOTARY.publicKey(), KeyRole.WITNESS, "notary", 0, KeyGrant.OPEN);
        KeyList few =
                KeyList.begin(Samples.STORE, List.of(History.STORE), 0)
                        .with(notary, 5, List.of(History.STORE, NOTARY));
        CheckpointAudit audit = new CheckpointAudit(few);
        Checkpoint whole = sign(few, 2_000, List.of(History.STORE)).witnessed(NOTARY);
        assertThat(new CheckpointAudit(few).next(whole)).isEmpty();
        byte[] bytes = whole.encode().toArray();
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
            try {
                Checkpoint read = Checkpoint.decode(Bytes.of(bytes));
                boolean isWhole =
                        audit.next(read).isEmpty()
                                && audit.witnesses(read).equals(List.of("notary"));
                assertThat(isWhole).as("bit %d", bit).isFalse();
            } catch (RefusedException e) {
                assertThat(e).hasMessageContaining("checkpoint, at byte");
            }
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
    }

    /** A chain that was hidden, rolled back or rewritten by whoever has the store's key. */
    @Test
    void fixesChainsAgainstTheStoreItself() {
        History history = new History("k", History.shape(Construction.ONE_LINK), 1).grow(50);
        Hash chainId = history.identity.chainId();
        PrefixMap all = map.with(chainId, history.head());
        Checkpoint checkpoint =
                Checkpoint.sign(Optional.empty(), 7, 9_000, all.mapRoot(), keys, BOTH);
        Verdict verdict = CheckpointAudit.verdict(checkpoint, chainId, all.find(chainId));
        assertThat(verdict).isEqualTo(new Verdict.Head(history.head()));
        assertThat(CheckpointAudit.verdict(checkpoint, chainId, map.find(chainId)))
                .isEqualTo(new Verdict.Unproven());
        Hash never = Samples.identity("never").chainId();
        assertThat(CheckpointAudit.verdict(checkpoint, never, all.find(never)))
                .isEqualTo(new Verdict.Absent());

        AuditTerms terms = AuditTerms.of(keys).with(history.head());
        AuditReport cut = history.audit(terms, history.records.subList(0, 40));
        assertThat(cut.findings()).extracting(Finding::promise).containsExactly(Promise.I1);
        History rewritten = new History("k", History.shape(Construction.ONE_LINK), 2).grow(50);
        assertThat(rewritten.audit(AuditTerms.of(keys)).findings()).isEmpty();
        assertThat(rewritten.audit(terms).findings())
                .extracting(Finding::promise)
                .containsExactly(Promise.I4);
    }
}
