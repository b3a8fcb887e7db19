package io.volute.server.s3;

import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** An answer, read to its end as the HTTP layer does. */
public record TestResponse(S3Response response, byte[] body) {

    public static TestResponse of(S3Response response) {
        return switch (response.content()) {
            case S3Response.Content.None none -> new TestResponse(response, new byte[0]);
            case S3Response.Content.Bytes bytes -> new TestResponse(response, bytes.bytes());
            case S3Response.Content.Blob blob -> new TestResponse(response, read(blob));
            case S3Response.Content.Stream stream -> new TestResponse(response, read(stream));
        };
    }

    private static byte[] read(S3Response.Content.Stream stream) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            stream.writer().writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static byte[] read(S3Response.Content.Blob blob) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (var reader = blob.reader()) {
            for (long at = blob.begin(); at < blob.end(); ) {
                ByteBuffer buffer = ByteBuffer.allocate(reader.bufferBytes(at));
                reader.read(at, blob.end(), buffer);
                at += buffer.remaining();
                out.write(buffer.array(), buffer.position(), buffer.remaining());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    public int status() {
        return response.status();
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** Error code, or the status when there is no document. */
    public String code() {
        return status() >= 300 && body.length > 0
                ? xml("Error").childText("Code").orElse("?")
                : Integer.toString(status());
    }

    public XmlElement xml(String root) {
        return XmlReader.read(body, root, 100_000);
    }

    /** The id that a creation of an upload has answered. */
    public String uploadId() {
        return xml("InitiateMultipartUploadResult").childText("UploadId").orElseThrow();
    }

    public String header(String name) {
        List<String> found =
                response.headers().stream()
                        .filter(header -> header.name().equals(name))
                        .map(header -> header.value())
                        .toList();
        if (found.size() > 1) {
            throw new AssertionError("header sent twice: " + name);
        }
        return found.isEmpty() ? "" : found.get(0);
    }

    public boolean hasHeader(String name) {
        return response.headers().stream().anyMatch(header -> header.name().equals(name));
    }
}
