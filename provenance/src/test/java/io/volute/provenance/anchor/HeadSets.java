package io.volute.provenance.anchor;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Sets of heads for tests, and the map of them that stays in memory. */
final class HeadSets {
    private HeadSets() {}

    /** Ids as those of real chains: hashes. */
    static TreeMap<Hash, ChainHead> spread(Random random, int count) {
        TreeMap<Hash, ChainHead> heads = new TreeMap<>();
        while (heads.size() < count) {
            heads.put(Samples.hash(random), head(random));
        }
        return heads;
    }

    /** Ids that have any number of first bits, up to 255, in common with another one. */
    static TreeMap<Hash, ChainHead> crowded(Random random, int count) {
        TreeMap<Hash, ChainHead> heads = spread(random, Math.min(1, count));
        List<Hash> ids = new ArrayList<>(heads.keySet());
        while (heads.size() < count) {
            int common = random.nextInt(8) == 0 ? 255 : random.nextInt(255);
            Hash id = parting(random, ids.get(random.nextInt(ids.size())), common);
            if (heads.put(id, head(random)) == null) {
                ids.add(id);
            }
        }
        return heads;
    }

    /** Has these first bits in common with another id, exactly. */
    static Hash parting(Random random, Hash other, int commonBits) {
        byte[] id = Samples.hash(random).toArray();
        for (int bit = 0; bit <= commonBits; bit++) {
            boolean isSet = other.bit(bit) ^ bit == commonBits;
            int mask = 0x80 >> (bit & 7);
            id[bit >> 3] = (byte) (isSet ? id[bit >> 3] | mask : id[bit >> 3] & ~mask);
        }
        return Hash.of(id);
    }

    static ChainHead head(Random random) {
        return new ChainHead(random.nextLong() >>> 1, Samples.hash(random));
    }

    static PrefixMap inMemory(Map<Hash, ChainHead> heads) {
        PrefixMap map = PrefixMap.EMPTY;
        for (Map.Entry<Hash, ChainHead> each : heads.entrySet()) {
            map = map.with(each.getKey(), each.getValue());
        }
        return map;
    }

    static Heads inOrder(List<Hash> order, Map<Hash, ChainHead> heads) {
        return visitor -> {
            for (Hash id : order) {
                visitor.head(id, heads.get(id));
            }
        };
    }
}
