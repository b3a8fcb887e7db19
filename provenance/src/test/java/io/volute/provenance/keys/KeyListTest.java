package io.volute.provenance.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.Samples;
import io.volute.provenance.audit.History;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.SignatureAlgorithm;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyListTest {
    private static final SigningKey FIRST = Samples.key(SignatureAlgorithm.ED25519, "first");
    private static final SigningKey SECOND = Samples.key(SignatureAlgorithm.ML_DSA_65, "second");
    private static final SigningKey ALICE = Samples.key(SignatureAlgorithm.ED25519, "alice");

    private final KeyList begun = KeyList.begin(Samples.STORE, List.of(FIRST), 1);

    private static KeyGrant grant(SigningKey key, KeyRole role, String owner, long from) {
        return new KeyGrant(key.publicKey(), role, owner, from, KeyGrant.OPEN);
    }

    private KeyList rotated() throws RefusedException {
        KeyGrant second = grant(SECOND, KeyRole.STORE, "", 100);
        KeyGrant ended = begun.find(FIRST.id()).orElseThrow().until(100);
        return begun.with(second, 99, List.of(FIRST, SECOND))
                .with(ended, 99, List.of(FIRST))
                .with(grant(ALICE, KeyRole.PRINCIPAL, "alice", 5), 120, List.of(SECOND));
    }

    @Test
    void keysAreSignedInByKeysBeforeThem() throws RefusedException {
        KeyList read = KeyList.read(rotated().encode(), FIRST.id());
        assertThat(read.size()).isEqualTo(4);
        KeyGrant first = read.find(FIRST.id()).orElseThrow();
        assertThat(first.isValidAt(99)).isTrue();
        assertThat(first.isValidAt(100)).isFalse();
        assertThat(read.find(SECOND.id()).orElseThrow().isValidAt(100)).isTrue();
        assertThat(read.find(ALICE.id()).orElseThrow().owner()).isEqualTo("alice");
        assertThat(read.encode()).isEqualTo(rotated().encode());
    }

    @Test
    void aKeyThatEndedSignsNobodyIn() throws RefusedException {
        KeyList list = rotated();
        KeyGrant late =
                grant(Samples.key(SignatureAlgorithm.ED25519, "late"), KeyRole.STORE, "", 130);
        assertThatThrownBy(() -> list.with(late, 130, List.of(FIRST)))
                .hasMessage("key record 4 is signed by no valid key of the store");
        assertThatThrownBy(() -> list.with(late, 98, List.of(FIRST)))
                .hasMessage("key record 4 goes back in time");
        assertThatThrownBy(() -> list.with(late, 130, List.of(ALICE)))
                .hasMessage("key record 4 is signed by no valid key of the store");
        assertThatThrownBy(() -> list.with(late, 130, List.of(SECOND)))
                .hasMessage("key record 4 lacks its own signature");
    }

    @Test
    void aKeyComesBackNeitherLongerNorWithAnotherOwner() throws RefusedException {
        KeyList list = rotated();
        KeyGrant alice = grant(ALICE, KeyRole.PRINCIPAL, "bob", 5);
        assertThatThrownBy(() -> list.with(alice, 130, List.of(SECOND)))
                .hasMessage("key record 4 changes more of a key than its end");
        KeyGrant again = list.find(FIRST.id()).orElseThrow().until(KeyGrant.OPEN);
        assertThatThrownBy(() -> list.with(again, 130, List.of(SECOND)))
                .hasMessage("key record 4 changes more of a key than its end");
    }

    /** Returns a key as a forger would add it who has the private key of Ed25519 alone. */
    private static KeyGrant forged(long from) {
        return grant(Samples.key(SignatureAlgorithm.ED25519, "mallory"), KeyRole.STORE, "", from);
    }

    @Test
    void everyAlgorithmInForceSigns() throws RefusedException {
        SigningKey mallory = Samples.key(SignatureAlgorithm.ED25519, "mallory");
        KeyList both = KeyList.begin(Samples.STORE, List.of(FIRST, SECOND), 1);
        assertThatThrownBy(() -> both.with(forged(100), 99, List.of(FIRST, mallory)))
                .hasMessage("key record 2 is not signed by every algorithm in force");
        KeyGrant ended = both.find(SECOND.id()).orElseThrow().until(100);
        assertThatThrownBy(() -> both.with(ended, 99, List.of(FIRST)))
                .hasMessage("key record 2 is not signed by every algorithm in force");
        KeyList longer = both.with(ended, 99, List.of(FIRST, SECOND));
        assertThat(longer.with(forged(101), 100, List.of(FIRST, mallory)).size()).isEqualTo(4);
        assertThat(KeyList.read(longer.encode(), both.root()).size()).isEqualTo(3);
    }

    @Test
    void theIdentityOfAListIsOfAllItsFirstKeys() throws RefusedException {
        KeyList both = KeyList.begin(Samples.STORE, List.of(FIRST, SECOND), 1);
        SigningKey other = Samples.key(SignatureAlgorithm.ML_DSA_65, "mallory");
        KeyList forged = KeyList.begin(Samples.STORE, List.of(FIRST, other), 1);
        assertThat(begun.root()).isEqualTo(FIRST.id());
        for (KeyList each : List.of(forged, begun)) {
            assertThatThrownBy(() -> KeyList.read(each.encode(), both.root()))
                    .hasMessage("key record 0 is not the requested key");
        }
        assertThatThrownBy(() -> KeyList.of(List.of(both.record(0)), both.root()))
                .hasMessage("a key list without all of its first keys");
        assertThatThrownBy(() -> KeyList.of(List.of(both.record(0), forged.record(1)), both.root()))
                .hasMessage("key record 1 is none of the first keys");
    }

    @Test
    void aListOfVersionOneIsReadAndContinuedByVersionTwo() throws RefusedException {
        KeyList old = KeyLists.versionOne();
        assertThat(old.size()).isEqualTo(7);
        SigningKey fresh = Samples.key(SignatureAlgorithm.ED25519, "late");
        KeyGrant late = grant(fresh, KeyRole.PRINCIPAL, "late", 500);
        assertThatThrownBy(() -> old.with(late, 500, List.of(History.STORE)))
                .hasMessage("key record 7 is not signed by every algorithm in force");
        KeyList longer = old.with(late, 500, List.of(History.STORE, History.POST_QUANTUM));
        assertThat(KeyList.read(longer.encode(), old.root()).size()).isEqualTo(8);
    }

    @Test
    void forgedListsAreRefused() {
        assertThat(KeyLists.forged()).hasSize(5);
        KeyLists.forged()
                .forEach(
                        (name, list) ->
                                assertThatThrownBy(() -> KeyList.read(list, KeyLists.BOTH.root()))
                                        .as(name)
                                        .isInstanceOf(RefusedException.class));
    }

    @Test
    void anotherFirstKeyIsRefused() throws RefusedException {
        Bytes list = rotated().encode();
        assertThatThrownBy(() -> KeyList.read(list, SECOND.id()))
                .hasMessage("key record 0 is not the requested key");
    }

    @Test
    void anyFlippedBitIsRefused() throws RefusedException {
        byte[] list = rotated().encode().toArray();
        for (int bit = 0; bit < list.length * 8; bit += 131) {
            list[bit >> 3] ^= (byte) (1 << (bit & 7));
            Bytes flipped = Bytes.of(list);
            int at = bit;
            assertThatThrownBy(() -> KeyList.read(flipped, FIRST.id()))
                    .as("bit %d", at)
                    .isInstanceOf(RefusedException.class);
            list[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
    }
}
