package io.volute.server.outbound;

import io.volute.server.outbound.AnswerReader.Answer;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;

/**
 * Requests over one connection, which is opened when it is needed and kept while the other side
 * keeps it. One thread sends; another may close.
 */
public final class HttpExchange implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;

    /** Least bytes/s of a request's body over its whole length. */
    private static final long LEAST_BODY_RATE = 64 * 1024;

    private static final int BUFFER_BYTES = 64 * 1024;

    private final URI origin;
    private final Addresses addresses;
    private final SSLSocketFactory tls;
    private final int answerMillis;
    private final ScheduledExecutorService deadlines;

    // Under the monitor.
    private Socket open;
    private boolean isClosed;

    // Of the sending thread.
    private Socket kept;
    private AnswerReader answers;

    /**
     * @param origin scheme, host and perhaps a port; the rest is ignored
     * @param answerTime for a connection, a request and its answer, beside the time for a body
     * @param deadlines cuts off what takes too long
     */
    public HttpExchange(
            URI origin,
            Addresses addresses,
            SSLSocketFactory tls,
            Duration answerTime,
            ScheduledExecutorService deadlines) {
        this.origin = origin;
        this.addresses = addresses;
        this.tls = tls;
        this.answerMillis = (int) answerTime.toMillis();
        this.deadlines = deadlines;
    }

    /** Returns the host and perhaps the port, as the Host header has it. */
    public String authority() {
        return origin.getRawAuthority();
    }

    /** A body, written anew for each attempt. */
    public interface Body {
        /** No body. */
        Body NONE = out -> {};

        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Sends a request, and returns its answer. A request over a connection that the other side has
     * closed meanwhile is sent again.
     *
     * @param target path and query
     * @param headers with the length of the body
     * @param bytes length of the body
     */
    public Answer send(
            String method, String target, Map<String, String> headers, Body body, long bytes)
            throws IOException {
        long millis = answerMillis + bytes * 1000 / LEAST_BODY_RATE;
        ScheduledFuture<?> deadline;
        try {
            deadline = deadlines.schedule(this::cut, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            throw ended();
        }
        boolean isReused = kept != null;
        try {
            return exchange(method, target, headers, body);
        } catch (IOException e) {
            forget();
            if (!isReused) {
                throw failed(e);
            }
        } finally {
            deadline.cancel(false);
        }
        return send(method, target, headers, body, bytes);
    }

    private IOException failed(IOException e) {
        return new IOException(origin + ": " + e.getMessage(), e);
    }

    private Answer exchange(String method, String target, Map<String, String> headers, Body body)
            throws IOException {
        if (kept == null) {
            kept = connect();
            answers = new AnswerReader(kept.getInputStream());
        }
        StringBuilder head = new StringBuilder();
        head.append(method).append(' ').append(target).append(" HTTP/1.1\r\nhost: ");
        head.append(authority()).append("\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        OutputStream out = new BufferedOutputStream(kept.getOutputStream(), BUFFER_BYTES);
        out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        body.writeTo(out);
        out.flush();
        Answer answer = answers.next(method);
        if (!answer.isReusable()) {
            forget();
        }
        return answer;
    }

    private Socket connect() throws IOException {
        boolean isPlain = "http".equals(origin.getScheme());
        int port = origin.getPort() >= 0 ? origin.getPort() : isPlain ? 80 : 443;
        IOException last = new IOException("the host has no address");
        for (InetAddress each : addresses.of(origin)) {
            Socket raw = registered(new Socket());
            try {
                raw.setTcpNoDelay(true);
                raw.connect(new InetSocketAddress(each, port), CONNECT_MILLIS);
                raw.setSoTimeout(answerMillis);
                return isPlain ? raw : Tls.over(raw, tls, origin.getHost(), port);
            } catch (IOException e) {
                raw.close();
                last = e;
            }
        }
        throw last;
    }

    private synchronized Socket registered(Socket socket) throws IOException {
        if (isClosed) {
            socket.close();
            throw ended();
        }
        open = socket;
        return socket;
    }

    private static IOException ended() {
        return new IOException("the connection has ended");
    }

    private void forget() {
        kept = null;
        cut();
    }

    /** Closes the connection, so that a thread that waits for it fails. */
    private synchronized void cut() {
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            // The thread that uses it sees the failure.
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        cut();
    }
}
