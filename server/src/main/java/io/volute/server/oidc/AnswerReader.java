package io.volute.server.oidc;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Reads the answer to a GET on a connection that is then closed (RFC 9112). Anything but status 200
 * and a body of at most {@link #MOST_BODY_BYTES} is refused. Not thread-safe.
 */
final class AnswerReader {
    private static final int MOST_BODY_BYTES = 256 * 1024;
    private static final int MOST_LINE_BYTES = 8 * 1024;
    private static final int MOST_LINES = 100;

    private final InputStream in;

    AnswerReader(InputStream in) {
        this.in = new BufferedInputStream(in);
    }

    byte[] body() throws IOException {
        String status = line();
        if (!status.matches("HTTP/1\\.[01] 200( .*)?")) {
            boolean isHttp = status.matches("HTTP/1\\.[01] [0-9]{3}( .*)?");
            throw new IOException(
                    isHttp ? "answered with " + status.substring(9, 12) : "the answer is no HTTP");
        }
        Map<String, String> headers = headers();
        String encoding = headers.getOrDefault("transfer-encoding", "");
        if (encoding.equalsIgnoreCase("chunked")) {
            return chunks();
        }
        if (!encoding.isEmpty() || headers.containsKey("content-encoding")) {
            throw new IOException("the answer is encoded");
        }
        if (!headers.containsKey("content-length")) {
            return bounded(in.readNBytes(MOST_BODY_BYTES + 1));
        }
        int length = number(headers.get("content-length"), 10);
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("the answer is cut off");
        }
        return body;
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        int lines = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon < 1 || ++lines > MOST_LINES) {
                throw new IOException("the answer has wrong headers");
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return headers;
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int length = number(line().replaceFirst(";.*", "").strip(), 16);
            if (length == 0) {
                return body.toByteArray();
            }
            bounded((long) body.size() + length);
            byte[] chunk = in.readNBytes(length);
            if (chunk.length < length || !line().isEmpty()) {
                throw new EOFException("the answer is cut off");
            }
            body.writeBytes(chunk);
        }
    }

    private static int number(String text, int radix) throws IOException {
        if (!text.matches("[0-9a-fA-F]{1,10}")) {
            throw new IOException("the answer has a wrong length");
        }
        try {
            long length = Long.parseLong(text, radix);
            bounded(length);
            return (int) length;
        } catch (NumberFormatException e) {
            throw new IOException("the answer has a wrong length", e);
        }
    }

    private static byte[] bounded(byte[] body) throws IOException {
        bounded(body.length);
        return body;
    }

    private static void bounded(long bytes) throws IOException {
        if (bytes > MOST_BODY_BYTES) {
            throw new IOException("the answer has more than " + MOST_BODY_BYTES + " bytes");
        }
    }

    private String line() throws IOException {
        byte[] line = new byte[MOST_LINE_BYTES];
        int length = 0;
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the answer is cut off");
            }
            if (length == MOST_LINE_BYTES) {
                throw new IOException("the answer has too long a line");
            }
            line[length++] = (byte) next;
        }
        return new String(line, 0, length, StandardCharsets.ISO_8859_1).stripTrailing();
    }
}
