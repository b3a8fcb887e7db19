package io.volute.versioning.value;

import io.volute.provenance.record.Entry;

/**
 * A field of provenance entries that can be hidden from readers (docs/format/provenance.md). On
 * disk by their order.
 */
public enum EntryField {
    /** The account that acted. */
    PRINCIPAL(Entry.PRINCIPAL),
    /** The access key that signed the request. */
    ACCESS_KEY("access-key"),
    /** The acting client among those with that key. */
    ACTOR("actor"),
    /** The hash of headers, user metadata and tags. */
    METADATA("metadata");

    private final String text;

    EntryField(String text) {
        this.text = text;
    }

    /** Returns its name in entries. */
    public String text() {
        return text;
    }
}
