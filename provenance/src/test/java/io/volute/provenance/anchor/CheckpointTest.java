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
        keys = History.keys().with(notary, 5, List.of(History.STORE, NOTARY));
    }

    private Checkpoint sign(Optional<Checkpoint> before, long commit, SigningKey... signers) {
        return Checkpoint.sign(before, 7, commit, map.mapRoot(), keys, List.of(signers));
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
        Checkpoint first = sign(Optional.empty(), 2_000, History.STORE);
        Checkpoint forked = sign(Optional.empty(), 2_001, History.STORE);
        Checkpoint afterFork = sign(Optional.of(forked), 2_002, History.STORE);
        Checkpoint second = sign(Optional.of(first), 2_003, History.STORE);
        Checkpoint third = sign(Optional.of(second), 1_999, History.STORE);
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
        assertThat(audit.next(sign(Optional.empty(), 2_000, History.OLD_STORE))).hasSize(1);
        assertThat(audit.next(sign(Optional.empty(), 2_000, History.ALICE))).hasSize(1);
        assertThat(audit.next(sign(Optional.empty(), 2_000, NOTARY))).hasSize(1);
        Checkpoint signed = sign(Optional.empty(), 2_000, History.STORE, History.POST_QUANTUM);
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
        Checkpoint checkpoint = sign(Optional.empty(), 2_000, History.STORE);
        Checkpoint seen = checkpoint.witnessed(NOTARY).witnessed(History.BOB);
        CheckpointAudit audit = new CheckpointAudit(keys);
        assertThat(audit.next(seen)).isEmpty();
        assertThat(audit.witnesses(checkpoint)).isEmpty();
        assertThat(audit.witnesses(seen)).containsExactly("notary");
        assertThat(seen.hash()).isEqualTo(checkpoint.hash());
    }

    @Test
    void anyFlippedBitIsSeen() {
        CheckpointAudit audit = new CheckpointAudit(keys);
        byte[] bytes =
                sign(Optional.empty(), 2_000, History.STORE).witnessed(NOTARY).encode().toArray();
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
                Checkpoint.sign(
                        Optional.empty(), 7, 9_000, all.mapRoot(), keys, List.of(History.STORE));
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
