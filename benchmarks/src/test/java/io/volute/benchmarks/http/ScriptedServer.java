package io.volute.benchmarks.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Answers the first connection with fixed bytes, one at a time, for any request. */
final class ScriptedServer implements AutoCloseable {
    private final ServerSocket listener;

    private ScriptedServer(ServerSocket listener) {
        this.listener = listener;
    }

    static ScriptedServer start(String answer) throws IOException {
        ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofPlatform()
                .name("scripted-0")
                .daemon()
                .start(
                        () -> {
                            try (Socket socket = listener.accept()) {
                                for (byte b : answer.getBytes(StandardCharsets.US_ASCII)) {
                                    socket.getOutputStream().write(b);
                                }
                                int rest = socket.getInputStream().read();
                                while (rest >= 0) {
                                    rest = socket.getInputStream().read();
                                }
                            } catch (IOException e) {
                                // the test has ended
                            }
                        });
        return new ScriptedServer(listener);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
