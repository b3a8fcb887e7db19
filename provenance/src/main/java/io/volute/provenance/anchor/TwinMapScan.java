package io.volute.provenance.anchor;

import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import java.io.IOException;
import java.util.Optional;

/**
 * The maps of two commits from the same passes over the chains: an earlier one, to compare it with
 * the checkpoint of then, and a later one for the next checkpoint. Takes as many passes as {@link
 * MapScan} takes for one of them with the same memory. Keeps nothing between calls.
 */
public final class TwinMapScan {
    private static final long MEMORY_BYTES_EACH = 48 << 20;

    private final Chains chains;
    private final int headsPerPass;

    /** All chains, each once; the same each time they are read. */
    @FunctionalInterface
    public interface Chains {
        /** Hands each one to the visitor, in any order. */
        void forEach(Visitor visitor) throws IOException;

        /** Takes chains, one after the other. */
        @FunctionalInterface
        interface Visitor {
            /**
             * @param then head at the earlier commit; empty when the chain began later
             * @param now head at the later commit
             */
            void chain(Hash chainId, Optional<ChainHead> then, ChainHead now) throws IOException;
        }
    }

    /** The maps of the earlier and of the later commit. */
    public record Roots(MapRoot then, MapRoot now) {}

    public TwinMapScan(Chains chains) {
        this(chains, MEMORY_BYTES_EACH);
    }

    /**
     * @param memoryBytes for the heads of each commit; 80 each
     */
    TwinMapScan(Chains chains, long memoryBytes) {
        this.chains = chains;
        headsPerPass = (int) Math.min(memoryBytes / LowestHeads.BYTES_EACH, Integer.MAX_VALUE - 8);
    }

    /**
     * @throws IllegalStateException when the chains are not the same in each pass, or one is twice
     */
    public Roots roots() throws IOException {
        Lane then = new Lane(headsPerPass);
        Lane now = new Lane(headsPerPass);
        do {
            then.begin();
            now.begin();
            chains.forEach(
                    (chainId, before, after) -> {
                        if (before.isPresent()) {
                            then.offer(chainId, before.get());
                        }
                        now.offer(chainId, after);
                    });
            then.end();
            now.end();
        } while (!then.isDone() || !now.isDone());
        return new Roots(then.fold.finish(), now.fold.finish());
    }

    /** The heads of one commit on their way into its map, ascending. */
    private static final class Lane {
        private final LowestHeads lowest;
        private final MapFold fold = MapFold.withoutProofs();
        private final MapScan.Ascent ascent = new MapScan.Ascent(fold);
        private long all = -1;
        private long inThisPass;

        Lane(int headsPerPass) {
            lowest = new LowestHeads(headsPerPass);
        }

        boolean isDone() {
            return ascent.count() == all;
        }

        void begin() {
            inThisPass = 0;
        }

        void offer(Hash chainId, ChainHead head) {
            inThisPass++;
            if (ascent.isBelow(chainId)) {
                lowest.offer(chainId, head);
            }
        }

        void end() throws IOException {
            boolean isNew = all >= 0 && all != inThisPass;
            long before = ascent.count();
            all = inThisPass;
            lowest.drain(ascent);
            if (isNew || ascent.count() == before && !isDone()) {
                throw new IllegalStateException("heads changed between passes, or one is twice");
            }
        }
    }
}
