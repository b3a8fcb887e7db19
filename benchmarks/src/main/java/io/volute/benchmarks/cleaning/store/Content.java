package io.volute.benchmarks.cleaning.store;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Bytes of objects, so that every version of every key has its own. Thread-safe. */
public final class Content {
    static final int BYTES_MIN = 16;
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int BYTES_MAX = 128 << 10;

    private final byte[] block = new byte[BLOCK_BYTES + BYTES_MAX];

    public Content(long seed) {
        new SplittableRandom(seed).nextBytes(block);
    }

    /** Fills the buffer, from its start, with what this version of the key holds. */
    void fill(ByteBuffer target, long key, int version, int bytes) {
        if (bytes < BYTES_MIN || bytes > BYTES_MAX) {
            throw new IllegalArgumentException("objects have 16 bytes to 128 KiB, not " + bytes);
        }
        target.clear();
        target.putLong(key).putInt(version).putInt(bytes);
        target.put(block, start(key, version), bytes - BYTES_MIN);
        target.flip();
    }

    /** Returns whether the remaining bytes are the content of this version of the key. */
    boolean isOf(ByteBuffer found, long key, int version, int bytes) {
        return found.remaining() == bytes
                && found.getLong() == key
                && found.getInt() == version
                && found.getInt() == bytes
                && found.equals(ByteBuffer.wrap(block, start(key, version), bytes - BYTES_MIN));
    }

    private static int start(long key, int version) {
        long mixed = (key * 31 + version) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 44) & (BLOCK_BYTES - 1);
    }
}
