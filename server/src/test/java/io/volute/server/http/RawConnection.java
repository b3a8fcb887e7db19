package io.volute.server.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A client that sends exactly the given bytes and reads responses strictly. */
public final class RawConnection implements AutoCloseable {
    /** Only keeps a broken server from hanging the build. */
    private static final int HANG_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;

    /** A response. */
    public record Response(int status, List<String> headers, byte[] body) {
        public String text() {
            return new String(body, StandardCharsets.ISO_8859_1);
        }

        public Optional<String> header(String name) {
            return headers.stream()
                    .filter(h -> h.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                    .map(h -> h.substring(name.length() + 1).strip())
                    .findFirst();
        }
    }

    public RawConnection(InetSocketAddress address) throws IOException {
        this(new Socket(), address);
    }

    RawConnection(Socket socket, InetSocketAddress address) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(HANG_MILLIS);
        if (!socket.isConnected()) {
            socket.connect(address);
        }
        in = new BufferedInputStream(socket.getInputStream());
    }

    public RawConnection send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public RawConnection send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    void endInput() throws IOException {
        socket.shutdownOutput();
    }

    /** Closes with a reset instead of an orderly end. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    public Response read() throws IOException {
        return read("GET");
    }

    /** Reads a response to a request of this method. */
    public Response read(String method) throws IOException {
        Response head = readHead();
        int status = head.status();
        boolean bodiless = method.equals("HEAD") || status == 204 || status == 304 || status < 200;
        int length = bodiless ? 0 : Integer.parseInt(head.header("content-length").orElse("0"));
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("only " + body.length + " of " + length + " bytes");
        }
        return new Response(status, head.headers(), body);
    }

    /** Reads a chunked body to its last chunk. */
    public byte[] readChunked() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int length;
        do {
            length = Integer.parseInt(readLine(), 16);
            byte[] chunk = in.readNBytes(length);
            if (chunk.length < length || !readLine().isEmpty()) {
                throw new EOFException("a chunk is cut off");
            }
            body.write(chunk);
        } while (length > 0);
        return body.toByteArray();
    }

    public Response readHead() throws IOException {
        String statusLine = readLine();
        int status = Integer.parseInt(statusLine.split(" ", -1)[1]);
        List<String> headers = new ArrayList<>();
        for (String line = readLine(); !line.isEmpty(); line = readLine()) {
            headers.add(line);
        }
        return new Response(status, headers, new byte[0]);
    }

    public InputStream input() {
        return in;
    }

    /** Waits for the server's end; fails when bytes come instead. */
    public boolean isClosedByServer() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException("the server closed after: " + line);
            }
            if (b == '\n') {
                String text = line.toString(StandardCharsets.ISO_8859_1);
                if (!text.endsWith("\r")) {
                    throw new IOException("bare LF in a response");
                }
                return text.substring(0, text.length() - 1);
            }
            line.write(b);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
