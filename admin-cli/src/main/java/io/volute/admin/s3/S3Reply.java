package io.volute.admin.s3;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.util.Optional;

/** A successful answer. The receiver closes it. */
public record S3Reply(HttpHeaders headers, InputStream body) implements AutoCloseable {
    /** A page of a listing has at most about 5 MiB, a list of 100,000 buckets 15 MiB. */
    static final int DOCUMENT_BYTES_MAX = 32 << 20;

    /**
     * Reads the body as a document.
     *
     * @throws IOException if it cannot be read, or has more than 32 MiB
     */
    public byte[] document() throws IOException {
        byte[] document = body.readNBytes(DOCUMENT_BYTES_MAX + 1);
        if (document.length > DOCUMENT_BYTES_MAX) {
            throw new IOException("the answer has more than 32 MiB");
        }
        return document;
    }

    /** Returns the first value of a header. */
    public Optional<String> header(String name) {
        return headers.firstValue(name);
    }

    /** Returns the ETag without quotation marks; empty without one. */
    public String etag() {
        return header("etag").orElse("").replace("\"", "");
    }

    @Override
    public void close() throws IOException {
        body.close();
    }
}
