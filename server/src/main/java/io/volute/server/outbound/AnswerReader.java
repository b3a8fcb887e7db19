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

/** Reads the answers of one connection (RFC 9112). Not thread-safe. */
final class AnswerReader {
    private static final int MOST_LINE_BYTES = 8 * 1024;
    private static final int MOST_LINES = 100;

    private final InputStream in;
    private boolean hasBegun;
    private boolean isReusable;
    private int mostBytes;

    AnswerReader(InputStream in) {
        this.in = new BufferedInputStream(in);
    }

    /** A request is sent: the next byte begins its answer. */
    void begin() {
        hasBegun = false;
        isReusable = false;
    }

    /** Returns whether a byte of the answer has come. */
    boolean hasBegun() {
        return hasBegun;
    }

    /** Returns whether the connection can take another request. */
    boolean isReusable() {
        return isReusable;
    }

    /**
     * Reads the next answer.
     *
     * @param method of the request; an answer to HEAD has no body
     * @param most bytes of the body
     * @throws IOException when it is cut off, too long or no HTTP
     */
    HttpClient.Answer next(String method, int most) throws IOException {
        mostBytes = most;
        String line = line();
        int interim = 0;
        while (line.matches("HTTP/1\\.[01] 1[0-9]{2}( .*)?")) {
            if (line.startsWith("101", 9) || ++interim > MOST_LINES) {
                throw new IOException("answered with " + line.substring(9, 12));
            }
            var unused = headers();
            line = line();
        }
        if (!line.matches("HTTP/1\\.[01] [2-5][0-9]{2}( .*)?")) {
            throw new IOException("the answer is no HTTP");
        }
        int status = Integer.parseInt(line.substring(9, 12));
        Map<String, String> headers = headers();
        String connection = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
        boolean isKept = line.startsWith("HTTP/1.1") && !connection.contains("close");
        boolean isEmpty = status == 204 || status == 304 || method.equals("HEAD");
        byte[] body = isEmpty ? new byte[0] : body(headers);
        // What follows an answer belongs to no request.
        isReusable = isKept && (isEmpty || isLengthKnown(headers)) && in.available() == 0;
        return new HttpClient.Answer(status, headers, body);
    }

    /** Returns whether exactly one header gives the end of the body. */
    private static boolean isLengthKnown(Map<String, String> headers) {
        return headers.containsKey("content-length") != headers.containsKey("transfer-encoding");
    }

    private byte[] body(Map<String, String> headers) throws IOException {
        String encoding = headers.getOrDefault("transfer-encoding", "");
        if (encoding.equalsIgnoreCase("chunked")) {
            return chunks();
        }
        if (!encoding.isEmpty() || headers.containsKey("content-encoding")) {
            throw new IOException("the answer is encoded");
        }
        if (!headers.containsKey("content-length")) {
            byte[] body = in.readNBytes(mostBytes);
            bounded(body.length + (in.read() < 0 ? 0L : 1L));
            return body;
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
            String value = line.substring(colon + 1).strip();
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            String earlier = headers.put(name, value);
            boolean isAmbiguous = name.matches("content-length|transfer-encoding");
            if (isAmbiguous && earlier != null && !earlier.equals(value)) {
                throw new IOException("the answer has wrong headers");
            }
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

    private int number(String text, int radix) throws IOException {
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

    private void bounded(long bytes) throws IOException {
        if (bytes > mostBytes) {
            throw new IOException("the answer is longer than " + mostBytes + " bytes");
        }
    }

    private String line() throws IOException {
        byte[] line = new byte[MOST_LINE_BYTES];
        int length = 0;
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the answer is cut off");
            }
            hasBegun = true;
            if (length == MOST_LINE_BYTES) {
                throw new IOException("the answer has too long a line");
            }
            line[length++] = (byte) next;
        }
        return new String(line, 0, length, StandardCharsets.ISO_8859_1).stripTrailing();
    }
}
