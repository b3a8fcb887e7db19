package io.volute.system.bookkeeper;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Passes each connection to the next server in turn that accepts one, as a load balancer of TCP
 * does. It knows nothing of requests and does not repeat them.
 */
final class LoadBalancer implements AutoCloseable {
    private static final int PIECE_BYTES = 16 * 1024;

    private final ServerSocket listening =
            new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Integer> ports;
    private final AtomicInteger turn = new AtomicInteger();

    LoadBalancer(List<URI> servers) throws IOException {
        ports = servers.stream().map(URI::getPort).toList();
        Thread.ofVirtual().name("balancer").start(this::accept);
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort());
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (IOException e) {
            // Closed at the end.
        }
    }

    private void serve(Socket client) {
        Optional<Socket> server = connect();
        if (server.isEmpty()) {
            close(client);
            return;
        }
        Thread.ofVirtual().start(() -> copy(client, server.get()));
        copy(server.get(), client);
    }

    private Optional<Socket> connect() {
        List<Integer> order = new ArrayList<>(ports);
        Collections.rotate(order, turn.getAndIncrement());
        for (int port : order) {
            try {
                return Optional.of(new Socket(InetAddress.getLoopbackAddress(), port));
            } catch (IOException e) {
                // The next one.
            }
        }
        return Optional.empty();
    }

    private static void copy(Socket from, Socket to) {
        byte[] bytes = new byte[PIECE_BYTES];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                out.write(bytes, 0, read);
            }
        } catch (IOException e) {
            // The other direction has ended.
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is of no more use.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
