package io.volute.server.s3.content;

import io.volute.server.s3.checksum.BodyDigests;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Moves stored bytes within the server, one chunk at a time. */
public final class BlobCopy {
    private BlobCopy() {}

    private interface Sink {
        void take(ByteBuffer bytes) throws IOException;
    }

    /** Reads {@code [begin, end)} into the writer and the digests. */
    public static void copy(
            BlobReader reader, long begin, long end, BlobWriter writer, BodyDigests digests)
            throws IOException {
        read(
                reader,
                begin,
                end,
                bytes -> {
                    digests.update(bytes);
                    writer.write(bytes);
                });
        digests.verify(Optional.empty());
    }

    /** Reads a whole blob into the digests. */
    public static void read(BlobReader reader, BodyDigests digests) throws IOException {
        read(reader, 0, reader.bytes(), digests::update);
        digests.verify(Optional.empty());
    }

    private static void read(BlobReader reader, long begin, long end, Sink sink)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(0);
        for (long offset = begin; offset < end; ) {
            int needed = reader.bufferBytes(offset);
            if (buffer.capacity() < needed) {
                buffer = ByteBuffer.allocate(needed);
            }
            buffer.clear();
            reader.read(offset, end, buffer);
            offset += buffer.remaining();
            sink.take(buffer);
        }
    }
}
