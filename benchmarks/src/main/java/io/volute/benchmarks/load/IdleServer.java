package io.volute.benchmarks.load;

import io.volute.benchmarks.CommandLines.ByteCount;
import io.volute.benchmarks.Wiring;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * A server that does nothing: it reads a request to its end and answers 200, a GET with zeros. What
 * the driver reaches against it is the driver's own limit on a machine. A platform thread for each
 * connection, loopback only.
 */
@Wiring
public final class IdleServer implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final ServerSocket listener;
    private final byte[] answerWithContent;

    private IdleServer(int port, int contentBytes) throws IOException {
        this.listener = new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
        byte[] head = head(contentBytes);
        this.answerWithContent = Arrays.copyOf(head, head.length + contentBytes);
    }

    /** Arguments: port, bytes of an answer to GET (with K or M). */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int bytes = Math.toIntExact(new ByteCount().convert(arguments[1]));
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

    int port() {
        return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void acceptAll() {
        try {
            for (int number = 0; true; number++) {
                Socket accepted = listener.accept();
                Thread.ofPlatform().name("idle-" + number).daemon().start(() -> serve(accepted));
            }
        } catch (IOException e) {
            // closing the listener is how the server stops
        }
    }

    private void serve(Socket accepted) {
        try (Socket socket = accepted) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
            OutputStream out = socket.getOutputStream();
            byte[] empty = head(0);
            while (true) {
                boolean isGet = line(in).startsWith("GET ");
                long length = 0;
                for (String line = line(in); !line.isEmpty(); line = line(in)) {
                    if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                        length = Long.parseLong(line.substring(15).trim());
                    }
                }
                in.skipNBytes(length);
                out.write(isGet ? answerWithContent : empty);
            }
        } catch (IOException e) {
            // the client has left
        }
    }

    private static byte[] head(int contentBytes) {
        String head = "HTTP/1.1 200 OK\r\nContent-Length: " + contentBytes + "\r\n\r\n";
        return head.getBytes(StandardCharsets.US_ASCII);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the client has left");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
