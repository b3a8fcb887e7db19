package io.volute.server.cluster.hop;

import io.volute.server.outbound.Tls;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to the owner of the store, for one request at a time. Used by the thread of a
 * request, which waits for the socket; another thread may close it.
 */
final class HopConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HopConnection.class);

    /** Small, because a client needs no credential to make a node keep one for a long time. */
    private static final int BUFFER_BYTES = 8 * 1024;

    /** Bytes of a body that are copied at once. */
    static final int PIECE_BYTES = 16 * 1024;

    private static final byte[] PROBE =
            "GET /health/live HTTP/1.1\r\nhost: node\r\nconnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);
    private static final int REFUSAL_MILLIS = 500;
    private static final int LONGEST_LINE = 64 * 1024;
    private static final int MOST_HEADERS = 1_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final long openedFor;
    private final OwnerLine line;
    private final LongSupplier nanos;
    private boolean hasSentBody;

    // Times since when a thread waits for the owner to send and to take bytes; 0 if none waits.
    private volatile long readSince;
    private volatile long writeSince;

    /** Completed when an answer has begun, or the connection has ended. */
    private CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);

    /**
     * @param socket closed at the end, which also ends a write that waits
     * @param secured the same one, or TLS over it
     */
    private HopConnection(
            Socket socket, Socket secured, long openedFor, OwnerLine line, LongSupplier nanos)
            throws IOException {
        this.socket = socket;
        this.openedFor = openedFor;
        this.line = line;
        this.nanos = nanos;
        this.in = new BufferedInputStream(new TimedInput(secured.getInputStream()), BUFFER_BYTES);
        this.out =
                new BufferedOutputStream(new TimedOutput(secured.getOutputStream()), BUFFER_BYTES);
    }

    /** Notes since when a read waits, and each one that brings bytes. */
    private final class TimedInput extends FilterInputStream {
        TimedInput(InputStream from) {
            super(from);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            readSince = now();
            try {
                int read = super.read(target, offset, length);
                line.heard();
                return read;
            } finally {
                readSince = 0;
            }
        }
    }

    /** Notes since when a write waits. */
    private final class TimedOutput extends FilterOutputStream {
        TimedOutput(OutputStream to) {
            super(to);
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            writeSince = now();
            try {
                out.write(bytes, offset, length);
            } finally {
                writeSince = 0;
            }
        }
    }

    private long now() {
        long now = nanos.getAsLong();
        return now == 0 ? 1 : now;
    }

    /** Returns whether a thread has waited too long for this owner, over whatever connection. */
    boolean isSilent() {
        return isSilent(readSince) || isSilent(writeSince);
    }

    private boolean isSilent(long since) {
        return since != 0 && line.isSilentSince(since);
    }

    OwnerLine ownerLine() {
        return line;
    }

    /**
     * The means to connect to one owner.
     *
     * @param tls secures the connection; empty without TLS between nodes
     */
    record Means(OwnerLine line, Optional<SSLSocketFactory> tls, LongSupplier nanos) {}

    /**
     * Connects.
     *
     * @param election of the owner
     */
    static HopConnection open(Means means, long election) throws IOException {
        return open(means, election, means.line().limits().handshake(), Duration.ZERO);
    }

    /**
     * Returns whether the machine of a node refuses connections to it: no process listens there.
     */
    static boolean isRefused(String address) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(parsed(address), REFUSAL_MILLIS);
            return false;
        } catch (ConnectException e) {
            return true;
        }
    }

    /** Makes a request that every listener for nodes answers, over a connection of its own. */
    static void probe(Means means) throws IOException {
        Duration limit = means.line().limits().probe();
        try (HopConnection probe = open(means, 0, limit, limit)) {
            probe.out.write(PROBE);
            probe.out.flush();
            AnswerHead answer = probe.readHead();
            LOG.trace("probe of {}: {}", means.line().address(), answer.status());
        }
    }

    /**
     * @param silence longest wait for a byte of an answer; zero for any
     */
    private static HopConnection open(
            Means means, long election, Duration handshake, Duration silence) throws IOException {
        InetSocketAddress owner = parsed(means.line().address());
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            socket.connect(owner, Math.toIntExact(means.line().limits().connect().toMillis()));
            Socket secured = socket;
            if (means.tls().isPresent()) {
                socket.setSoTimeout(Math.toIntExact(handshake.toMillis()));
                secured =
                        Tls.over(socket, means.tls().get(), owner.getHostString(), owner.getPort());
                means.line().heard();
            }
            socket.setSoTimeout(Math.toIntExact(silence.toMillis()));
            return new HopConnection(socket, secured, election, means.line(), means.nanos());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Parses what ZooKeeper has, where others than nodes may be able to write. */
    private static InetSocketAddress parsed(String address) throws IOException {
        try {
            int colon = address.lastIndexOf(':');
            return new InetSocketAddress(
                    address.substring(0, colon).replaceAll("[\\[\\]]", ""),
                    Integer.parseInt(address.substring(colon + 1)));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IOException("the address of the owner is no HOST:PORT: " + address, e);
        }
    }

    /** Returns whether bytes of the body of the last request may have reached the owner. */
    boolean hasSentBody() {
        return hasSentBody;
    }

    /** Returns the election of the owner at the other end. */
    long election() {
        return openedFor;
    }

    /**
     * Sends the head of a request as the client has sent it, with one more header.
     *
     * @param seal value of that header
     */
    void sendHead(HttpHead head, String seal) throws IOException {
        hasSentBody = false;
        StringBuilder text = new StringBuilder(512);
        text.append(head.method()).append(' ').append(head.rawPath());
        if (!head.rawQuery().isEmpty()) {
            text.append('?').append(head.rawQuery());
        }
        text.append(" HTTP/1.1\r\n").append(HopSeal.HEADER).append(": ").append(seal);
        text.append("\r\n");
        for (Header header : head.headers().headers()) {
            if (!header.name().equals(HopSeal.HEADER)) {
                // Without a space, so that no line is longer than the client's.
                text.append(header.name()).append(':').append(header.value()).append("\r\n");
            }
        }
        out.write(text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    /**
     * Sends the body as the client sends it. Ends early when the owner answers before the end.
     *
     * @param isChunked whether the length of the body is unknown
     * @return whether all of it was sent
     */
    boolean sendBody(RequestBody body, boolean isChunked) throws ClientGoneException, IOException {
        hasSentBody = true;
        byte[] bytes = new byte[PIECE_BYTES];
        awaitAnswer();
        while (next(body)) {
            for (ByteBuffer piece = body.buffer(); piece.hasRemaining(); ) {
                int length = Math.min(piece.remaining(), bytes.length);
                piece.get(bytes, 0, length);
                sendPiece(bytes, length, isChunked);
            }
            if (answer.isDone()) {
                out.flush();
                return false;
            }
        }
        if (isChunked) {
            out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        out.flush();
        return true;
    }

    /**
     * Waits for an answer in a thread of its own until one is read. A socket with TLS does not
     * report whether bytes of an answer have come.
     */
    private void awaitAnswer() {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        answer = begun;
        Thread.ofVirtual()
                .name("hop-answer")
                .start(
                        () -> {
                            try {
                                in.mark(1);
                                if (in.read() >= 0) {
                                    in.reset();
                                }
                            } catch (IOException e) {
                                LOG.debug("no answer: {}", e.toString());
                            } finally {
                                begun.complete(null);
                            }
                        });
    }

    private void sendPiece(byte[] bytes, int length, boolean isChunked) throws IOException {
        if (isChunked) {
            String size = Integer.toHexString(length) + "\r\n";
            out.write(size.getBytes(StandardCharsets.US_ASCII));
        }
        out.write(bytes, 0, length);
        if (isChunked) {
            out.write('\r');
            out.write('\n');
        }
    }

    private static boolean next(RequestBody body) throws ClientGoneException {
        try {
            return body.next();
        } catch (IOException e) {
            throw new ClientGoneException(e);
        }
    }

    /** A failure of the client's connection, not of the owner's. */
    static final class ClientGoneException extends Exception {
        private static final long serialVersionUID = 1L;

        ClientGoneException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /**
     * The head of an answer.
     *
     * @param contentLength -1 if the answer has none
     */
    record AnswerHead(
            int status,
            List<Header> headers,
            long contentLength,
            boolean isChunked,
            boolean keepsConnection) {
        /** Returns whether the owner has refused the request before the store has seen it. */
        boolean isRefusal() {
            return headers.stream().anyMatch(each -> each.name().equals(HopSeal.HEADER));
        }
    }

    /** Reads the next head of an answer, which may be 100 Continue. */
    AnswerHead readHead() throws IOException {
        answer.join();
        String line = line();
        if (!line.matches("HTTP/1\\.1 [1-5][0-9]{2}( .*)?")) {
            throw new IOException("the owner's answer is no HTTP");
        }
        List<Header> headers = new ArrayList<>();
        long length = -1;
        boolean isChunked = false;
        boolean isKept = true;
        for (String each = line(); !each.isEmpty(); each = line()) {
            int colon = each.indexOf(':');
            if (colon < 1 || headers.size() == MOST_HEADERS) {
                throw new IOException("the owner's answer has wrong headers");
            }
            Header header = new Header(each.substring(0, colon), each.substring(colon + 1).strip());
            headers.add(header);
            switch (header.name()) {
                case "content-length" -> length = number(header.value(), 10);
                case "transfer-encoding" -> isChunked = true;
                case "connection" ->
                        isKept = !header.value().toLowerCase(Locale.ROOT).contains("close");
                default -> {}
            }
        }
        return new AnswerHead(
                Integer.parseInt(line.substring(9, 12)), headers, length, isChunked, isKept);
    }

    /** Reads some bytes of a body; fails at the end of the connection. */
    int read(byte[] target, int length) throws IOException {
        int read = in.read(target, 0, Math.min(length, target.length));
        if (read < 0) {
            throw cutOff();
        }
        return read;
    }

    /** Fills an array. */
    void readFully(byte[] target) throws IOException {
        if (in.readNBytes(target, 0, target.length) < target.length) {
            throw cutOff();
        }
    }

    /** Writes a chunked body to a stream, and flushes after each chunk. */
    void copyChunks(OutputStream target) throws IOException {
        byte[] bytes = new byte[PIECE_BYTES];
        for (long rest = number(line(), 16); rest > 0; rest = number(line(), 16)) {
            while (rest > 0) {
                int read = read(bytes, (int) Math.min(rest, bytes.length));
                target.write(bytes, 0, read);
                rest -= read;
            }
            target.flush();
            if (!line().isEmpty()) {
                throw new IOException("the owner's answer has a wrong chunk");
            }
        }
        if (!line().isEmpty()) {
            throw new IOException("the owner's answer has trailers");
        }
    }

    private static long number(String text, int radix) throws IOException {
        if (!text.matches("[0-9a-fA-F]{1,15}")) {
            throw new IOException("the owner's answer has a wrong length");
        }
        return Long.parseLong(text, radix);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder(80);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw cutOff();
            }
            if (line.length() == LONGEST_LINE) {
                throw new IOException("the owner's answer has too long a line");
            }
            line.append((char) next);
        }
        if (!line.isEmpty() && line.charAt(line.length() - 1) == '\r') {
            line.setLength(line.length() - 1);
        }
        return line.toString();
    }

    private static EOFException cutOff() {
        return new EOFException("the owner has closed the connection");
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // The thread that uses it sees the failure.
        }
    }
}
