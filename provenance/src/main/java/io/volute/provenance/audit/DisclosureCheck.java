package io.volute.provenance.audit;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Opening;
import io.volute.provenance.secrecy.KeySlot;
import io.volute.provenance.secrecy.Reading;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Checks whether openings and key slots match the hashes that the entry commits to. */
final class DisclosureCheck {
    private DisclosureCheck() {}

    /**
     * Checks the openings and slots of one record.
     *
     * @param reading the decrypted view of the record, if the auditor has keys
     * @param trees true for the id of each auditors' tree that is there
     * @return the numbers of hidden fields
     */
    static AuditReport.Hidden check(
            EntryRecord record,
            Optional<Reading> reading,
            Predicate<Hash> trees,
            Findings findings) {
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
            } else if (!hasTree(each.getValue(), trees)) {
                findings.add(
                        entry.sequence(),
                        Cause.BAD_KEY_MATERIAL,
                        "the auditors' tree of slot "
                                + each.getKey()
                                + " is missing or was changed");
            }
        }
        reading.ifPresent(each -> check(each, findings));
        return hidden(record, reading);
    }

    private static boolean hasTree(Bytes slot, Predicate<Hash> trees) {
        try {
            return trees.test(KeySlot.decode(slot).treeId());
        } catch (RefusedException e) {
            // Signed as it is, so it names no tree.
            return true;
        }
    }

    /** Checks decrypted content. A signer can encrypt slots or fields that auditors cannot open. */
    private static void check(Reading reading, Findings findings) {
        long sequence = reading.record().entry().sequence();
        for (int slot : reading.unfit()) {
            findings.add(sequence, Cause.BAD_KEY_MATERIAL, "slot " + slot + " does not open");
        }
        for (int field : reading.unfitFields()) {
            findings.add(sequence, Cause.BAD_KEY_MATERIAL, "field " + field + " does not open");
        }
    }

    private static AuditReport.Hidden hidden(EntryRecord record, Optional<Reading> reading) {
        List<Field> fields = record.entry().fields();
        long encrypted = 0;
        long read = 0;
        long withheld = 0;
        for (int i = 0; i < fields.size(); i++) {
            int index = i;
            switch (fields.get(i).form()) {
                case ENCRYPTED -> {
                    encrypted++;
                    read += reading.flatMap(each -> each.text(index)).isPresent() ? 1 : 0;
                }
                case COMMITMENT ->
                        withheld += record.disclosure().openings().containsKey(i) ? 0 : 1;
                case ABSENT, PLAIN -> {
                    // Nothing is hidden.
                }
            }
        }
        return new AuditReport.Hidden(encrypted, read, withheld);
    }

    private static boolean fits(Entry entry, int index, Opening opening) {
        List<Field> fields = entry.fields();
        return index < fields.size() && fields.get(index).equals(opening.field());
    }
}
