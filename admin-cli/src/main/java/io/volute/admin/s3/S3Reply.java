package io.volute.admin.s3;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.util.Optional;

/** A successful answer. The receiver closes it. */
public record S3Reply(HttpHeaders headers, InputStream body) implements AutoCloseable {

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
