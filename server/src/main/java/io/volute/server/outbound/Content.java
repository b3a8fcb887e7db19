package io.volute.server.outbound;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The content of a request.
 *
 * @param bytes its length
 * @param writer writes all of it, the same bytes for each attempt
 * @param isSigned whether the signature of a request covers it, for which it is written once more
 */
public record Content(long bytes, Writer writer, boolean isSigned) {
    /** No content. */
    public static final Content NONE = of(new byte[0]);

    /** Returns content in memory, which nobody changes. */
    public static Content of(byte[] bytes) {
        return new Content(bytes.length, out -> out.write(bytes), true);
    }

    /** Returns the content of a file, which nobody changes. */
    public static Content of(Path file) throws IOException {
        return new Content(Files.size(file), out -> Files.copy(file, out), true);
    }

    /** Returns content that no signature covers. */
    public static Content unsigned(long bytes, Writer writer) {
        return new Content(bytes, writer, false);
    }

    /** Writes all bytes of a content. */
    @FunctionalInterface
    public interface Writer {
        void writeTo(OutputStream out) throws IOException;
    }

    void writeTo(OutputStream out) throws IOException {
        writer.writeTo(out);
    }
}
