package io.volute.provenance.audit;

import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Removal;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Checks whether the store itself removed the missing entries at the beginning of a chain. In that
 * case a later summary records the removal, and its links fit the remaining entries. The result is
 * available only at the end of the chain.
 */
final class BeginCheck {
    private final Findings findings;
    private Optional<Gap> gap = Optional.empty();
    private Optional<Linked> first = Optional.empty();
    private final Map<EventKind, Linked> ofKind = new EnumMap<>(EventKind.class);
    private Optional<Vouched> vouched = Optional.empty();

    /** Sequences that are not there. */
    private record Gap(long from, long to, String detail) {}

    /**
     * An entry with a predecessor that is gone.
     *
     * @param link of the predecessor (construction 1), or its own in the dimension
     */
    private record Linked(
            Entry.Placement placement, int dimension, long before, Hash entryHash, Hash link) {
        boolean isLinkedTo(Hash predecessor) {
            return placement.shape().construction() == Construction.ONE_LINK
                    ? link.equals(predecessor)
                    : link.equals(Spiral.dimension(dimension, entryHash, Optional.of(predecessor)));
        }
    }

    /** The removal that the summary with this sequence records. */
    private record Vouched(long sequence, Removal removal) {}

    BeginCheck(Findings findings) {
        this.findings = findings;
    }

    /** The first entry that was looked at is not the first one of the chain. */
    void missing(long from, long to, String detail) {
        gap = Optional.of(new Gap(from, to, detail));
    }

    boolean isMissing() {
        return gap.isPresent();
    }

    /** Takes an entry that was looked at, and that is linked as its shape wants it. */
    void entry(EntryRecord record, Hash entryHash) {
        if (gap.isEmpty()) {
            return;
        }
        Entry entry = record.entry();
        if (first.isEmpty() && entry.sequence() == gap.get().to + 1) {
            first = linked(record, entryHash, 0);
        }
        boolean isNew = !ofKind.containsKey(entry.kind());
        if (isNew && entry.placement().previousOfKind().orElse(-1) <= gap.get().to) {
            linked(record, entryHash, entry.placement().shape().kindDimension())
                    .ifPresent(each -> ofKind.put(entry.kind(), each));
        }
    }

    private static Optional<Linked> linked(EntryRecord record, Hash entryHash, int dimension) {
        Entry.Placement placement = record.entry().placement();
        OptionalLong before = Spiral.predecessor(placement, dimension);
        List<Hash> links = record.links();
        int index =
                placement.shape().construction() == Construction.ONE_LINK
                        ? Spiral.present(placement).indexOf(dimension)
                        : dimension;
        return before.isPresent() && index < links.size()
                ? Optional.of(
                        new Linked(
                                placement,
                                dimension,
                                before.getAsLong(),
                                entryHash,
                                links.get(index)))
                : Optional.empty();
    }

    /** Takes a summary in which nothing wrong was found. */
    void vouch(long sequence, Removal removal) {
        vouched = Optional.of(new Vouched(sequence, removal));
    }

    /**
     * Completes the check after the last entry.
     *
     * @param trusted heads, from checkpoints
     * @return the number of entries that the store removed and recorded as removed
     */
    long finish(List<ChainHead> trusted) {
        if (gap.isEmpty()) {
            return 0;
        }
        Gap missing = gap.get();
        if (vouched.isEmpty() || vouched.get().removal.through() < missing.to) {
            findings.add(missing.from, Cause.REMOVED, missing.detail);
            return 0;
        }
        Removal removal = vouched.get().removal;
        long summary = vouched.get().sequence;
        if (first.isPresent() && first.get().before == removal.through()) {
            fits(first.get(), removal.links().getFirst(), summary);
        }
        ofKind.forEach((kind, each) -> fits(kind, each, removal, summary));
        for (ChainHead head : trusted) {
            if (head.sequence() <= removal.through()) {
                findings.add(
                        head.sequence(),
                        Cause.UNVERIFIABLE,
                        "a checkpoint has this entry, and it was taken out later: compare"
                                + " with a later checkpoint, or audit an older export");
            }
        }
        return removal.through() + 1;
    }

    private void fits(EventKind kind, Linked linked, Removal removal, long summary) {
        Removal.Last last = removal.ofKind().get(kind);
        if (last == null || last.sequence() != linked.before) {
            if (linked.before <= removal.through()) {
                findings.add(
                        linked.placement.sequence(),
                        Cause.HIDDEN_FROM_KIND,
                        "names " + linked.before + ", and summary " + summary + " another one");
            }
        } else {
            fits(linked, last.link(), summary);
        }
    }

    private void fits(Linked linked, Hash link, long summary) {
        if (!linked.isLinkedTo(link)) {
            findings.add(
                    summary,
                    Cause.REPLACED,
                    "entry "
                            + linked.placement.sequence()
                            + " was linked to another entry "
                            + linked.before
                            + " than it says");
        }
    }

    BeginCheck copy(Findings into) {
        BeginCheck copy = new BeginCheck(into);
        copy.gap = gap;
        copy.first = first;
        copy.ofKind.putAll(ofKind);
        copy.vouched = vouched;
        return copy;
    }
}
