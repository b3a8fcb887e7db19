package io.volute.benchmarks.load;

import io.volute.benchmarks.Arguments;
import io.volute.benchmarks.Wiring;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A server that does nothing: it reads a request to its end and answers 200, a GET with zeros. What
 * the driver reaches against it is the driver's own limit on a machine. A platform thread for each
 * connection, loopback only.
 */
@Wiring
public final class IdleServer implements AutoCloseable {
    private final ServerSocketChannel listener;
    private final ByteBuffer content;

    private IdleServer(int port, int contentBytes) throws IOException {
        this.listener = ServerSocketChannel.open();
        this.listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        this.listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        this.content = ByteBuffer.allocateDirect(contentBytes).asReadOnlyBuffer();
    }

    /** Arguments: port, bytes of an answer to GET (with K or M). */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int bytes = Math.toIntExact(Arguments.bytes(arguments[1]));
        try (IdleServer server = start(Integer.parseInt(arguments[0]), bytes)) {
            System.out.println("ready on port " + server.port());
            Thread.currentThread().join();
        }
    }

    /**
     * Starts accepting on a thread of its own.
     *
     * @param port 0 for any
     */
    static IdleServer start(int port, int contentBytes) throws IOException {
        IdleServer server = new IdleServer(port, contentBytes);
        Thread.ofPlatform().name("idle-accept-0").daemon().start(server::acceptAll);
        return server;
    }

    int port() throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void acceptAll() {
        try {
            for (int number = 0; listener.isOpen(); number++) {
                SocketChannel channel = listener.accept();
                Thread.ofPlatform().name("idle-" + number).daemon().start(() -> serve(channel));
            }
        } catch (IOException e) {
            // closing the listener is how the server stops
        }
    }

    private void serve(SocketChannel accepted) {
        try (SocketChannel channel = accepted) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            ByteBuffer input = ByteBuffer.allocateDirect(256 << 10).flip();
            ByteBuffer head = ByteBuffer.allocateDirect(256);
            while (true) {
                answer(channel, input, head);
            }
        } catch (IOException e) {
            // the client has left
        }
    }

    private void answer(SocketChannel channel, ByteBuffer input, ByteBuffer head)
            throws IOException {
        StringBuilder request = new StringBuilder();
        while (request.indexOf("\r\n\r\n") < 0) {
            while (input.hasRemaining()) {
                request.append((char) input.get());
                int length = request.length();
                if (request.charAt(length - 1) == '\n'
                        && length > 3
                        && request.charAt(length - 3) == '\n') {
                    break;
                }
            }
            if (request.indexOf("\r\n\r\n") < 0) {
                fill(channel, input);
            }
        }
        skip(channel, input, contentLength(request.toString()));
        boolean isGet = request.charAt(0) == 'G';
        ByteBuffer body = isGet ? content.duplicate() : ByteBuffer.allocate(0);
        String line = "HTTP/1.1 200 OK\r\nContent-Length: " + body.remaining() + "\r\n\r\n";
        head.clear().put(line.getBytes(StandardCharsets.US_ASCII)).flip();
        ByteBuffer[] both = {head, body};
        while (body.hasRemaining() || head.hasRemaining()) {
            if (channel.write(both) < 0) {
                throw new EOFException("the client has left");
            }
        }
    }

    private static long contentLength(String request) {
        String lower = request.toLowerCase(Locale.ROOT);
        int at = lower.indexOf("\r\ncontent-length:");
        if (at < 0) {
            return 0;
        }
        return Long.parseLong(lower.substring(at + 17, lower.indexOf('\r', at + 2)).trim());
    }

    private static void skip(SocketChannel channel, ByteBuffer input, long bytes)
            throws IOException {
        long left = bytes;
        while (left > 0) {
            if (!input.hasRemaining()) {
                fill(channel, input);
            }
            int size = (int) Math.min(left, input.remaining());
            input.position(input.position() + size);
            left -= size;
        }
    }

    private static void fill(SocketChannel channel, ByteBuffer input) throws IOException {
        input.clear();
        int count = channel.read(input);
        input.flip();
        if (count < 0) {
            throw new EOFException("the client has left");
        }
    }
}
