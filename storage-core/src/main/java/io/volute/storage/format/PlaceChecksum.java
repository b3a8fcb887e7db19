package io.volute.storage.format;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * A CRC32C bound to one place: it begins with cube id, segment id and offset. Segment ids are never
 * used again. So it rejects bytes of an earlier life in a recycled file, and bytes that a disk put
 * in the wrong place. Used by one thread at a time.
 */
public final class PlaceChecksum {
    private final CRC32C checksum = new CRC32C();
    private final byte[] seed = new byte[32];

    public PlaceChecksum(UUID cubeId) {
        putId(cubeId, seed);
    }

    /** Writes an id, most significant byte first, as it is printed. */
    static void putId(UUID id, byte[] target) {
        for (int i = 0; i < 8; i++) {
            target[i] = (byte) (id.getMostSignificantBits() >>> (56 - 8 * i));
            target[8 + i] = (byte) (id.getLeastSignificantBits() >>> (56 - 8 * i));
        }
    }

    /** Begins the checksum of the bytes at this offset of this segment. */
    PlaceChecksum begin(long segmentId, long offset) {
        LittleEndian.putLong(seed, 16, segmentId);
        LittleEndian.putLong(seed, 24, offset);
        checksum.reset();
        checksum.update(seed, 0, seed.length);
        return this;
    }

    /** Adds a range of the buffer. Position and limit stay as they are. */
    PlaceChecksum update(ByteBuffer source, int index, int bytes) {
        int position = source.position();
        int limit = source.limit();
        source.limit(index + bytes).position(index);
        checksum.update(source);
        source.limit(limit).position(position);
        return this;
    }

    int value() {
        return (int) checksum.getValue();
    }
}
