package io.volute.provenance.chain;

import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Frame;
import io.volute.provenance.record.Opening;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Puts withheld openings back into an export, where they are those that were committed to. */
public final class Reinstatement {
    private final Map<OpeningsFile.Of, SortedMap<Integer, Opening>> openings;
    private long done;

    /**
     * @param openings as {@link OpeningsFile#read} gives them
     */
    public Reinstatement(Map<OpeningsFile.Of, SortedMap<Integer, Opening>> openings) {
        this.openings = openings;
    }

    /**
     * Copies an export, with the openings of its entries.
     *
     * @param target not closed
     * @return how many were put back; those of entries that it does not have are left alone
     * @throws RefusedException names the entry and field of an opening that is not the one that was
     *     withheld
     */
    public long copy(ExportReader export, OutputStream target) throws IOException {
        target.write(Frame.MAGIC.toArray());
        for (Optional<Frame> frame = export.next(); frame.isPresent(); frame = export.next()) {
            Frame next = frame.get();
            if (next.type() == Frame.Type.ENTRY.code()) {
                EntryRecord record = with(EntryRecord.decode(next.payload()));
                next = new Frame(next.type(), record.encode());
            }
            target.write(next.encode().toArray());
        }
        return done;
    }

    private EntryRecord with(EntryRecord record) throws RefusedException {
        SortedMap<Integer, Opening> own = openings.get(OpeningsFile.Of.entry(record.entry()));
        if (own == null) {
            return record;
        }
        List<Field> fields = record.entry().fields();
        SortedMap<Integer, Opening> all = new TreeMap<>(record.disclosure().openings());
        for (Map.Entry<Integer, Opening> each : own.entrySet()) {
            int index = each.getKey();
            if (index >= fields.size() || !fields.get(index).equals(each.getValue().field())) {
                throw new RefusedException(
                        "entry "
                                + record.entry().sequence()
                                + " of chain "
                                + record.entry().placement().chainId()
                                + ": the opening of field "
                                + index
                                + " does not match its commitment");
            }
            all.put(index, each.getValue());
            done++;
        }
        return record.with(new Disclosure(all, record.disclosure().slots()));
    }
}
