package io.volute.benchmarks.http;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One kept-alive HTTP/1.1 connection with a blocking socket: as little client as a measurement
 * needs. Content is not copied to the heap. Used by one thread; {@link #close} may come from
 * another.
 */
public final class HttpConnection implements AutoCloseable {
    /** Takes the content of an answer piece by piece. */
    public interface ContentSink {
        /** Takes the piece from its position to its limit, all of it. */
        void take(ByteBuffer piece) throws IOException;
    }

    /** An answer's status and the length of its content. */
    public record Answer(int status, long contentBytes) {
        /** Returns whether the status is 2xx. */
        public boolean isSuccess() {
            return status >= 200 && status < 300;
        }
    }

    /** Takes content that is of no interest. */
    public static final ContentSink DISCARD = piece -> piece.position(piece.limit());

    private static final int BUFFER_BYTES = 256 << 10;
    private static final int HEAD_BYTES_MAX = 64 << 10;

    private final InetSocketAddress address;
    private final ByteBuffer input = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
    private final ByteBuffer headOut = ByteBuffer.allocateDirect(16 << 10);
    private final ByteBuffer[] gather = new ByteBuffer[2];
    private final byte[] line = new byte[HEAD_BYTES_MAX];
    private volatile SocketChannel channel;
    private volatile boolean closed;

    /** Connects when it is first used. */
    public HttpConnection(InetSocketAddress address) {
        this.address = address;
    }

    /**
     * Sends a request and reads its whole answer. After an exception the next call connects anew.
     *
     * @param head request line and headers with the empty line
     * @param body from its position to its limit; both are consumed
     */
    public Answer exchange(AsciiBuffer head, ByteBuffer body, boolean isHead, ContentSink sink)
            throws IOException {
        boolean whole = false;
        try {
            SocketChannel open = connected();
            headOut.clear();
            head.copyTo(headOut);
            gather[0] = headOut.flip();
            gather[1] = body;
            while (body.hasRemaining() || headOut.hasRemaining()) {
                long written = open.write(gather);
                if (written < 0) {
                    throw new EOFException("the server closed the connection while it was sent to");
                }
            }
            Answer answer = readAnswer(open, isHead, sink);
            whole = true;
            return answer;
        } finally {
            if (!whole) {
                drop();
            }
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        drop();
    }

    private SocketChannel connected() throws IOException {
        SocketChannel open = channel;
        if (open != null) {
            return open;
        }
        if (closed) {
            throw new IOException("the run is over");
        }
        open = SocketChannel.open();
        open.setOption(StandardSocketOptions.TCP_NODELAY, true);
        open.connect(address);
        input.clear().flip();
        channel = open;
        return open;
    }

    private void drop() throws IOException {
        SocketChannel open = channel;
        channel = null;
        if (open != null) {
            open.close();
        }
    }

    private Answer readAnswer(SocketChannel open, boolean isHead, ContentSink sink)
            throws IOException {
        int status = readStatus(open);
        long length = -1;
        boolean chunked = false;
        boolean close = false;
        while (true) {
            int size = readLine(open);
            if (size == 0) {
                if (status >= 200) {
                    break;
                }
                status = readStatus(open);
                continue;
            }
            if (startsWith("content-length:")) {
                length = Long.parseLong(text(15, size).trim());
            } else if (startsWith("transfer-encoding:")) {
                chunked = text(18, size).toLowerCase(Locale.ROOT).contains("chunked");
            } else if (startsWith("connection:")) {
                close = text(11, size).toLowerCase(Locale.ROOT).contains("close");
            }
        }
        long content = 0;
        if (!isHead && status != 204 && status != 304) {
            if (chunked) {
                content = readChunks(open, sink);
            } else if (length >= 0) {
                content = length;
                readContent(open, length, sink);
            } else {
                throw new ProtocolException("an answer without a length, status " + status);
            }
        }
        if (close) {
            drop();
        }
        return new Answer(status, content);
    }

    private int readStatus(SocketChannel open) throws IOException {
        int size = readLine(open);
        if (size < 12 || !startsWith("http/1.1 ")) {
            throw new ProtocolException("not an HTTP/1.1 answer: " + text(0, size));
        }
        return (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    }

    private long readChunks(SocketChannel open, ContentSink sink) throws IOException {
        long content = 0;
        while (true) {
            int size = readLine(open);
            String number = text(0, size);
            int semicolon = number.indexOf(';');
            if (semicolon >= 0) {
                number = number.substring(0, semicolon);
            }
            long chunk = Long.parseLong(number.trim(), 16);
            if (chunk == 0) {
                while (readLine(open) != 0) {
                    // trailers are of no interest
                }
                return content;
            }
            readContent(open, chunk, sink);
            content += chunk;
            if (readLine(open) != 0) {
                throw new ProtocolException("a chunk is longer than it said");
            }
        }
    }

    private void readContent(SocketChannel open, long bytes, ContentSink sink) throws IOException {
        long left = bytes;
        while (left > 0) {
            if (!input.hasRemaining()) {
                fill(open);
            }
            int size = (int) Math.min(left, input.remaining());
            int limit = input.limit();
            int end = input.position() + size;
            input.limit(end);
            sink.take(input);
            input.limit(limit).position(end);
            left -= size;
        }
    }

    /** Reads a line into {@link #line}; returns its length without the line end. */
    private int readLine(SocketChannel open) throws IOException {
        int size = 0;
        while (true) {
            if (!input.hasRemaining()) {
                fill(open);
            }
            byte b = input.get();
            if (b == '\n') {
                return size > 0 && line[size - 1] == '\r' ? size - 1 : size;
            }
            if (size == line.length) {
                throw new ProtocolException("a line of more than " + HEAD_BYTES_MAX + " bytes");
            }
            line[size++] = b;
        }
    }

    private void fill(SocketChannel open) throws IOException {
        input.clear();
        int count = open.read(input);
        input.flip();
        if (count < 0) {
            throw new EOFException("the server closed the connection before its answer was whole");
        }
    }

    private boolean startsWith(String lowerCase) {
        for (int i = 0; i < lowerCase.length(); i++) {
            byte b = line[i];
            int lower = b >= 'A' && b <= 'Z' ? b + 32 : b;
            if (lower != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private String text(int begin, int end) {
        return new String(line, begin, Math.max(0, end - begin), StandardCharsets.ISO_8859_1);
    }
}
