package io.volute.provenance.secrecy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Opening;
import java.util.List;
import java.util.Optional;

/**
 * The view of an entry for one reader.
 *
 * @param key the session key of the encrypted fields, if the reader has it
 * @param unfit indexes of invalid slots, and of slots for this reader that do not open
 */
public record Reading(EntryRecord record, Optional<SessionKey> key, List<Integer> unfit) {
    public Reading {
        unfit = List.copyOf(unfit);
    }

    /** Returns the view for a reader without keys. */
    public static Reading ofAnybody(EntryRecord record) {
        return new Reading(record, Optional.empty(), List.of());
    }

    /**
     * The text of a field, by index in {@link Entry#fields()}. Empty when it is absent, withheld,
     * or not to be read with this key.
     */
    public Optional<Bytes> text(int index) {
        Field field = record.entry().fields().get(index);
        return switch (field.form()) {
            case ABSENT -> Optional.empty();
            case PLAIN -> Optional.of(field.value());
            case COMMITMENT ->
                    Optional.ofNullable(record.disclosure().openings().get(index))
                            .filter(opening -> opening.field().equals(field))
                            .map(Opening::text);
            case ENCRYPTED ->
                    key.flatMap(
                            own -> own.decrypt(SessionKey.ofField(record.entry(), index), field));
        };
    }

    /** Indexes of encrypted fields that do not open with the key that is theirs. */
    public List<Integer> unfitFields() {
        List<Field> fields = record.entry().fields();
        return java.util.stream.IntStream.range(0, fields.size())
                .filter(i -> fields.get(i).form() == Field.Form.ENCRYPTED)
                .filter(i -> key.isPresent() && text(i).isEmpty())
                .boxed()
                .toList();
    }
}
