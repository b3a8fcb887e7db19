package io.volute.server.accesslog;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** The destination of lines. Confined to the thread that writes them. */
interface LineSink extends AutoCloseable {
    /**
     * Takes whole lines.
     *
     * @throws IOException when they cannot be written, or not all: they may be given again
     */
    void write(ByteBuffer lines) throws IOException;

    /**
     * Looks whether it still writes where it should; now and then.
     *
     * @throws IOException when it cannot
     */
    void look() throws IOException;

    @Override
    void close();

    /** Standard output, which stays open. */
    static LineSink standardOutput(OutputStream out) {
        return new LineSink() {
            @Override
            public void write(ByteBuffer lines) throws IOException {
                out.write(lines.array(), lines.position(), lines.remaining());
            }

            @Override
            public void look() {}

            @Override
            public void close() {}

            @Override
            public String toString() {
                return "standard output";
            }
        };
    }
}
