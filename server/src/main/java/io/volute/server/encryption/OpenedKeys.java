package io.volute.server.encryption;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Data keys that one state of the keyring has opened. A shred makes another state, which begins
 * with none of them, so no key outlives its erasure secret here. Thread-safe.
 */
final class OpenedKeys {
    /** A power of two. A key takes about 600 bytes. */
    private static final int SLOTS = 1 << 14;

    private record Opened(WrappedKey wrapped, ObjectName object, DataKey key) {}

    /** A key is in the slot of its hash alone, and replaces the key that was there. */
    private final AtomicReferenceArray<Opened> slots = new AtomicReferenceArray<>(SLOTS);

    /** Returns the data key of an object, if it was opened from exactly this wrapped key. */
    Optional<DataKey> find(WrappedKey wrapped, ObjectName object) {
        return Optional.ofNullable(slots.get(slot(wrapped)))
                .filter(each -> each.object.equals(object) && each.wrapped.equals(wrapped))
                .map(Opened::key);
    }

    void add(WrappedKey wrapped, ObjectName object, DataKey key) {
        slots.set(slot(wrapped), new Opened(wrapped, object, key));
    }

    private static int slot(WrappedKey wrapped) {
        // The nonce and the ciphertext in it are random.
        int hash = wrapped.form().hashCode();
        return (hash ^ hash >>> 16) & SLOTS - 1;
    }
}
