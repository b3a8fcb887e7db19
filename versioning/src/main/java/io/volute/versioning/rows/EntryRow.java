package io.volute.versioning.rows;

import io.volute.provenance.chain.ChainTip;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * The summary of a row of {@code entries}: what it takes to append behind it. The detail is the
 * entry's record as docs/format/provenance.md has it, with the path of a batch of one in place of
 * its own: the own is made from the row in {@code batches}.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   octet   construction
 *   octet   R
 *   octet   kind of the entry
 *   varint  number of the version that it is about, 0 for none
 *   32      link
 *   varint  kinds so far; of each, the entry's own included, ascending:
 *     octet   kind
 *     varint  sequence of its last entry
 * </pre>
 *
 * @param version number of the version that it is about, 0 for none
 * @param ofKind sequence of the last entry of each kind
 */
public record EntryRow(
        SpiralShape shape, EventKind kind, long version, Hash link, Map<EventKind, Long> ofKind) {
    private static final int LAYOUT = 1;

    public EntryRow {
        Map<EventKind, Long> ascending = new EnumMap<>(EventKind.class);
        ascending.putAll(ofKind);
        ofKind = Collections.unmodifiableMap(ascending);
    }

    /** Returns the end of the chain at this entry. */
    public ChainTip tip(long sequence, long commitSequence) {
        return new ChainTip(new ChainHead(sequence, link), commitSequence, ofKind);
    }

    public byte[] encode() {
        RowOutput output =
                new RowOutput()
                        .octet(LAYOUT)
                        .octet(shape.construction().ordinal() + 1)
                        .octet(shape.exponent())
                        .octet(kind.code())
                        .varint(version)
                        .raw(link.toArray())
                        .varint(ofKind.size());
        ofKind.forEach((each, last) -> output.octet(each.code()).varint(last));
        return output.toBytes();
    }

    /**
     * Decodes a row.
     *
     * @throws RowFormatException when it is damaged, or of a later version
     */
    public static EntryRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "entry");
        int construction = input.octet();
        int exponent = input.octet();
        if (construction < 1
                || construction > Construction.values().length
                || exponent > SpiralShape.EXPONENT_MAX) {
            throw new RowFormatException("construction " + construction + ", R " + exponent);
        }
        SpiralShape shape = new SpiralShape(Construction.values()[construction - 1], exponent);
        EventKind kind = kind(input);
        long version = input.varint();
        Hash link = Hash.of(input.raw(Hash.BYTES));
        Map<EventKind, Long> ofKind = new EnumMap<>(EventKind.class);
        for (int left = input.size(); left > 0; left--) {
            ofKind.put(kind(input), input.varint());
        }
        return new EntryRow(shape, kind, version, link, ofKind);
    }

    private static EventKind kind(RowInput input) {
        int code = input.octet();
        return EventKind.of(code)
                .orElseThrow(() -> new RowFormatException("kind " + code + " of an entry"));
    }
}
