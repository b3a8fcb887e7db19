package io.volute.server.outbound;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocketFactory;

/** A connection to an address that was checked. It carries one call at a time. */
final class HttpConnection implements Closeable {
    private static final int CONNECT_MILLIS = 5_000;
    private static final int BUFFER_BYTES = 64 * 1024;

    /** A token (RFC 9110). */
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private final Socket raw;
    private final OutputStream out;
    private final AnswerReader answers;
    private Call call;
    private long written;

    /**
     * @param raw closed at the end, which also ends a thread that waits for it
     * @param secured the same one, or TLS over it
     */
    private HttpConnection(Call call, Socket raw, Socket secured) throws IOException {
        this.call = call;
        this.raw = raw;
        out = new BufferedOutputStream(new MovingOutput(secured.getOutputStream()), BUFFER_BYTES);
        answers = new AnswerReader(new MovingInput(secured.getInputStream()));
    }

    /**
     * Connects to the first of some addresses that takes the connection.
     *
     * @param origin names the port, and the host for TLS
     */
    static HttpConnection open(Call call, URI origin, InetAddress[] addresses, SSLSocketFactory tls)
            throws IOException {
        boolean isPlain = "http".equals(origin.getScheme());
        int port = origin.getPort() >= 0 ? origin.getPort() : isPlain ? 80 : 443;
        IOException last = new IOException("the host has no address");
        for (InetAddress each : addresses) {
            Socket raw = new Socket();
            try {
                call.waitsFor(raw);
                raw.setTcpNoDelay(true);
                raw.connect(new InetSocketAddress(each, port), CONNECT_MILLIS);
                Socket secured = isPlain ? raw : Tls.over(raw, tls, origin.getHost(), port);
                return new HttpConnection(call, raw, secured);
            } catch (IOException e) {
                raw.close();
                last = e;
            }
        }
        throw last;
    }

    /** Reports the bytes that a call receives. */
    private final class MovingInput extends FilterInputStream {
        MovingInput(InputStream from) {
            super(from);
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int read = super.read(target, offset, length);
            call.moved(Math.max(read, 0));
            return read;
        }
    }

    /** Reports the bytes that a call sends. */
    private final class MovingOutput extends FilterOutputStream {
        MovingOutput(OutputStream to) {
            super(to);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            written += length;
            call.moved(length);
        }
    }

    /**
     * Sends a request, and reads its answer.
     *
     * @param mostBytes of the body
     */
    HttpClient.Answer exchange(Call next, String host, HttpClient.Request request, int mostBytes)
            throws IOException {
        call = next;
        call.waitsFor(raw);
        answers.begin();
        StringBuilder head = new StringBuilder();
        head.append(request.method()).append(' ').append(request.target()).append(" HTTP/1.1\r\n");
        append(head, "host", host);
        for (Map.Entry<String, String> each : request.headers().entrySet()) {
            append(head, each.getKey(), each.getValue());
        }
        long bytes = request.content().bytes();
        if (bytes > 0 || !request.method().matches("GET|HEAD|DELETE")) {
            append(head, "content-length", Long.toString(bytes));
        }
        byte[] encoded = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        written = 0;
        out.write(encoded);
        request.content().writeTo(out);
        out.flush();
        if (written != encoded.length + bytes) {
            throw new IOException("the content has another length than " + bytes + " bytes");
        }
        return answers.next(request.method(), mostBytes);
    }

    /** Refuses a line end: what follows it would be another header or another request. */
    private static void append(StringBuilder head, String name, String value) throws IOException {
        if (!NAME.matcher(name).matches() || value.chars().anyMatch(c -> c < ' ' && c != '\t')) {
            throw new IOException("the header " + name + " cannot be sent");
        }
        head.append(name).append(": ").append(value).append("\r\n");
    }

    /** Returns whether the other side has begun its answer to the last request. */
    boolean hasAnswered() {
        return answers.hasBegun();
    }

    /** Returns whether another request can follow: all is read, and the other side waits for it. */
    boolean isReusable() {
        return answers.isReusable();
    }

    @Override
    public void close() throws IOException {
        raw.close();
    }
}
