package io.volute.provenance.anchor;

import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Computes the root of a map while its heads go by, ascending by chain id. Has one hash for each
 * depth: that of a left subtree that is complete and whose right neighbour is not. Not thread-safe.
 */
final class MapFold implements Heads.Visitor {
    private final Hash[] left = new Hash[MapProof.DEPTH_MAX + 1];
    private final ProofPaths paths;
    private Optional<Leaf> open = Optional.empty();
    private int joint;
    private long heads;

    /** A head whose neighbour is not known yet. */
    record Leaf(Hash chainId, ChainHead head) {}

    static MapFold withoutProofs() {
        return new MapFold(new ProofPaths(List.of()));
    }

    MapFold(ProofPaths paths) {
        this.paths = paths;
        Arrays.fill(left, Hash.ZERO);
    }

    /** If this chain may come next: it is above all before. */
    boolean ascendsTo(Hash chainId) {
        return open.isEmpty() || open.get().chainId.compareTo(chainId) < 0;
    }

    /**
     * @throws IllegalArgumentException when it is not above the one before
     */
    @Override
    public void head(Hash chainId, ChainHead head) {
        if (!ascendsTo(chainId)) {
            throw new IllegalArgumentException("chain " + chainId + " is out of order");
        }
        if (open.isPresent()) {
            int depth = open.get().chainId.commonBits(chainId) + 1;
            left[depth] = close(open.get(), depth);
            joint = depth;
        }
        open = Optional.of(new Leaf(chainId, head));
        heads++;
    }

    /** To be called once, after the last. */
    MapRoot finish() {
        return new MapRoot(open.map(leaf -> close(leaf, 0)).orElse(Hash.ZERO), heads);
    }

    /** The subtree at a depth whose last leaf this is. */
    private Hash close(Leaf leaf, int end) {
        // A leaf stands right below the deeper one of the branches that part it from its
        // neighbours.
        int depth = Math.max(joint, end);
        paths.end(leaf, depth);
        Hash node = PrefixMap.leafHash(leaf.chainId, leaf.head);
        for (; depth > end; depth--) {
            boolean isRight = leaf.chainId.bit(depth - 1);
            Hash first = isRight ? left[depth] : node;
            Hash second = isRight ? node : Hash.ZERO;
            left[depth] = Hash.ZERO;
            paths.branch(leaf.chainId, depth - 1, first, second);
            node = PrefixMap.branchHash(first, second);
        }
        return node;
    }
}
