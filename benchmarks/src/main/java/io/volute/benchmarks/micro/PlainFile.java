package io.volute.benchmarks.micro;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file filled with zeros, then written page by page with a flush each: what the disk can do. */
final class PlainFile implements AutoCloseable {
    private static final int FILE_BYTES = 64 << 20;

    private final FileChannel channel;
    private final ByteBuffer page;
    private long offset;

    PlainFile(Path path, int pageBytes) throws IOException {
        channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
        for (long at = 0; at < FILE_BYTES; at += zeros.capacity()) {
            writeAt(zeros.clear(), at);
        }
        channel.force(true);
        page = ByteBuffer.allocateDirect(pageBytes);
    }

    /** One write and one {@code fdatasync}; begins anew at the file's end. */
    long writeAndForce() throws IOException {
        if (offset + page.capacity() > FILE_BYTES) {
            offset = 0;
        }
        page.clear().putLong(0, offset);
        writeAt(page, offset);
        channel.force(false);
        offset += page.capacity();
        return offset;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void writeAt(ByteBuffer source, long at) throws IOException {
        long position = at;
        while (source.hasRemaining()) {
            position += channel.write(source, position);
        }
    }
}
