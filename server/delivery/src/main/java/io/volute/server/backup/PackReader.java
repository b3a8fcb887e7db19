package io.volute.server.backup;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Reads the frames of a pack, and verifies each. Used by one thread. */
final class PackReader {
    private final String name;
    private final byte[] object;
    private final FrameCodec codec;
    private final int[] begins;
    private final int[] contents;
    private final byte[][] hashes;

    /**
     * @throws IOException when the pack or its index is damaged
     */
    PackReader(String name, byte[] object, FrameCodec codec) throws IOException {
        this.name = name;
        this.object = object;
        this.codec = codec;
        int end = object.length - PackWriter.TRAILER_BYTES;
        require(end >= 0, "it is too short");
        byte[] magic = Arrays.copyOfRange(object, end + 4, object.length);
        require(Arrays.equals(magic, PackWriter.MAGIC), "it does not end as a pack does");
        int length = ByteBuffer.wrap(object).order(ByteOrder.LITTLE_ENDIAN).getInt(end);
        require(length >= 0 && length <= end, "the length of its index is " + length);
        byte[] index =
                codec.decode(
                        name,
                        FrameCodec.INDEX,
                        Arrays.copyOfRange(object, end - length, end),
                        PackWriter.FULL_BYTES);
        int frames = index.length / PackWriter.INDEX_ENTRY_BYTES;
        begins = new int[frames + 1];
        contents = new int[frames];
        hashes = new byte[frames][Hashes.BYTES];
        ByteBuffer entries = ByteBuffer.wrap(index).order(ByteOrder.LITTLE_ENDIAN);
        for (int frame = 0; frame < frames; frame++) {
            int stored = entries.getInt();
            require(stored > 0 && stored <= end - length - begins[frame], "its index is wrong");
            begins[frame + 1] = begins[frame] + stored;
            contents[frame] = entries.getInt();
            entries.get(hashes[frame]);
        }
        require(begins[frames] == end - length, "its index is not that of its frames");
    }

    private void require(boolean isTrue, String otherwise) throws IOException {
        if (!isTrue) {
            throw new IOException(name + " is damaged: " + otherwise);
        }
    }

    /** Returns the length of the content of a frame. */
    int contentBytes(int frame) {
        return contents[frame];
    }

    int frames() {
        return contents.length;
    }

    /** Returns what can be read of a damaged frame, see {@link FrameCodec#salvage}. */
    byte[] salvaged(int frame) {
        if (frame < 0 || frame >= contents.length) {
            return new byte[0];
        }
        byte[] content = new byte[Math.clamp(contents[frame], 0, FrameCodec.LONGEST_BYTES)];
        codec.salvage(Arrays.copyOfRange(object, begins[frame], begins[frame + 1]), content);
        return content;
    }

    /**
     * Returns the content of a frame.
     *
     * @throws IOException when there is no such frame, or it is damaged
     */
    byte[] frame(int frame) throws IOException {
        require(frame >= 0 && frame < contents.length, "it has no frame " + frame);
        byte[] stored = Arrays.copyOfRange(object, begins[frame], begins[frame + 1]);
        byte[] content = codec.decode(name, frame, stored, FrameCodec.LONGEST_BYTES);
        boolean isSame =
                content.length == contents[frame]
                        && Arrays.equals(Hashes.sha256(content), hashes[frame]);
        require(isSame, "frame " + frame + " has bytes that do not match its hash");
        return content;
    }
}
