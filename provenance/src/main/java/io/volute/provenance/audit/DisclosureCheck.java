package io.volute.provenance.audit;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Opening;
import java.util.List;
import java.util.Map;

/** Whether what opens the hidden parts is what the entry fixed. */
final class DisclosureCheck {
    private DisclosureCheck() {}

    static void check(EntryRecord record, Findings findings) {
        Entry entry = record.entry();
        for (Map.Entry<Integer, Opening> each : record.disclosure().openings().entrySet()) {
            if (!fits(entry, each.getKey(), each.getValue())) {
                findings.add(
                        entry.sequence(), Cause.BAD_OPENING, "opening of field " + each.getKey());
            }
        }
        for (Map.Entry<Integer, Bytes> each : record.disclosure().slots().entrySet()) {
            boolean isOpened = each.getKey() < entry.slots().size();
            if (!isOpened
                    || !Domain.SLOT
                            .hash(each.getValue())
                            .equals(entry.slots().get(each.getKey()))) {
                findings.add(entry.sequence(), Cause.BAD_KEY_MATERIAL, "slot " + each.getKey());
            }
        }
    }

    private static boolean fits(Entry entry, int index, Opening opening) {
        List<Field> details = List.copyOf(entry.details().values());
        if (index > details.size()) {
            return false;
        }
        Field field = index == Disclosure.PRINCIPAL ? entry.principal() : details.get(index - 1);
        return field.equals(opening.field());
    }
}
