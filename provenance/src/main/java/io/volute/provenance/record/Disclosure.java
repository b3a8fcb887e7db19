package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The openings and key slots of the hidden parts of an entry. The entry contains only their hashes,
 * so they can be removed and restored without breaking the chain.
 *
 * @param openings by field: 0 the principal, n the n-th detail
 * @param slots by index of the entry's key slots
 */
public record Disclosure(SortedMap<Integer, Opening> openings, SortedMap<Integer, Bytes> slots) {
    public static final Disclosure NOTHING = new Disclosure(new TreeMap<>(), new TreeMap<>());
    public static final int PRINCIPAL = 0;
    private static final int SLOT_BYTES_MAX = 1024;

    public Disclosure {
        openings = Collections.unmodifiableSortedMap(new TreeMap<>(openings));
        slots = Collections.unmodifiableSortedMap(new TreeMap<>(slots));
    }

    /** Returns a copy without the openings and slots that the predicates reject. */
    public Disclosure narrowed(
            java.util.function.IntPredicate keepsOpening,
            java.util.function.IntPredicate keepsSlot) {
        TreeMap<Integer, Opening> fewer = new TreeMap<>(openings);
        fewer.keySet().removeIf(field -> !keepsOpening.test(field));
        TreeMap<Integer, Bytes> fewerSlots = new TreeMap<>(slots);
        fewerSlots.keySet().removeIf(index -> !keepsSlot.test(index));
        return new Disclosure(fewer, fewerSlots);
    }

    void encode(ByteWriter out) {
        out.u8(openings.size());
        openings.forEach((field, each) -> out.u8(field).raw(each.r()).bytes32(each.text()));
        out.u8(slots.size());
        slots.forEach((index, slot) -> out.u8(index).bytes16(slot));
    }

    static Disclosure decode(ByteReader in) throws RefusedException {
        TreeMap<Integer, Opening> openings = new TreeMap<>();
        int count = in.count(Entry.DETAILS_MAX + 1, "openings");
        for (int i = 0; i < count; i++) {
            int field = next(in, openings, "field of an opening");
            Bytes r = in.raw(Opening.R_BYTES, "r");
            openings.put(field, new Opening(r, in.bytes32(0, Entry.BYTES_MAX, "opened text")));
        }
        TreeMap<Integer, Bytes> slots = new TreeMap<>();
        int slotCount = in.count(Entry.SLOTS_MAX, "slots");
        for (int i = 0; i < slotCount; i++) {
            int index = next(in, slots, "index of a slot");
            slots.put(index, in.bytes16(0, SLOT_BYTES_MAX, "slot"));
        }
        return new Disclosure(openings, slots);
    }

    private static int next(ByteReader in, SortedMap<Integer, ?> before, String name)
            throws RefusedException {
        int index = in.u8(name);
        if (!before.isEmpty() && before.lastKey() >= index) {
            throw in.refused(name + " " + index + " out of order");
        }
        return index;
    }
}
