package io.volute.provenance.chain;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.SpiralShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The links of the integrity spiral: pure functions over hashes (section 3.1.5 of the paper). */
public final class Spiral {
    private Spiral() {}

    /** The predecessor of an entry in a dimension; empty when that is not present. */
    public static OptionalLong predecessor(Entry.Placement entry, int dimension) {
        if (dimension == entry.shape().kindDimension()) {
            return entry.previousOfKind();
        }
        long before = entry.sequence() - (1L << dimension);
        return before >= 0 ? OptionalLong.of(before) : OptionalLong.empty();
    }

    /** The dimensions in which an entry has a predecessor, ascending. */
    public static List<Integer> present(Entry.Placement entry) {
        List<Integer> dimensions = new ArrayList<>();
        for (int dimension = 0; dimension < entry.shape().dimensions(); dimension++) {
            if (predecessor(entry, dimension).isPresent()) {
                dimensions.add(dimension);
            }
        }
        return dimensions;
    }

    /**
     * Construction 1.
     *
     * @param previous links of the predecessors, in the order of the dimensions present
     */
    public static Hash link(Hash entryHash, List<Hash> previous) {
        return Domain.LINK.hash(new ByteWriter().hash(entryHash).hashes(previous).toBytes());
    }

    /** Construction 2: one dimension. */
    public static Hash dimension(int dimension, Hash entryHash, Optional<Hash> previous) {
        ByteWriter out = new ByteWriter().u8(dimension).hash(entryHash);
        previous.ifPresent(out::hash);
        return Domain.DIMENSION.hash(out.toBytes());
    }

    /** Construction 2: what is signed. */
    public static Hash combined(List<Hash> links) {
        return Domain.COMBINED.hash(new ByteWriter().hashes(links).toBytes());
    }

    /** The link that is signed, from what a record holds. */
    public static Hash signedLink(SpiralShape shape, Hash entryHash, List<Hash> recordLinks) {
        return switch (shape.construction()) {
            case ONE_LINK -> link(entryHash, recordLinks);
            case LINK_PER_DIMENSION -> combined(recordLinks);
        };
    }
}
