package io.volute.storage.memory;

import java.nio.ByteBuffer;

/** The source of memory outside the heap. */
interface Slabs {

    /** A piece of memory, zeroed. */
    interface Slab {
        /** Returns the whole memory, for absolute access only, so that threads can share it. */
        ByteBuffer bytes();

        /** Frees the memory. No thread may use the bytes afterwards. */
        void release();
    }

    /**
     * Allocates memory.
     *
     * @throws OutOfMemoryError when the process may not have that much
     */
    Slab allocate(int bytes);
}
