package io.volute.versioning.read;

import io.volute.storage.StoredRecord;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The details of some rows that reads have found, so that an object with more attributes than its
 * row holds needs no read of the log for them. A sequence names one entry of the log for ever, so
 * no detail changes. Thread-safe.
 */
final class DetailCache {
    private static final int SLOT_BITS = 14;

    /** 2^64 divided by the golden ratio, which spreads sequences at equal distances. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private static final int LONGEST_BYTES = 512;

    private record Known(long sequence, byte[] detail) {}

    /** A detail is in the slot of its sequence alone, and replaces the one that was there. */
    private final Optional<AtomicReferenceArray<Known>> slots;

    private DetailCache(Optional<AtomicReferenceArray<Known>> slots) {
        this.slots = slots;
    }

    /** Creates a cache for the rows of one cube. */
    static DetailCache create() {
        return new DetailCache(Optional.of(new AtomicReferenceArray<>(1 << SLOT_BITS)));
    }

    /** Returns a cache that keeps nothing. */
    static DetailCache none() {
        return new DetailCache(Optional.empty());
    }

    /** Reads a detail. */
    interface Source {
        byte[] read() throws IOException;
    }

    /** Returns the detail of a row, which the caller must not change. */
    byte[] detail(StoredRecord record, Source source) throws IOException {
        if (slots.isEmpty() || record.detailBytes() > LONGEST_BYTES) {
            return source.read();
        }
        int slot = (int) (record.sequence() * GOLDEN >>> Long.SIZE - SLOT_BITS);
        Known known = slots.get().get(slot);
        if (known == null || known.sequence != record.sequence()) {
            known = new Known(record.sequence(), source.read());
            slots.get().set(slot, known);
        }
        return known.detail;
    }
}
