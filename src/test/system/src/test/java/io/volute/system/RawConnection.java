package io.volute.system;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A TCP connection that sends any bytes and reads HTTP answers one by one. */
public final class RawConnection implements AutoCloseable {
    private static final int LIMIT_MILLIS = 15_000;
    private static final int SMALL_BUFFER = 4096;
    private final Socket socket;
    private final InputStream input;

    private RawConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.input = new BufferedInputStream(socket.getInputStream());
    }

    public static RawConnection open(URI endpoint) throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout(LIMIT_MILLIS);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(endpoint.getHost(), endpoint.getPort()), LIMIT_MILLIS);
        return new RawConnection(socket);
    }

    /**
     * Opens a connection of a client that reads slowly: little of an answer lies in its kernel.
     *
     * @param from an address of this machine
     */
    public static RawConnection openSlow(URI endpoint, String from) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(SMALL_BUFFER);
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(new InetSocketAddress(endpoint.getHost(), endpoint.getPort()), LIMIT_MILLIS);
        return new RawConnection(socket);
    }

    /** One request on a connection of its own. */
    public static Answer exchange(URI endpoint, byte[] message, String method) throws IOException {
        try (RawConnection connection = open(endpoint)) {
            connection.send(message);
            return connection.read(method).orElseThrow(() -> new EOFException("no answer"));
        }
    }

    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    public void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** An answer. Header names are as they came. */
    public record Answer(int status, List<String> headers, String body) {
        public Optional<String> header(String name) {
            String start = name.toLowerCase(Locale.ROOT) + ":";
            return headers.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start))
                    .map(line -> line.substring(start.length()).strip())
                    .findFirst();
        }
    }

    /** The next answer; empty when the server has closed the connection instead. */
    public Optional<Answer> read(String method) throws IOException {
        try {
            String status = line();
            if (status.isEmpty()) {
                return Optional.empty();
            }
            if (!status.startsWith("HTTP/1.1 ") && !status.startsWith("HTTP/1.0 ")) {
                throw new IOException("not a status line: " + status);
            }
            int code = Integer.parseInt(status.substring(9, 12));
            List<String> headers = new ArrayList<>();
            for (String line = line(); !line.isEmpty(); line = line()) {
                headers.add(line);
            }
            if (code == 100) {
                return read(method);
            }
            Answer bare = new Answer(code, headers, "");
            return Optional.of(new Answer(code, headers, body(bare, method)));
        } catch (SocketException e) {
            // A reset: the server closed with bytes of ours unread.
            return Optional.empty();
        }
    }

    private String body(Answer head, String method) throws IOException {
        if (method.equals("HEAD") || head.status() == 204 || head.status() == 304) {
            return "";
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        if (head.header("transfer-encoding").orElse("").equalsIgnoreCase("chunked")) {
            for (int size = chunkSize(); size > 0; size = chunkSize()) {
                bytes.writeBytes(input.readNBytes(size));
                line();
            }
            line();
        } else if (head.header("content-length").isPresent()) {
            int length = Integer.parseInt(head.header("content-length").orElseThrow());
            bytes.writeBytes(input.readNBytes(length));
        } else {
            bytes.writeBytes(input.readAllBytes());
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(line().split(";", 2)[0].strip(), 16);
    }

    private String line() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int next = input.read(); next >= 0 && next != '\n'; next = input.read()) {
            bytes.write(next);
        }
        return bytes.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    /** All answers until the server closes; fails if it leaves the connection open. */
    public List<Answer> readUntilClosed(String method) throws IOException {
        List<Answer> answers = new ArrayList<>();
        for (Optional<Answer> next = read(method); next.isPresent(); next = read(method)) {
            answers.add(next.get());
        }
        return answers;
    }

    /** We send no more; the server sees the end of our bytes. */
    public void finishSending() throws IOException {
        socket.shutdownOutput();
    }

    /** Closes at once, so that the server sees a reset. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
