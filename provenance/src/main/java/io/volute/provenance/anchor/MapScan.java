package io.volute.provenance.anchor;

import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The map of {@link PrefixMap}, of any number of chains in little memory: the heads are read as
 * often as needed, and each time those with the lowest chain ids that did not have their turn are
 * kept. So it takes as many passes as the memory goes into the heads, however ids are distributed
 * and in whatever order they come. Keeps nothing between calls. Thread-safe if the heads are.
 */
public final class MapScan implements Heads {
    public static final long MEMORY_BYTES = 64 << 20;

    private final Heads heads;
    private final int headsPerPass;

    /**
     * The root of a map with the proofs for some chains.
     *
     * @param root the root that the proofs lead to
     */
    public record Proven(MapRoot root, Map<Hash, MapProof> proofs) {}

    public MapScan(Heads heads) {
        this(heads, MEMORY_BYTES);
    }

    /**
     * @param memoryBytes for heads; 80 each. Proofs, if asked for, come on top.
     * @throws IllegalArgumentException when there is no room for a single one
     */
    public MapScan(Heads heads, long memoryBytes) {
        this.heads = heads;
        headsPerPass = (int) Math.min(memoryBytes / LowestHeads.BYTES_EACH, Integer.MAX_VALUE - 8);
        if (headsPerPass < 1) {
            throw new IllegalArgumentException(memoryBytes + " bytes are too few");
        }
    }

    public MapRoot root() throws IOException {
        return prove(List.of()).root();
    }

    /** Root and proofs from the same passes. */
    public Proven prove(Collection<Hash> chainIds) throws IOException {
        ProofPaths paths = new ProofPaths(chainIds);
        MapFold fold = new MapFold(paths);
        forEach(fold);
        MapRoot root = fold.finish();
        return new Proven(root, paths.proofs());
    }

    /**
     * Hands each head to the visitor, ascending by chain id.
     *
     * @throws IllegalStateException when the heads are not the same in each pass, or a chain has
     *     two; the visitor had some of them then
     */
    @Override
    public void forEach(Visitor visitor) throws IOException {
        LowestHeads lowest = new LowestHeads(headsPerPass);
        Ascent ascent = new Ascent(visitor);
        long all = pass(lowest, ascent);
        while (ascent.count < all) {
            long before = ascent.count;
            if (pass(lowest, ascent) != all || ascent.count == before) {
                throw new IllegalStateException("heads changed between passes, or one is twice");
            }
        }
    }

    /** The number of all heads. */
    private long pass(LowestHeads lowest, Ascent ascent) throws IOException {
        long[] all = new long[1];
        heads.forEach(
                (chainId, head) -> {
                    all[0]++;
                    if (ascent.isBelow(chainId)) {
                        lowest.offer(chainId, head);
                    }
                });
        lowest.drain(ascent);
        return all[0];
    }

    /** The progress of the visitor: the last chain id that it received, and the number of heads. */
    static final class Ascent implements Visitor {
        private final Visitor visitor;
        private Optional<Hash> last = Optional.empty();
        private long count;

        Ascent(Visitor visitor) {
            this.visitor = visitor;
        }

        long count() {
            return count;
        }

        boolean isBelow(Hash chainId) {
            return last.isEmpty() || last.get().compareTo(chainId) < 0;
        }

        @Override
        public void head(Hash chainId, ChainHead head) throws IOException {
            if (!isBelow(chainId)) {
                throw new IllegalStateException("chain " + chainId + " has two heads");
            }
            last = Optional.of(chainId);
            count++;
            visitor.head(chainId, head);
        }
    }
}
