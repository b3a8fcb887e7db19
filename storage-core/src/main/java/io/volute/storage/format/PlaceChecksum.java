package io.volute.storage.format;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * CRC32C bound to one place: it begins with cube id, segment id and offset. Segment ids are never
 * used again, so bytes that an earlier life left in a recycled file, or that a disk put in the
 * wrong place, never pass. Used by one thread at a time.
 */
public final class PlaceChecksum {
    private final CRC32C checksum = new CRC32C();
    private final byte[] seed = new byte[32];

    public PlaceChecksum(UUID cubeId) {
        putId(cubeId, seed);
    }

    /** Most significant byte first, as the id is printed. */
    static void putId(UUID id, byte[] target) {
        for (int i = 0; i < 8; i++) {
            target[i] = (byte) (id.getMostSignificantBits() >>> (56 - 8 * i));
            target[8 + i] = (byte) (id.getLeastSignificantBits() >>> (56 - 8 * i));
        }
    }

    /** Begins the checksum of what lies at this offset of this segment. */
    PlaceChecksum begin(long segmentId, long offset) {
        LittleEndian.putLong(seed, 16, segmentId);
        LittleEndian.putLong(seed, 24, offset);
        checksum.reset();
        checksum.update(seed, 0, seed.length);
        return this;
    }

    /** Adds a range of the buffer; position and limit are as before afterwards. */
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
