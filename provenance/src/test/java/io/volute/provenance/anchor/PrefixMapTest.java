package io.volute.provenance.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PrefixMapTest {
    /** Each try hashes 256 levels. Steps of seven meet every byte, and every bit of some. */
    private static final int BITS = "full".equals(System.getProperty("volute.damage")) ? 1 : 7;

    private final Random random = new Random(31);

    private TreeMap<Hash, ChainHead> heads(int count) {
        TreeMap<Hash, ChainHead> heads = new TreeMap<>();
        while (heads.size() < count) {
            heads.put(Samples.hash(random), new ChainHead(heads.size(), Samples.hash(random)));
            // Neighbours that agree in all but the last bits.
            byte[] near = heads.lastKey().toArray();
            near[31] ^= (byte) (1 << random.nextInt(8));
            heads.put(Hash.of(near), new ChainHead(heads.size(), Samples.hash(random)));
        }
        return heads;
    }

    private static PrefixMap map(TreeMap<Hash, ChainHead> heads, List<Hash> order) {
        PrefixMap map = PrefixMap.EMPTY;
        for (Hash each : order) {
            map = map.with(each, heads.get(each));
        }
        return map;
    }

    /** The definition: a subtree with no leaf, one leaf, or two subtrees. */
    private static Hash root(List<Hash> ids, TreeMap<Hash, ChainHead> heads, int depth) {
        if (ids.isEmpty()) {
            return Hash.ZERO;
        }
        if (ids.size() == 1) {
            return PrefixMap.leafHash(ids.getFirst(), heads.get(ids.getFirst()));
        }
        return PrefixMap.branchHash(
                root(ids.stream().filter(it -> !it.bit(depth)).toList(), heads, depth + 1),
                root(ids.stream().filter(it -> it.bit(depth)).toList(), heads, depth + 1));
    }

    @Test
    void theRootDoesNotDependOnTheOrder() {
        for (int count = 0; count < 60; count += 4) {
            TreeMap<Hash, ChainHead> heads = heads(count);
            List<Hash> order = new ArrayList<>(heads.keySet());
            Hash expected = root(List.copyOf(order), heads, 0);
            for (int i = 0; i < 5; i++) {
                Collections.shuffle(order, random);
                PrefixMap map = map(heads, order);
                assertThat(map.root()).isEqualTo(expected);
                assertThat(map.size()).isEqualTo(heads.size());
            }
        }
    }

    @Test
    void aNewHeadReplacesTheOldOne() {
        TreeMap<Hash, ChainHead> heads = heads(10);
        PrefixMap map = map(heads, List.copyOf(heads.keySet()));
        Hash id = heads.firstKey();
        PrefixMap other = map.with(id, new ChainHead(99, Hash.ZERO));
        assertThat(other.size()).isEqualTo(map.size());
        assertThat(other.root()).isNotEqualTo(map.root());
        assertThat(other.with(id, heads.get(id)).root()).isEqualTo(map.root());
    }

    @Test
    void provesPresenceAndAbsence() throws RefusedException {
        TreeMap<Hash, ChainHead> heads = heads(40);
        PrefixMap map = map(heads, List.copyOf(heads.keySet()));
        for (Hash id : heads.keySet()) {
            MapProof proof = MapProof.decode(map.find(id).encode());
            assertThat(proof).isInstanceOf(MapProof.Present.class);
            assertThat(((MapProof.Present) proof).head()).isEqualTo(heads.get(id));
            assertThat(proof.root(id)).contains(map.root());
        }
        int nothing = 0;
        for (int i = 0; i < 200; i++) {
            Hash id = Samples.hash(random);
            MapProof proof = MapProof.decode(map.find(id).encode());
            assertThat(proof).isNotInstanceOf(MapProof.Present.class);
            assertThat(proof.root(id)).contains(map.root());
            nothing += proof instanceof MapProof.Nothing ? 1 : 0;
        }
        assertThat(nothing).isBetween(1, 199);
        assertThat(PrefixMap.EMPTY.find(Hash.ZERO).root(Hash.ZERO)).contains(Hash.ZERO);
    }

    @Test
    void noProofServesForAnotherHeadOrChain() {
        TreeMap<Hash, ChainHead> heads = heads(40);
        PrefixMap map = map(heads, List.copyOf(heads.keySet()));
        Optional<Hash> root = Optional.of(map.root());
        for (Hash id : heads.keySet()) {
            MapProof.Present present = (MapProof.Present) map.find(id);
            ChainHead other = new ChainHead(present.head().sequence() + 1, present.head().link());
            assertThat(new MapProof.Present(present.siblings(), other).root(id)).isNotEqualTo(root);
            assertThat(new MapProof.Nothing(present.siblings()).root(id)).isNotEqualTo(root);
            // "Somebody else has the place" is refused when that is the chain itself.
            assertThat(new MapProof.Other(present.siblings(), id, present.head()).root(id))
                    .isEmpty();
            List<Hash> shorter = present.siblings().subList(1, present.siblings().size());
            assertThat(new MapProof.Present(shorter, present.head()).root(id)).isNotEqualTo(root);
            for (Hash neighbour : heads.keySet()) {
                if (!neighbour.equals(id)) {
                    assertThat(present.root(neighbour)).isNotEqualTo(root);
                    MapProof hiding =
                            new MapProof.Other(
                                    map.find(neighbour).siblings(),
                                    neighbour,
                                    heads.get(neighbour));
                    assertThat(hiding.root(id)).isNotEqualTo(root);
                }
            }
        }
    }

    @Test
    void aFlippedBitOfAProofProvesNothingElse() {
        TreeMap<Hash, ChainHead> heads = heads(12);
        PrefixMap map = map(heads, List.copyOf(heads.keySet()));
        Optional<Hash> root = Optional.of(map.root());
        Hash absent = Samples.hash(random);
        for (Hash id : List.of(heads.firstKey(), absent)) {
            byte[] proof = map.find(id).encode().toArray();
            for (int bit = 0; bit < proof.length * 8; bit += BITS) {
                proof[bit >> 3] ^= (byte) (1 << (bit & 7));
                try {
                    assertThat(MapProof.decode(Bytes.of(proof)).root(id))
                            .as("bit %d", bit)
                            .isNotEqualTo(root);
                } catch (RefusedException e) {
                    assertThat(e).hasMessageContaining("proof, at byte");
                }
                proof[bit >> 3] ^= (byte) (1 << (bit & 7));
            }
        }
    }
}
