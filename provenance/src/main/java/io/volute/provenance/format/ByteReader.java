package io.volute.provenance.format;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads what {@link ByteWriter} writes and refuses everything else; never reserves memory for a
 * length that the bytes do not have. Not thread-safe.
 */
public final class ByteReader {
    private final byte[] bytes;
    private final String what;
    private int index;

    /**
     * @param what is read, for messages
     */
    public ByteReader(Bytes bytes, String what) {
        this.bytes = bytes.array();
        this.what = what;
    }

    public int u8(String name) throws RefusedException {
        return (int) number(1, name);
    }

    public int u16(String name) throws RefusedException {
        return (int) number(2, name);
    }

    public long u32(String name) throws RefusedException {
        return number(4, name);
    }

    public long u64(String name) throws RefusedException {
        long value = number(8, name);
        if (value < 0) {
            throw refused(name + " is not below 2^63");
        }
        return value;
    }

    private long number(int count, String name) throws RefusedException {
        need(count, name);
        long value = 0;
        for (int i = 0; i < count; i++) {
            value = value << 8 | bytes[index++] & 0xFF;
        }
        return value;
    }

    /** A code that must be the only one known. */
    public void only(int expected, String name) throws RefusedException {
        int found = u8(name);
        if (found != expected) {
            throw refused(name + " " + found + " is unknown; known is " + expected);
        }
    }

    public Bytes raw(int count, String name) throws RefusedException {
        need(count, name);
        index += count;
        return Bytes.owned(Arrays.copyOfRange(bytes, index - count, index));
    }

    public Hash hash(String name) throws RefusedException {
        need(Hash.BYTES, name);
        index += Hash.BYTES;
        return Hash.owned(Arrays.copyOfRange(bytes, index - Hash.BYTES, index));
    }

    public List<Hash> hashes(int max, String name) throws RefusedException {
        int count = count(max, name);
        List<Hash> hashes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            hashes.add(hash(name));
        }
        return List.copyOf(hashes);
    }

    /** A u8 that is at most {@code max}. */
    public int count(int max, String name) throws RefusedException {
        int count = u8(name);
        if (count > max) {
            throw refused(count + " " + name + ", at most " + max);
        }
        return count;
    }

    public Bytes bytes16(int min, int max, String name) throws RefusedException {
        return limited(u16(name), min, max, name);
    }

    public Bytes bytes32(int min, int max, String name) throws RefusedException {
        return limited(u32(name), min, max, name);
    }

    private Bytes limited(long count, int min, int max, String name) throws RefusedException {
        if (count < min || count > max) {
            throw refused(name + " has " + count + " bytes, not " + min + " to " + max);
        }
        return raw((int) count, name);
    }

    public String text(int min, int max, String name) throws RefusedException {
        Bytes text = bytes16(min, max, name);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text.array()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw refused(name + " is not UTF-8");
        }
    }

    public boolean hasMore() {
        return index < bytes.length;
    }

    /** Nothing may be left. */
    public void end() throws RefusedException {
        if (index != bytes.length) {
            throw refused(bytes.length - index + " bytes are left over");
        }
    }

    public RefusedException refused(String message) {
        return new RefusedException(what + ", at byte " + index + ": " + message);
    }

    private void need(int count, String name) throws RefusedException {
        if (bytes.length - index < count) {
            throw refused("cut off in " + name);
        }
    }
}
