package io.volute.versioning.cubes;

import io.volute.storage.BlobWriter;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.PendingBlob;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A writer whose refusals name the cube. */
record NamingWriter(BlobWriter writer, CubeSlot slot) implements BlobWriter {
    @Override
    public void write(ByteBuffer source) throws IOException {
        try {
            writer.write(source);
        } catch (CubeUnavailableException e) {
            throw slot.named(e);
        }
    }

    @Override
    public PendingBlob finish() throws IOException {
        try {
            return writer.finish();
        } catch (CubeUnavailableException e) {
            throw slot.named(e);
        }
    }

    @Override
    public void close() {
        writer.close();
    }
}
