package io.volute.server.outbound;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;

/** The content of a request that {@link HttpCalls} sends. */
public sealed interface Content {
    /** No content. */
    Content NONE = new Bytes(new byte[0]);

    /** Returns content in memory, which nobody changes. */
    static Content of(byte[] bytes) {
        return new Bytes(bytes);
    }

    /** Returns the content of a file, which nobody changes. */
    static Content of(Path file) {
        return new OfFile(file);
    }

    /** Opens the content to read it. */
    InputStream open() throws IOException;

    /** Returns what sends the content. */
    BodyPublisher publisher() throws IOException;

    /** Content in memory. */
    record Bytes(byte[] bytes) implements Content {
        @Override
        public InputStream open() {
            return new ByteArrayInputStream(bytes);
        }

        @Override
        public BodyPublisher publisher() {
            return bytes.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(bytes);
        }
    }

    /** A file. */
    record OfFile(Path file) implements Content {
        @Override
        public InputStream open() throws IOException {
            return Files.newInputStream(file);
        }

        @Override
        public BodyPublisher publisher() throws IOException {
            return BodyPublishers.ofFile(file);
        }
    }
}
