package io.volute.server.backup;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects frames to a pack in memory.
 *
 * <pre>
 *   frames | index, a frame itself | u32 length of the index | "VLTPACK1"
 *   index:  for each frame u32 stored length, u32 content length, 32 bytes SHA-256 of the content
 * </pre>
 *
 * Used by one thread.
 */
final class PackWriter {
    /** The size at which a pack is put. */
    static final int FULL_BYTES = 16 << 20;

    /** A full pack, its last frame and an index that {@link PackReader} takes. */
    static final int MOST_BYTES = FULL_BYTES + FrameCodec.LONGEST_BYTES + FULL_BYTES + 4096;

    static final byte[] MAGIC = "VLTPACK1".getBytes(StandardCharsets.US_ASCII);
    static final int TRAILER_BYTES = 4 + MAGIC.length;
    static final int INDEX_ENTRY_BYTES = 4 + 4 + Hashes.BYTES;

    private record Entry(int stored, int content, byte[] sha256) {}

    private final String name;
    private final FrameCodec codec;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(FULL_BYTES);
    private final List<Entry> index = new ArrayList<>();

    PackWriter(String name, FrameCodec codec) {
        this.name = name;
        this.codec = codec;
    }

    /** Adds a frame; returns its number. */
    int add(byte[] content) {
        byte[] stored = codec.encode(name, index.size(), content);
        bytes.writeBytes(stored);
        index.add(new Entry(stored.length, content.length, Hashes.sha256(content)));
        return index.size() - 1;
    }

    boolean isFull() {
        return bytes.size() >= FULL_BYTES;
    }

    boolean isEmpty() {
        return index.isEmpty();
    }

    int frames() {
        return index.size();
    }

    String name() {
        return name;
    }

    /** Returns the object. */
    byte[] finish() {
        ByteBuffer entries =
                ByteBuffer.allocate(index.size() * INDEX_ENTRY_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        for (Entry each : index) {
            entries.putInt(each.stored()).putInt(each.content()).put(each.sha256());
        }
        byte[] stored = codec.encode(name, FrameCodec.INDEX, entries.array());
        bytes.writeBytes(stored);
        ByteBuffer trailer = ByteBuffer.allocate(TRAILER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        trailer.putInt(stored.length).put(MAGIC);
        bytes.writeBytes(trailer.array());
        return bytes.toByteArray();
    }
}
