package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The removal of the first entries of a chain, which a later summary records in its detail {@code
 * removed}. The links connect the remaining entries to the removed ones.
 *
 * @param through sequence of the last removed entry
 * @param links of that entry: its link (construction 1), or its own, one per dimension
 * @param ofKind the last entry of each kind up to there
 */
public record Removal(long through, List<Hash> links, SortedMap<EventKind, Last> ofKind) {
    public static final Bytes DETAIL = Bytes.of("removed");

    /** Detail of the same entry: time of the last entry that is gone, in decimal. */
    public static final Bytes UNTIL = Bytes.of("until");

    private static final int VERSION = 1;
    private static final int LINKS_MAX = SpiralShape.EXPONENT_MAX + 2;

    /**
     * An entry that the next one of its kind is linked to.
     *
     * @param link construction 2: in the dimension of kinds
     */
    public record Last(long sequence, Hash link) {}

    public Removal {
        links = List.copyOf(links);
        ofKind = Collections.unmodifiableSortedMap(new TreeMap<>(ofKind));
        long end = through;
        if (links.isEmpty()
                || links.size() > LINKS_MAX
                || ofKind.values().stream().anyMatch(each -> each.sequence > end)) {
            throw new IllegalArgumentException("a removal beyond the limits of its format");
        }
    }

    public Bytes encode() {
        ByteWriter out = new ByteWriter().u8(VERSION).u64(through).hashes(links);
        out.u8(ofKind.size());
        for (Map.Entry<EventKind, Last> each : ofKind.entrySet()) {
            out.u8(each.getKey().code()).u64(each.getValue().sequence);
            out.hash(each.getValue().link);
        }
        return out.toBytes();
    }

    public static Removal decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "removal");
        in.only(VERSION, "version");
        long through = in.u64("last sequence");
        List<Hash> links = in.hashes(LINKS_MAX, "links");
        if (links.isEmpty()) {
            throw in.refused("without a link");
        }
        TreeMap<EventKind, Last> ofKind = new TreeMap<>();
        for (int left = in.count(EventKind.values().length, "kinds"); left > 0; left--) {
            int code = in.u8("kind");
            EventKind kind =
                    EventKind.of(code)
                            .orElseThrow(() -> in.refused("kind " + code + " is unknown"));
            long sequence = in.u64("sequence");
            boolean ascends = ofKind.isEmpty() || ofKind.lastKey().compareTo(kind) < 0;
            if (!ascends || sequence > through) {
                throw in.refused("kinds out of order, or an entry that is not gone");
            }
            ofKind.put(kind, new Last(sequence, in.hash("link")));
        }
        in.end();
        return new Removal(through, links, ofKind);
    }

    /**
     * Returns the removal that an entry records; empty if it records none.
     *
     * @throws RefusedException if the removal cannot be decoded
     */
    public static Optional<Removal> of(Entry entry) throws RefusedException {
        Field field = entry.details().get(DETAIL);
        boolean says =
                entry.kind() == EventKind.SUMMARY
                        && field != null
                        && field.form() == Field.Form.PLAIN;
        return says ? Optional.of(decode(field.value())) : Optional.empty();
    }
}
