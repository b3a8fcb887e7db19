package io.volute.storage.memory;

import java.nio.ByteBuffer;

/** Where memory outside the heap comes from. */
interface Slabs {

    /** A piece of memory, zeroed. */
    interface Slab {
        /** All of it; only absolute access, so that threads can share it. */
        ByteBuffer bytes();

        /** Gives the memory back. Nobody may touch the bytes afterwards. */
        void release();
    }

    /**
     * @throws OutOfMemoryError when the process may not have that much
     */
    Slab allocate(int bytes);
}
