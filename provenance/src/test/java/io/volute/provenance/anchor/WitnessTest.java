package io.volute.provenance.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.Samples;
import io.volute.provenance.anchor.Witness.Outcome;
import io.volute.provenance.anchor.Witness.Reason;
import io.volute.provenance.audit.History;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.SignatureAlgorithm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A witness co-signs what descends from what it co-signed last, and nothing else. */
class WitnessTest {
    private static final SigningKey NOTARY = Samples.key(SignatureAlgorithm.ED25519, "notary");
    private static final KeyList KEYS = History.keys();
    private static final PrefixMap MAP =
            PrefixMap.EMPTY.with(Hash.ZERO, new ChainHead(3, Hash.ofHex("11".repeat(32))));

    private final List<Checkpoint> honest = chain(Optional.empty(), 6, 2_000);

    private static List<Checkpoint> chain(Optional<Checkpoint> before, int count, long commit) {
        List<Checkpoint> chain = new ArrayList<>();
        Optional<Checkpoint> last = before;
        for (int i = 0; i < count; i++) {
            last = Optional.of(sign(last, commit + i, KEYS, History.STORE));
            chain.add(last.get());
        }
        return chain;
    }

    private static Checkpoint sign(
            Optional<Checkpoint> before, long commit, KeyList keys, SigningKey key) {
        return Checkpoint.sign(before, 7, commit, MAP.mapRoot(), keys, withPostQuantum(key, keys));
    }

    private static List<SigningKey> withPostQuantum(SigningKey key, KeyList keys) {
        boolean isInForce = keys.find(History.POST_QUANTUM.id()).isPresent();
        return isInForce ? List.of(key, History.POST_QUANTUM) : List.of(key);
    }

    private Outcome look(int last, Checkpoint next, List<Checkpoint> between) throws IOException {
        return new Witness(KEYS, NOTARY, Optional.of(honest.get(last)))
                .look(
                        next,
                        number ->
                                between.stream()
                                        .filter(each -> each.body().number() == number)
                                        .findFirst());
    }

    private static void refused(Outcome outcome, Reason reason, String text) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        refused -> {
                            assertThat(refused.reason()).as(refused.text()).isEqualTo(reason);
                            assertThat(refused.text()).contains(text);
                        });
    }

    private static CoSignature signed(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Signed.class);
        return ((Outcome.Signed) outcome).coSignature();
    }

    @Test
    void signsWhatDescendsFromTheLast() throws IOException {
        Checkpoint first = honest.getFirst();
        Outcome begun =
                new Witness(KEYS, NOTARY, Optional.empty()).look(first, none -> Optional.empty());
        assertThat(signed(begun).wrong(first, NOTARY.publicKey())).isEmpty();
        assertThat(((Outcome.Signed) begun).last()).isEqualTo(first.witnessed(NOTARY));
        for (int next = 1; next < 6; next++) {
            Checkpoint goal = honest.get(next);
            CoSignature given = signed(look(1, goal, honest));
            assertThat(given).isEqualTo(CoSignature.of(goal, NOTARY));
            assertThat(CoSignature.decode(given.encode())).isEqualTo(given);
            assertThat(CoSignature.within(goal.witnessed(NOTARY), NOTARY.id())).contains(given);
        }
    }

    @Test
    void refusesWhatTheStoreDidNotSign() throws IOException {
        Optional<Checkpoint> before = Optional.of(honest.get(1));
        for (SigningKey other : List.of(History.OLD_STORE, History.ALICE, NOTARY)) {
            refused(look(1, sign(before, 3_000, KEYS, other), honest), Reason.FORGED, "forged");
        }
        // One in between counts as well.
        List<Checkpoint> among = new ArrayList<>(honest);
        among.set(2, sign(before, 2_002, KEYS, History.ALICE));
        refused(look(1, honest.get(3), among), Reason.FORGED, "checkpoint 2 is not signed by");
    }

    @Test
    void refusesWhatIsOlder() throws IOException {
        refused(look(4, honest.get(3), honest), Reason.REPLAYED, "put back to an older state");
        assertThat(signed(look(4, honest.get(4), honest)).number()).isEqualTo(4);
    }

    @Test
    void refusesForks() throws IOException {
        List<Checkpoint> fork = chain(Optional.of(honest.get(1)), 4, 2_500);
        refused(look(3, fork.get(1), fork), Reason.FORKED, "is another one than the checkpoint");
        refused(look(3, fork.get(2), fork), Reason.FORKED, "checkpoint 4 follows another");
        refused(look(2, fork.get(3), fork), Reason.FORKED, "checkpoint 3 follows another");
        Checkpoint earlier = sign(Optional.of(honest.get(5)), 1_999, KEYS, History.STORE);
        refused(look(5, earlier, honest), Reason.FORKED, "goes back in time");
        Checkpoint leap = chain(Optional.of(honest.get(4)), 1, 2_500).getFirst();
        refused(look(2, leap, honest.subList(0, 4)), Reason.INCOMPLETE, "checkpoint 4 is missing");
    }

    @Test
    void refusesAKeyListThatIsNotTheOneOfThen() throws IOException {
        KeyGrant notary =
                new KeyGrant(NOTARY.publicKey(), KeyRole.WITNESS, "notary", 0, KeyGrant.OPEN);
        KeyList one =
                KEYS.with(notary, 3_000, List.of(History.STORE, History.POST_QUANTUM, NOTARY));
        KeyList other =
                KEYS.with(notary, 3_001, List.of(History.STORE, History.POST_QUANTUM, NOTARY));
        Checkpoint last = sign(Optional.of(honest.get(5)), 3_001, one, History.STORE);
        Checkpoint next = sign(Optional.of(last), 3_002, other, History.STORE);
        refused(
                new Witness(other, NOTARY, Optional.of(last)).look(next, none -> Optional.empty()),
                Reason.FORKED,
                "key list");
    }

    @Test
    void refusesAnotherStore() throws IOException {
        Bytes storeId = Bytes.of(new byte[16]);
        KeyList keys = KeyList.begin(storeId, List.of(History.STORE), 0);
        Checkpoint next = sign(Optional.empty(), 10, keys, History.STORE);
        refused(
                new Witness(keys, NOTARY, Optional.of(honest.get(0)))
                        .look(next, none -> Optional.empty()),
                Reason.OTHER_STORE,
                "another store");
    }

    @Test
    void coSignaturesAreOfOneCheckpointByOneKey() {
        Checkpoint it = honest.get(3);
        CoSignature good = CoSignature.of(it, NOTARY);
        assertThat(good.wrong(it, NOTARY.publicKey())).isEmpty();
        assertThat(good.wrong(it, History.BOB.publicKey()).orElseThrow()).contains("another key");
        assertThat(good.wrong(honest.get(4), NOTARY.publicKey()).orElseThrow())
                .contains("is of checkpoint 3, not 4");
        Checkpoint fork = chain(Optional.of(honest.get(2)), 1, 2_500).getFirst();
        assertThat(good.wrong(fork, NOTARY.publicKey()).orElseThrow()).contains("was forked");
        CoSignature claimed =
                new CoSignature(good.storeId(), 3, fork.hash(), good.signer(), good.signature());
        assertThat(claimed.wrong(fork, NOTARY.publicKey()).orElseThrow()).contains("forged");
    }

    @Test
    void anyFlippedBitAndAnyCutIsSeen() throws RefusedException {
        Checkpoint it = honest.get(3);
        byte[] bytes = CoSignature.of(it, NOTARY).encode().toArray();
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
            assertThat(isGood(it, bytes)).as("bit %d", bit).isFalse();
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
        assertThat(isGood(it, bytes)).isTrue();
        for (int length = 0; length < bytes.length; length++) {
            Bytes cut = Bytes.of(Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> CoSignature.decode(cut))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("co-signature, at byte");
        }
    }

    private static boolean isGood(Checkpoint it, byte[] bytes) {
        try {
            return CoSignature.decode(Bytes.of(bytes)).wrong(it, NOTARY.publicKey()).isEmpty();
        } catch (RefusedException e) {
            return false;
        }
    }
}
