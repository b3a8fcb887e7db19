package io.volute.storage.memory;

import java.nio.ByteBuffer;

/**
 * Direct buffers. They count against the JVM's bound on direct memory, and go back to the operating
 * system once nothing refers to them. A cube keeps them as long as it is open, so nothing more is
 * needed. Thread-safe.
 */
final class NativeSlabs implements Slabs {

    @Override
    public Slab allocate(int bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
        return new Slab() {
            @Override
            public ByteBuffer bytes() {
                return buffer;
            }

            @Override
            public void release() {
                // The pool has dropped it already.
            }
        };
    }
}
