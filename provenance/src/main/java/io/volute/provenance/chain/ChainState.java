package io.volute.provenance.chain;

import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SpiralShape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The part of a chain that an append needs: the links of its last 2^R entries and of the last entry
 * of each kind. Links are loaded on first use. Not thread-safe.
 */
final class ChainState {
    private final SpiralShape shape;
    private final OlderLinks older;
    private final Map<Long, List<Hash>> recent = new HashMap<>();
    private final Map<EventKind, Long> ofKind = new EnumMap<>(EventKind.class);
    private long next;
    private long commitSequence;
    private Optional<ChainHead> head = Optional.empty();

    /** A chain without entries. */
    ChainState(SpiralShape shape) {
        this.shape = shape;
        older =
                sequence -> {
                    throw new IllegalStateException(
                            "the link of entry " + sequence + " is missing");
                };
    }

    /** A chain that ends so. */
    ChainState(SpiralShape shape, ChainTip tip, OlderLinks older) {
        this.shape = shape;
        this.older = older;
        ofKind.putAll(tip.ofKind());
        next = tip.head().sequence() + 1;
        commitSequence = tip.commitSequence();
        head = Optional.of(tip.head());
    }

    SpiralShape shape() {
        return shape;
    }

    long next() {
        return next;
    }

    long commitSequence() {
        return commitSequence;
    }

    Optional<ChainHead> head() {
        return head;
    }

    OptionalLong lastOfKind(EventKind kind) {
        Long last = ofKind.get(kind);
        return last == null ? OptionalLong.empty() : OptionalLong.of(last);
    }

    /** Returns the tip of the chain, which must have at least one entry. */
    ChainTip tip() {
        return new ChainTip(head.orElseThrow(), commitSequence, ofKind);
    }

    /** Links of the predecessors, in the order of the dimensions present. */
    List<Hash> previous(Entry.Placement entry) throws IOException {
        List<Hash> links = new ArrayList<>();
        for (int dimension : Spiral.present(entry)) {
            long predecessor = Spiral.predecessor(entry, dimension).getAsLong();
            links.add(
                    switch (shape.construction()) {
                        case ONE_LINK -> own(predecessor).getFirst();
                        case LINK_PER_DIMENSION -> own(predecessor).get(dimension);
                    });
        }
        return links;
    }

    private List<Hash> own(long sequence) throws IOException {
        List<Hash> links = recent.get(sequence);
        if (links == null) {
            links = older.of(sequence);
            recent.put(sequence, links);
        }
        return links;
    }

    void append(EventKind kind, long commit, List<Hash> ownLinks, Hash signedLink) {
        recent.put(next, ownLinks);
        Long before = ofKind.put(kind, next);
        long outOfReach = next - shape.reach();
        forget(outOfReach);
        if (before != null && before < outOfReach) {
            recent.remove(before);
        }
        head = Optional.of(new ChainHead(next, signedLink));
        commitSequence = commit;
        next++;
    }

    /** Entries whose links are in memory. */
    int remembered() {
        return recent.size();
    }

    /** Evicts the links of an entry unless it is the last of its kind. */
    private void forget(long sequence) {
        if (!ofKind.containsValue(sequence)) {
            recent.remove(sequence);
        }
    }
}
