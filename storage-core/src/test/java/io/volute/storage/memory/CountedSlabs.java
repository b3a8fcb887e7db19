package io.volute.storage.memory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Slabs that are counted, and whose bytes a test can reach. */
final class CountedSlabs implements Slabs {
    private final List<Counted> held = new ArrayList<>();
    private final NativeSlabs real = new NativeSlabs();
    private long bytesMax = Long.MAX_VALUE;
    private int allocations;

    synchronized void refuseBeyond(long bytes) {
        bytesMax = bytes;
    }

    synchronized long heldBytes() {
        return held.stream().mapToLong(slab -> slab.bytes().capacity()).sum();
    }

    synchronized int allocations() {
        return allocations;
    }

    synchronized List<ByteBuffer> held() {
        return held.stream().map(Counted::bytes).toList();
    }

    @Override
    public synchronized Slab allocate(int bytes) {
        if (heldBytes() + bytes > bytesMax) {
            throw new OutOfMemoryError("the test allows no more");
        }
        Counted slab = new Counted(real.allocate(bytes));
        held.add(slab);
        allocations++;
        return slab;
    }

    private final class Counted implements Slab {
        private final Slab slab;

        Counted(Slab slab) {
            this.slab = slab;
        }

        @Override
        public ByteBuffer bytes() {
            return slab.bytes();
        }

        @Override
        public void release() {
            synchronized (CountedSlabs.this) {
                if (!held.remove(this)) {
                    throw new IllegalStateException("released twice");
                }
            }
            slab.release();
        }
    }
}
