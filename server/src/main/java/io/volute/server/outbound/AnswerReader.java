package io.volute.server.outbound;

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
 * Reads the answers of one connection (RFC 9112). A body has at most {@link #MOST_BODY_BYTES}. Not
 * thread-safe.
 */
public final class AnswerReader {
    private static final int MOST_BODY_BYTES = 256 * 1024;
    private static final int MOST_LINE_BYTES = 8 * 1024;
    private static final int MOST_LINES = 100;

    private final InputStream in;
    private int interim;

    public AnswerReader(InputStream in) {
        this.in = new BufferedInputStream(in);
    }

    /**
     * An answer.
     *
     * @param headers by lower-case name
     * @param isReusable whether the connection can take another request
     */
    public record Answer(
            int status, Map<String, String> headers, byte[] body, boolean isReusable) {}

    /**
     * Reads the next answer to a GET or POST.
     *
     * @throws IOException when it is cut off, too long or no HTTP
     */
    public Answer next() throws IOException {
        return next("GET");
    }

    /** Reads the next answer to a request with this method; one to HEAD has no body. */
    public Answer next(String method) throws IOException {
        String line = line();
        if (!line.matches("HTTP/1\\.[01] [1-5][0-9]{2}( .*)?")) {
            throw new IOException("the answer is no HTTP");
        }
        int status = Integer.parseInt(line.substring(9, 12));
        Map<String, String> headers = headers();
        if (status < 200) {
            if (status == 101 || ++interim > MOST_LINES) {
                throw new IOException("answered with " + status);
            }
            return next(method);
        }
        String connection = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
        boolean isKept = line.startsWith("HTTP/1.1") && !connection.contains("close");
        if (status == 204 || status == 304 || method.equals("HEAD")) {
            return new Answer(status, headers, new byte[0], isKept);
        }
        String encoding = headers.getOrDefault("transfer-encoding", "");
        if (encoding.equalsIgnoreCase("chunked")) {
            return new Answer(status, headers, chunks(), isKept);
        }
        if (!encoding.isEmpty() || headers.containsKey("content-encoding")) {
            throw new IOException("the answer is encoded");
        }
        if (!headers.containsKey("content-length")) {
            return new Answer(status, headers, bounded(in.readNBytes(MOST_BODY_BYTES + 1)), false);
        }
        int length = number(headers.get("content-length"), 10);
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("the answer is cut off");
        }
        return new Answer(status, headers, body, isKept);
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
                headers();
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
