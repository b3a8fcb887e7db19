package io.volute.benchmarks.http;

import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedDeque;

/** Kept-alive connections to a server, one for each thread that is at work. Thread-safe. */
public final class SignedConnections implements AutoCloseable {
    private final ServerProcess server;

    /** Those that nobody uses now, the last used last. */
    private final ConcurrentLinkedDeque<SignedConnection> idle = new ConcurrentLinkedDeque<>();

    /** Connects when one is first used. */
    public SignedConnections(ServerProcess server) {
        this.server = server;
    }

    /** An operation on a connection. */
    public interface Use<T> {
        T with(SignedConnection connection) throws IOException;
    }

    /** Runs an operation on a connection that no other call uses at the same time. */
    public <T> T ask(Use<T> use) throws IOException {
        SignedConnection free = idle.pollLast();
        SignedConnection mine =
                free == null ? new SignedConnection(server.address(), ServerProcess.ACCOUNT) : free;
        try {
            return use.with(mine);
        } finally {
            // A failed connection reconnects on its next use.
            idle.addLast(mine);
        }
    }

    /** Closes all idle connections. Must not run concurrently with other calls. */
    @Override
    public void close() throws IOException {
        for (SignedConnection each = idle.poll(); each != null; each = idle.poll()) {
            each.close();
        }
    }
}
