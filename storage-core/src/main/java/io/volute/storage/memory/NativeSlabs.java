package io.volute.storage.memory;

import java.nio.ByteBuffer;

/**
 * Direct buffers: counted against the JVM's bound on direct memory, given back to the operating
 * system once nobody refers to them. A cube has them as long as it is open, so nothing more is
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
