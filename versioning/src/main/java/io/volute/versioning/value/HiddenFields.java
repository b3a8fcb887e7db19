package io.volute.versioning.value;

import java.util.Collections;
import java.util.Set;

/**
 * The fields of new provenance entries that are hidden from some readers
 * (docs/format/provenance.md).
 *
 * @param encrypted fields that only auditors can decrypt
 * @param committed fields with a commitment, which can be withheld from the recipient of an export
 */
public record HiddenFields(Set<EntryField> encrypted, Set<EntryField> committed) {
    public static final HiddenFields NONE = new HiddenFields(Set.of(), Set.of());

    public HiddenFields {
        encrypted = Set.copyOf(encrypted);
        committed = Set.copyOf(committed);
        if (!Collections.disjoint(encrypted, committed)) {
            throw new IllegalArgumentException("a field both encrypted and committed to");
        }
    }

    /** Returns whether no field is hidden. */
    public boolean isEmpty() {
        return encrypted.isEmpty() && committed.isEmpty();
    }
}
