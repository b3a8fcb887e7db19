package io.volute.system.bookkeeper;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A relay of TCP connections to a port of this machine, which a test can cut. Thread-safe. */
final class TcpRelay implements AutoCloseable {
    private final int target;
    private final ServerSocket listener;
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isCut;

    private TcpRelay(int target, ServerSocket listener) {
        this.target = target;
        this.listener = listener;
    }

    static TcpRelay to(int port) throws IOException {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        TcpRelay relay = new TcpRelay(port, listener);
        Thread.ofVirtual().name("relay-" + port).start(relay::accept);
        return relay;
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket from = listener.accept();
                open.add(from);
                Thread.ofVirtual().name("relay-connect-0").start(() -> connect(from));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void connect(Socket from) {
        try (from;
                Socket to = new Socket(InetAddress.getLoopbackAddress(), target)) {
            open.add(to);
            if (isCut) {
                return;
            }
            Thread back = Thread.ofVirtual().name("relay-back-0").start(() -> copy(to, from));
            copy(from, to);
            back.join();
        } catch (IOException e) {
            // The target is away: the client sees a closed connection.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(from);
        }
    }

    /** Copies one direction. The end of one closes both, as a cut cable ends in the end. */
    private void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // Cut, or closed by the other direction.
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    /** Closes all connections, and those to come until {@link #mend}. */
    void cut() throws IOException {
        isCut = true;
        closeAll();
    }

    void mend() {
        isCut = false;
    }

    private void closeAll() throws IOException {
        for (Closeable each : open) {
            each.close();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}
