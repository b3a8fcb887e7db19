package io.volute.provenance.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link PrefixMap} is the oracle: every root and every proof is the same, byte for byte. */
@Tag("slow")
class MapScanTest {
    private static final int HEAD_BYTES = 80;

    private final Random random = new Random(97);

    /** Counts the passes. */
    private static final class Counted implements Heads {
        private final Heads heads;
        private int passes;

        Counted(Heads heads) {
            this.heads = heads;
        }

        @Override
        public void forEach(Visitor visitor) throws IOException {
            passes++;
            heads.forEach(visitor);
        }
    }

    private List<Hash> shuffled(SortedMap<Hash, ChainHead> heads) {
        List<Hash> order = new ArrayList<>(heads.keySet());
        Collections.shuffle(order, random);
        return order;
    }

    /** Those that are there, those that nearly are, and any. */
    private List<Hash> asked(SortedMap<Hash, ChainHead> heads) {
        List<Hash> asked = new ArrayList<>();
        for (Hash id : shuffled(heads).subList(0, Math.min(40, heads.size()))) {
            asked.add(id);
            asked.add(HeadSets.parting(random, id, 255));
            asked.add(HeadSets.parting(random, id, random.nextInt(256)));
            asked.add(HeadSets.parting(random, id, random.nextInt(12)));
        }
        asked.add(Samples.hash(random));
        asked.add(Hash.ZERO);
        asked.add(Hash.ofHex("ff".repeat(Hash.BYTES)));
        asked.add(asked.getFirst());
        return asked;
    }

    private void isAsInMemory(SortedMap<Hash, ChainHead> heads, int headsPerPass)
            throws IOException {
        PrefixMap map = HeadSets.inMemory(heads);
        Counted source = new Counted(HeadSets.inOrder(shuffled(heads), heads));
        MapScan scan = new MapScan(source, (long) headsPerPass * HEAD_BYTES);
        assertThat(scan.root()).isEqualTo(map.mapRoot());
        // Exactly as many passes as the bound requires: the scan uses its memory, and no more.
        int passes = Math.max(1, Math.ceilDiv(heads.size(), headsPerPass));
        assertThat(source.passes).isEqualTo(passes);

        List<Hash> asked = asked(heads);
        MapScan.Proven proven = scan.prove(asked);
        assertThat(source.passes).as("proofs from the same passes").isEqualTo(2 * passes);
        assertThat(proven.root()).isEqualTo(map.mapRoot());
        assertThat(proven.proofs()).containsOnlyKeys(asked);
        for (Map.Entry<Hash, MapProof> each : proven.proofs().entrySet()) {
            MapProof expected = map.find(each.getKey());
            assertThat(each.getValue().encode()).isEqualTo(expected.encode());
        }
    }

    @Test
    void smallMapsAreAsInMemory() throws IOException {
        for (int count = 0; count < 24; count++) {
            for (int headsPerPass : new int[] {1, 2, 3, 7, 23, 24, 100}) {
                isAsInMemory(HeadSets.spread(random, count), headsPerPass);
                isAsInMemory(HeadSets.crowded(random, count), headsPerPass);
            }
        }
    }

    @Test
    void largeMapsAreAsInMemory() throws IOException {
        TreeMap<Hash, ChainHead> spread = HeadSets.spread(random, 5_000);
        TreeMap<Hash, ChainHead> crowded = HeadSets.crowded(random, 3_000);
        for (int headsPerPass : new int[] {700, 1_024, 2_999, 3_000, 1_000_000}) {
            isAsInMemory(spread, headsPerPass);
            isAsInMemory(crowded, headsPerPass);
        }
    }

    /** Every shape of a proof is among those that were compared. */
    @Test
    void allOutcomesOccur() throws IOException {
        TreeMap<Hash, ChainHead> heads = HeadSets.crowded(random, 200);
        MapScan scan = new MapScan(HeadSets.inOrder(shuffled(heads), heads));
        List<MapProof> proofs = List.copyOf(scan.prove(asked(heads)).proofs().values());
        assertThat(proofs).hasAtLeastOneElementOfType(MapProof.Present.class);
        assertThat(proofs).hasAtLeastOneElementOfType(MapProof.Nothing.class);
        assertThat(proofs).hasAtLeastOneElementOfType(MapProof.Other.class);
        assertThat(proofs).anyMatch(each -> each.siblings().size() == MapProof.DEPTH_MAX);
    }

    @Test
    void headsAreDeliveredAscendingFromAnyOrder() throws IOException {
        TreeMap<Hash, ChainHead> heads = HeadSets.crowded(random, 500);
        for (List<Hash> order :
                List.of(
                        List.copyOf(heads.keySet()),
                        List.copyOf(heads.descendingKeySet()),
                        shuffled(heads))) {
            for (int headsPerPass : new int[] {1, 33, 499, 500, 501}) {
                List<Hash> ids = new ArrayList<>();
                List<ChainHead> delivered = new ArrayList<>();
                Heads source = HeadSets.inOrder(order, heads);
                new MapScan(source, (long) headsPerPass * HEAD_BYTES)
                        .forEach(
                                (id, head) -> {
                                    ids.add(id);
                                    delivered.add(head);
                                });
                assertThat(ids).containsExactlyElementsOf(heads.keySet());
                assertThat(delivered).containsExactlyElementsOf(heads.values());
            }
        }
    }

    @Test
    void aChainWithTwoHeadsIsSeen() {
        TreeMap<Hash, ChainHead> heads = HeadSets.spread(random, 50);
        for (int twice = 0; twice < 50; twice++) {
            List<Hash> order = shuffled(heads);
            order.add(List.copyOf(heads.keySet()).get(twice));
            for (int headsPerPass : new int[] {1, 10, 25, 50, 51, 100}) {
                MapScan scan =
                        new MapScan(
                                HeadSets.inOrder(order, heads), (long) headsPerPass * HEAD_BYTES);
                assertThatThrownBy(scan::root)
                        .as("%d of %d", twice, headsPerPass)
                        .isInstanceOf(IllegalStateException.class);
            }
        }
    }

    @Test
    void headsThatComeOrGoBetweenPassesAreSeen() {
        TreeMap<Hash, ChainHead> heads = HeadSets.spread(random, 50);
        for (int change : new int[] {-1, 1}) {
            int[] passes = new int[1];
            Heads changing =
                    visitor -> {
                        int count = passes[0]++ == 1 ? 49 + change : 49;
                        List<Hash> order = List.copyOf(heads.keySet()).subList(0, count);
                        HeadSets.inOrder(order, heads).forEach(visitor);
                    };
            assertThatThrownBy(() -> new MapScan(changing, 20 * HEAD_BYTES).root())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("changed");
        }
    }

    @Test
    void whatTheSourceThrowsGetsOut() {
        Heads failing =
                visitor -> {
                    throw new RefusedException("cannot be read");
                };
        assertThatThrownBy(() -> new MapScan(failing).root()).hasMessage("cannot be read");
        assertThatThrownBy(() -> new MapScan(failing, HEAD_BYTES - 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
