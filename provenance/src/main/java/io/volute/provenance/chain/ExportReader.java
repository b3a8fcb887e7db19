package io.volute.provenance.chain;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Reads the frames of an export, one by one. Not thread-safe. */
public final class ExportReader {
    private final InputStream export;

    /**
     * @param export at its beginning
     * @throws RefusedException when it is no export
     * @throws IOException when it cannot be read
     */
    public ExportReader(InputStream export) throws IOException {
        this.export = export;
        if (!Bytes.of(export.readNBytes(Frame.MAGIC.length())).equals(Frame.MAGIC)) {
            throw new RefusedException("no export, or of another version");
        }
    }

    /**
     * The next frame; empty at the end of the file.
     *
     * @throws RefusedException when it is cut off, too long, or of a type that is not known
     */
    public Optional<Frame> next() throws IOException {
        int type = export.read();
        if (type < 0) {
            return Optional.empty();
        }
        byte[] length = export.readNBytes(Integer.BYTES);
        if (length.length < Integer.BYTES) {
            throw new RefusedException("cut off in the length of a frame");
        }
        long bytes = new ByteReader(Bytes.of(length), "frame").u32("length");
        if (bytes > Frame.BYTES_MAX) {
            throw new RefusedException("a frame of " + bytes + " bytes");
        }
        byte[] payload = export.readNBytes((int) bytes);
        if (payload.length < bytes) {
            throw new RefusedException("cut off in a frame");
        }
        if (type < 1 || type > Frame.Type.values().length) {
            throw new RefusedException("frame type " + type + " is unknown");
        }
        return Optional.of(new Frame(type, Bytes.of(payload)));
    }
}
