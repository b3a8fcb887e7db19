package io.volute.versioning;

import java.util.Collections;
import java.util.Set;

/**
 * Fields of new entries of provenance that not everybody can read (docs/format/provenance.md).
 *
 * @param encrypted for auditors
 * @param committed to, so that they can be withheld from who gets an export
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

    /** Whether everything is to be read by everybody. */
    public boolean isEmpty() {
        return encrypted.isEmpty() && committed.isEmpty();
    }
}
