package io.volute.provenance.audit;

import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SpiralShape;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Whether entries are linked to those before them. Remembers the last 2^R entries and the last of
 * each kind, so memory does not grow with the chain.
 */
final class LinkCheck {
    private final AuditScope scope;
    private final Findings findings;
    private final TreeMap<Long, Node> recent = new TreeMap<>();
    private final Map<EventKind, Node> ofKind = new EnumMap<>(EventKind.class);

    /** An entry seen, with its own links, and whether something was wrong with it. */
    private record Node(long sequence, List<Hash> links, boolean isSuspect) {}

    LinkCheck(AuditScope scope, Findings findings) {
        this.scope = scope;
        this.findings = findings;
    }

    /**
     * @param link that is signed
     * @param before the last entry before this one; after a gap, one dimension must lead there
     * @param wasClean whether nothing was found about the entry so far
     */
    void check(EntryRecord record, Hash entryHash, Hash link, long before, boolean wasClean) {
        Entry entry = record.entry();
        SpiralShape shape = entry.placement().shape();
        long count = findings.count();
        List<Hash> own = List.of(link);
        switch (shape.construction()) {
            case ONE_LINK -> {
                if (record.links().size() == Spiral.present(entry.placement()).size()) {
                    judge(entry, disagreeing(record), wasClean);
                } else {
                    findings.add(entry.sequence(), Cause.ALTERED, "its links are incomplete");
                }
            }
            case LINK_PER_DIMENSION -> {
                own = record.links();
                if (own.size() == shape.dimensions()) {
                    ownLinks(entry, entryHash, own, before, wasClean);
                } else {
                    findings.add(entry.sequence(), Cause.ALTERED, "its links are incomplete");
                }
            }
        }
        boolean isSuspect = !wasClean || findings.count() > count;
        remember(entry, new Node(entry.sequence(), own, isSuspect), shape.reach());
    }

    /** Returns predecessors whose link differs from that in the record (construction 1). */
    private List<Node> disagreeing(EntryRecord record) {
        Entry.Placement placement = record.entry().placement();
        List<Integer> present = Spiral.present(placement);
        List<Node> disagreeing = new ArrayList<>();
        for (int i = 0; i < present.size(); i++) {
            Hash said = record.links().get(i);
            node(record.entry(), present.get(i))
                    .filter(each -> !each.links.getFirst().equals(said))
                    .ifPresent(disagreeing::add);
        }
        return disagreeing;
    }

    /** Construction 2: its own links must follow from it and from those before it. */
    private void ownLinks(
            Entry entry, Hash entryHash, List<Hash> own, long before, boolean wasClean) {
        int good = 0;
        boolean leadsBack = before < 0 || entry.sequence() == before + 1;
        List<Node> disagreeing = new ArrayList<>();
        boolean disagreesAlone = false;
        for (int dimension = 0; dimension < own.size(); dimension++) {
            if (!isLookedAt(dimension, entry)) {
                continue;
            }
            OptionalLong predecessor = Spiral.predecessor(entry.placement(), dimension);
            Optional<Node> node = node(entry, dimension);
            if (predecessor.isPresent() && node.isEmpty()) {
                continue;
            }
            int each = dimension;
            Optional<Hash> previous =
                    node.filter(it -> it.links.size() > each).map(it -> it.links.get(each));
            if (Spiral.dimension(dimension, entryHash, previous).equals(own.get(dimension))) {
                good++;
                leadsBack |= predecessor.isPresent() && predecessor.getAsLong() == before;
            } else if (node.isPresent()) {
                disagreeing.add(node.get());
            } else {
                disagreesAlone = true;
            }
        }
        if (disagreesAlone || good == 0 && !disagreeing.isEmpty()) {
            findings.add(entry.sequence(), Cause.ALTERED, "its links do not follow from it");
        } else {
            judge(entry, disagreeing, wasClean);
            if (!leadsBack && scope instanceof AuditScope.Linear) {
                findings.add(
                        entry.sequence(), Cause.REMOVED, "nothing links it to entry " + before);
            }
        }
    }

    /** Attributes a mismatch between an entry and its predecessors to one of them. */
    private void judge(Entry entry, List<Node> disagreeing, boolean wasClean) {
        for (Node node : disagreeing) {
            if (node.isSuspect) {
                findings.contradict(node.sequence);
            } else if (wasClean) {
                findings.add(
                        node.sequence,
                        Cause.REPLACED,
                        "entry " + entry.sequence() + " was linked to another one there");
                suspect(node);
            }
        }
    }

    private void suspect(Node node) {
        Node suspect = new Node(node.sequence, node.links, true);
        recent.replace(node.sequence, suspect);
        ofKind.replaceAll((kind, each) -> each.sequence == node.sequence ? suspect : each);
    }

    private boolean isLookedAt(int dimension, Entry entry) {
        return switch (scope) {
            case AuditScope.Linear() -> true;
            case AuditScope.Dimension each -> dimension == each.dimension();
            case AuditScope.Kind ignored -> dimension == entry.placement().shape().kindDimension();
        };
    }

    /** The predecessor in a dimension, if this audit looked at it and remembers it. */
    private Optional<Node> node(Entry entry, int dimension) {
        OptionalLong predecessor = Spiral.predecessor(entry.placement(), dimension);
        if (predecessor.isEmpty() || !isLookedAt(dimension, entry)) {
            return Optional.empty();
        }
        Node node =
                dimension == entry.placement().shape().kindDimension()
                        ? ofKind.get(entry.kind())
                        : recent.get(predecessor.getAsLong());
        return Optional.ofNullable(node).filter(each -> each.sequence == predecessor.getAsLong());
    }

    private void remember(Entry entry, Node node, int reach) {
        recent.put(node.sequence, node);
        recent.headMap(node.sequence - reach + 1).clear();
        ofKind.put(entry.kind(), node);
    }

    /** Entries remembered. */
    int remembered() {
        return recent.size();
    }

    LinkCheck copy(Findings into) {
        LinkCheck copy = new LinkCheck(scope, into);
        copy.recent.putAll(recent);
        copy.ofKind.putAll(ofKind);
        return copy;
    }
}
