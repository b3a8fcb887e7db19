package io.volute.storage.log.migration;

import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/** The file of a draft, which reports the end of each write. */
record DraftFile(StoredFile file, LongConsumer written) implements StoredFile {

    @Override
    public void write(ByteBuffer source, long offset, WriteCause cause) throws IOException {
        written.accept(offset + source.remaining());
        file.write(source, offset, cause);
    }

    @Override
    public void writePadded(ByteBuffer source, long offset, WriteCause cause, int padding)
            throws IOException {
        written.accept(offset + source.remaining());
        file.writePadded(source, offset, cause, padding);
    }

    @Override
    public int read(ByteBuffer target, long offset) throws IOException {
        return file.read(target, offset);
    }

    @Override
    public void force() throws IOException {
        file.force();
    }

    @Override
    public boolean punch(long offset, long bytes) throws IOException {
        return file.punch(offset, bytes);
    }

    @Override
    public long allocatedBytes(long offset, long bytes) throws IOException {
        return file.allocatedBytes(offset, bytes);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
