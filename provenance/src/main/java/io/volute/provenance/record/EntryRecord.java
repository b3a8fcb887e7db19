package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import java.util.List;

/**
 * An entry with its evidence.
 *
 * @param encoded the entry's bytes, as they were hashed
 * @param links construction 1: of the predecessors in the dimensions that are present; construction
 *     2: its own, one per dimension
 */
public record EntryRecord(
        Bytes encoded, Entry entry, List<Hash> links, BatchPath path, Disclosure disclosure) {
    private static final int LINKS_MAX = SpiralShape.EXPONENT_MAX + 2;

    /** Place of the sequence in an encoded record: behind the length and 36 bytes of the entry. */
    private static final int SEQUENCE_AT = 40;

    public EntryRecord {
        links = List.copyOf(links);
    }

    public EntryRecord with(Disclosure other) {
        return new EntryRecord(encoded, entry, links, path, other);
    }

    /** Returns a copy with another path in a batch. */
    public EntryRecord with(BatchPath other) {
        return new EntryRecord(encoded, entry, links, other, disclosure);
    }

    public Bytes encode() {
        ByteWriter out = new ByteWriter().bytes32(encoded).hashes(links);
        path.encode(out);
        disclosure.encode(out);
        return out.toBytes();
    }

    public static EntryRecord decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "record");
        Bytes encoded = in.bytes32(0, Entry.BYTES_MAX, "entry");
        Entry entry = Entry.decode(encoded);
        List<Hash> links = in.hashes(LINKS_MAX, "links");
        BatchPath path = BatchPath.decode(in);
        Disclosure disclosure = Disclosure.decode(in);
        in.end();
        return new EntryRecord(encoded, entry, links, path, disclosure);
    }

    /**
     * Reads sequence and kind without the rest, for those who skip records.
     *
     * @throws RefusedException when it is too short or the kind is unknown
     */
    public static Peek peek(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "record");
        in.raw(SEQUENCE_AT, "record");
        long sequence = in.u64("sequence");
        int kind = in.u8("kind");
        return new Peek(
                sequence,
                EventKind.of(kind).orElseThrow(() -> in.refused("kind " + kind + " is unknown")));
    }

    /** The unverified sequence and kind of a record. */
    public record Peek(long sequence, EventKind kind) {}
}
