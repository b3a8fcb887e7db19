package io.volute.versioning;

import io.volute.provenance.record.Entry;

/**
 * A field of the entries of provenance that can be kept from readers (docs/format/provenance.md).
 * On disk by their order.
 */
public enum EntryField {
    /** The account that acted. */
    PRINCIPAL(Entry.PRINCIPAL),
    /** With which the request was signed. */
    ACCESS_KEY("access-key"),
    /** Who acted, among those with that key. */
    ACTOR("actor"),
    /** The hash of headers, user metadata and tags. */
    METADATA("metadata");

    private final String text;

    EntryField(String text) {
        this.text = text;
    }

    /** Its name in entries. */
    public String text() {
        return text;
    }
}
