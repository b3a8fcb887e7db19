package io.volute.provenance.anchor;

import io.volute.provenance.anchor.MapFold.Leaf;
import io.volute.provenance.format.Hash;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Collects proofs of the chains that were asked for, while a {@link MapFold} builds the map: leaves
 * ascending, a branch after what is below it. Not thread-safe.
 */
final class ProofPaths {
    private final List<Path> ascending;

    /** The first one that is not below the leaf that came last. */
    private int next;

    private static final class Path {
        final Hash chainId;
        final List<Hash> siblings = new ArrayList<>();
        Optional<Leaf> end = Optional.empty();

        Path(Hash chainId) {
            this.chainId = chainId;
        }

        MapProof proof() {
            List<Hash> upwards = List.copyOf(siblings);
            if (end.isEmpty()) {
                return new MapProof.Nothing(upwards);
            }
            Leaf leaf = end.get();
            return leaf.chainId().equals(chainId)
                    ? new MapProof.Present(upwards, leaf.head())
                    : new MapProof.Other(upwards, leaf.chainId(), leaf.head());
        }
    }

    ProofPaths(Collection<Hash> chainIds) {
        ascending = chainIds.stream().distinct().sorted().map(Path::new).toList();
    }

    /** The next leaf, and where it stands: paths that lead there end with it. */
    void end(Leaf leaf, int depth) {
        while (next < ascending.size()
                && ascending.get(next).chainId.compareTo(leaf.chainId()) < 0) {
            next++;
        }
        Optional<Leaf> end = Optional.of(leaf);
        forEachThrough(leaf.chainId(), depth, path -> path.end = end);
    }

    /**
     * @param chainId of the last leaf below the branch, which was the last that came
     */
    void branch(Hash chainId, int depth, Hash left, Hash right) {
        forEachThrough(
                chainId, depth, path -> path.siblings.add(path.chainId.bit(depth) ? left : right));
    }

    /** Those that have the first bits of the last leaf stand next to its place. */
    private void forEachThrough(Hash chainId, int depth, Consumer<Path> action) {
        for (int i = next; i < ascending.size() && leadsThrough(i, chainId, depth); i++) {
            action.accept(ascending.get(i));
        }
        for (int i = next - 1; i >= 0 && leadsThrough(i, chainId, depth); i--) {
            action.accept(ascending.get(i));
        }
    }

    private boolean leadsThrough(int index, Hash chainId, int depth) {
        return ascending.get(index).chainId.commonBits(chainId) >= depth;
    }

    Map<Hash, MapProof> proofs() {
        Map<Hash, MapProof> proofs = HashMap.newHashMap(ascending.size());
        ascending.forEach(path -> proofs.put(path.chainId, path.proof()));
        return Map.copyOf(proofs);
    }
}
