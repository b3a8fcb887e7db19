package io.volute.provenance.record;

import java.util.Optional;

/** The kind of an event of a key; the code is part of the format. */
public enum EventKind {
    WRITE(1),
    DELETE(2),
    METADATA(3),
    TAGS(4),
    ACL(5),
    LOCK(6),
    COPY(7),
    RESTORE(8),
    PURGE(9),
    SUMMARY(10),
    ROTATION(11),
    /** Settings of provenance changed; only in the store's own chain. */
    SETTINGS(12);

    private static final EventKind[] KINDS = values();

    private final int code;

    EventKind(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    public static Optional<EventKind> of(int code) {
        return code >= 1 && code <= KINDS.length ? Optional.of(KINDS[code - 1]) : Optional.empty();
    }

    /** Returns whether the content hash of this kind covers the bytes of an object. */
    public boolean setsContent() {
        return this == WRITE || this == COPY || this == RESTORE;
    }
}
