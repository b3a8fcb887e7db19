package io.volute.server.notification;

import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.AnswerReader;
import io.volute.server.outbound.AnswerReader.Answer;
import io.volute.server.outbound.Tls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;

/**
 * A connection to a webhook, opened when it is needed and kept while the other side keeps it. One
 * thread posts; another may close.
 */
final class WebhookConnection implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;

    /** Time for a connection, a request and its answer. */
    private static final int MOST_MILLIS = 30_000;

    private final URI url;
    private final Addresses addresses;
    private final SSLSocketFactory tls;
    private final Optional<Path> token;
    private final ScheduledExecutorService deadlines;

    // Under the monitor.
    private Socket open;
    private boolean isClosed;

    // Of the posting thread.
    private Socket kept;
    private AnswerReader answers;

    WebhookConnection(
            URI url,
            Addresses addresses,
            SSLSocketFactory tls,
            Optional<Path> token,
            ScheduledExecutorService deadlines) {
        this.url = url;
        this.addresses = addresses;
        this.tls = tls;
        this.token = token;
        this.deadlines = deadlines;
    }

    /**
     * Posts a document.
     *
     * @throws IOException when the other side did not answer that it has the document
     */
    void post(byte[] document) throws IOException {
        ScheduledFuture<?> deadline;
        try {
            deadline = deadlines.schedule(this::cut, MOST_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            throw new IOException("the delivery has ended", e);
        }
        try {
            Answer answer = answer(document);
            if (answer.status() / 100 != 2) {
                throw new IOException(url + " answered with " + answer.status());
            }
        } finally {
            deadline.cancel(false);
        }
    }

    private Answer answer(byte[] document) throws IOException {
        boolean isReused = kept != null;
        try {
            return exchange(document);
        } catch (IOException e) {
            forget();
            if (!isReused) {
                throw new IOException("POST " + url + ": " + e.getMessage(), e);
            }
        }
        // The other side may have closed a connection that was kept.
        try {
            return exchange(document);
        } catch (IOException e) {
            forget();
            throw new IOException("POST " + url + ": " + e.getMessage(), e);
        }
    }

    private Answer exchange(byte[] document) throws IOException {
        if (kept == null) {
            kept = connect();
            answers = new AnswerReader(kept.getInputStream());
        }
        kept.getOutputStream().write(request(document));
        kept.getOutputStream().flush();
        Answer answer = answers.next();
        if (!answer.isReusable()) {
            forget();
        }
        return answer;
    }

    private byte[] request(byte[] document) throws IOException {
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        String head =
                "POST "
                        + path
                        + query
                        + " HTTP/1.1\r\nhost: "
                        + url.getRawAuthority()
                        + "\r\ncontent-type: application/json\r\ncontent-length: "
                        + document.length
                        + (token.isPresent() ? authorization(token.get()) : "")
                        + "\r\n\r\n";
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(document);
        return request.toByteArray();
    }

    /** Reads the token for each request: it may be renewed while the server runs. */
    static String authorization(Path token) throws IOException {
        return "\r\nauthorization: Bearer " + SecretFile.line("the token file", token);
    }

    private Socket connect() throws IOException {
        boolean isPlain = "http".equals(url.getScheme());
        int port = url.getPort() >= 0 ? url.getPort() : isPlain ? 80 : 443;
        IOException last = new IOException("the host has no address");
        for (InetAddress each : addresses.of(url)) {
            Socket raw = registered(new Socket());
            try {
                raw.setTcpNoDelay(true);
                raw.connect(new InetSocketAddress(each, port), CONNECT_MILLIS);
                raw.setSoTimeout(MOST_MILLIS);
                return isPlain ? raw : Tls.over(raw, tls, url.getHost(), port);
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
            throw new IOException("the delivery has ended");
        }
        open = socket;
        return socket;
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
