package io.volute.server.s3.call;

import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.S3Response;
import io.volute.storage.BlobReader;
import java.util.ArrayList;
import java.util.List;

/** Builds an answer. */
public final class Answer {
    private static final byte[] NOTHING = new byte[0];

    private final int status;
    private final List<Header> headers = new ArrayList<>();

    private Answer(int status) {
        this.status = status;
    }

    public static Answer of(int status) {
        return new Answer(status);
    }

    public int status() {
        return status;
    }

    /**
     * Adds a header.
     *
     * @throws IllegalArgumentException when the value would break the head of the answer; input is
     *     checked where it comes in, this is the second line
     */
    public Answer header(String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            if (isControl(value.charAt(i))) {
                throw new IllegalArgumentException("control character in header " + name);
            }
        }
        headers.add(new Header(name, value));
        return this;
    }

    /** Returns whether a character is not allowed in the value of a header. */
    public static boolean isControl(char c) {
        return c < ' ' && c != '\t' || c == 0x7F;
    }

    public S3Response empty() {
        return new S3Response(status, headers, new S3Response.Content.Bytes(NOTHING));
    }

    /** Returns a response without a body. It announces a length as HEAD does; -1 announces none. */
    public S3Response withoutBody(long contentLength) {
        return new S3Response(status, headers, new S3Response.Content.None(contentLength));
    }

    public S3Response xml(byte[] document) {
        return header("content-type", "application/xml").bytes(document);
    }

    /** Returns a response with this body, whose type is among the headers. */
    public S3Response bytes(byte[] body) {
        return new S3Response(status, headers, new S3Response.Content.Bytes(body));
    }

    /** Bytes {@code [begin, end)} of a blob, which the HTTP layer closes. */
    public S3Response blob(BlobReader reader, long begin, long end) {
        return new S3Response(status, headers, new S3Response.Content.Blob(reader, begin, end));
    }
}
