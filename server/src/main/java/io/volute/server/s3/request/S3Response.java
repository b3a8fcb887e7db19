package io.volute.server.s3.request;

import io.volute.storage.BlobReader;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * An answer as the protocol layer makes it; the HTTP layer adds framing, date, server and request
 * id.
 */
public record S3Response(int status, List<HeaderList.Header> headers, Content content) {
    public S3Response {
        headers = List.copyOf(headers);
    }

    /** Makes a body. */
    @FunctionalInterface
    public interface Writer {
        /** Called once; waits for the client. The target is not to be closed. */
        void writeTo(OutputStream target) throws IOException;
    }

    /** The body. */
    public sealed interface Content {
        /** No body. {@code contentLength} is what HEAD announces; -1 announces nothing. */
        record None(long contentLength) implements Content {}

        /** A body in memory (XML). */
        record Bytes(byte[] bytes) implements Content {}

        /** Bytes {@code [begin, end)} of a blob; the HTTP layer reads, sends and closes it. */
        record Blob(BlobReader reader, long begin, long end) implements Content {}

        /**
         * Bytes that are made while they are sent, as many as there are. Cut off when the writer
         * fails, which the client sees.
         */
        record Stream(Writer writer) implements Content {}
    }
}
