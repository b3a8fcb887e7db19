package io.volute.provenance.chain;

import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Opening;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The selection of fields and slots omitted from exported entries (promise C2). No new signature is
 * necessary: the entry keeps the hash of each omitted part, which can be restored later.
 *
 * @param fields names of committed fields, as in {@link io.volute.provenance.record.Entry}
 * @param slots whether the key slots are left out, so that no auditor can read what is encrypted
 */
public record Withholding(Set<String> fields, boolean slots) {
    public static final Withholding NOTHING = new Withholding(Set.of(), false);

    public Withholding {
        fields = Set.copyOf(fields);
    }

    /** The record without it. */
    public EntryRecord applyTo(EntryRecord record) {
        if (equals(NOTHING)) {
            return record;
        }
        List<String> names = record.entry().fieldNames();
        Disclosure narrowed =
                record.disclosure()
                        .narrowed(
                                index ->
                                        index >= names.size() || !fields.contains(names.get(index)),
                                index -> !slots);
        return record.with(narrowed);
    }

    /** The openings that it leaves out of a record, by index of their field. */
    public SortedMap<Integer, Opening> openings(EntryRecord record) {
        List<String> names = record.entry().fieldNames();
        SortedMap<Integer, Opening> openings = new TreeMap<>(record.disclosure().openings());
        openings.keySet()
                .removeIf(index -> index >= names.size() || !fields.contains(names.get(index)));
        return openings;
    }

    /** Returns whether the entry itself contains a field to withhold as plain text. */
    public boolean isInVain(EntryRecord record) {
        List<String> names = record.entry().fieldNames();
        List<Field> all = record.entry().fields();
        return java.util.stream.IntStream.range(0, names.size())
                .filter(i -> fields.contains(names.get(i)))
                .anyMatch(i -> all.get(i).form() == Field.Form.PLAIN);
    }
}
