package io.volute.provenance.chain;

import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SpiralShape;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is needed of a chain to append to it: the links of its last 2^R entries and of the last of
 * each kind. Not thread-safe.
 */
final class ChainState {
    private final SpiralShape shape;
    private final Map<Long, List<Hash>> recent = new HashMap<>();
    private final Map<EventKind, Linked> ofKind = new EnumMap<>(EventKind.class);
    private long next;
    private long commitSequence;
    private Optional<ChainHead> head = Optional.empty();

    /** Construction 1: the one link; construction 2: one per dimension. */
    private record Linked(long sequence, List<Hash> links) {}

    ChainState(SpiralShape shape) {
        this.shape = shape;
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
        Linked last = ofKind.get(kind);
        return last == null ? OptionalLong.empty() : OptionalLong.of(last.sequence);
    }

    /** Links of the predecessors, in the order of the dimensions present. */
    List<Hash> previous(EventKind kind, Entry.Placement entry) {
        List<Hash> links = new ArrayList<>();
        for (int dimension : Spiral.present(entry)) {
            links.add(previous(kind, entry, dimension));
        }
        return links;
    }

    private Hash previous(EventKind kind, Entry.Placement entry, int dimension) {
        List<Hash> links =
                dimension == shape.kindDimension()
                        ? ofKind.get(kind).links
                        : recent.get(Spiral.predecessor(entry, dimension).getAsLong());
        if (links == null) {
            throw new IllegalStateException(
                    "the predecessor of entry "
                            + next
                            + " in dimension "
                            + dimension
                            + " is missing");
        }
        return switch (shape.construction()) {
            case ONE_LINK -> links.getFirst();
            case LINK_PER_DIMENSION -> links.get(dimension);
        };
    }

    /** Takes in an entry that exists already. */
    void restore(EntryRecord record, List<Hash> ownLinks, Hash signedLink) {
        next = record.entry().sequence();
        append(
                record.entry().kind(),
                record.entry().placement().commitSequence(),
                ownLinks,
                signedLink);
    }

    void append(EventKind kind, long commit, List<Hash> ownLinks, Hash signedLink) {
        recent.put(next, ownLinks);
        recent.remove(next - shape.reach());
        ofKind.put(kind, new Linked(next, ownLinks));
        head = Optional.of(new ChainHead(next, signedLink));
        commitSequence = commit;
        next++;
    }
}
