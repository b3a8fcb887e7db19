package io.volute.server.outbound;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;

/**
 * The calls of another server by HTTP/1.1. All HTTP that leaves this server goes through it.
 *
 * <ul>
 *   <li>A host is resolved once for each connection, which goes to an address that {@link
 *       Addresses} has checked: a name whose answer changes cannot lead elsewhere. TLS proves the
 *       name.
 *   <li>A call is bounded in time as a whole: its turn, the name, the connection, the request and
 *       the answer.
 *   <li>An answer is bounded in bytes, its head too. A redirect is an answer like others: nobody
 *       follows it.
 * </ul>
 *
 * <p>Connections are kept for the next calls. Thread-safe.
 */
public final class HttpClient implements AutoCloseable {
    /** Further calls wait for their turn: a slow server must not get a connection a request. */
    private static final int MOST_CALLS = 64;

    private static final Duration IDLE_TIME = Duration.ofSeconds(30);

    private final URI origin;
    private final Addresses addresses;
    private final SSLSocketFactory tls;
    private final Semaphore turns = new Semaphore(MOST_CALLS);

    // Under the monitor. Both have at most one entry a turn.
    private final Set<Call> running = new HashSet<>();
    private final Deque<Idle> idle = new ArrayDeque<>();
    private boolean isClosed;

    /**
     * @param origin scheme, host and perhaps a port; the rest is ignored
     */
    public HttpClient(URI origin, Addresses addresses, SSLSocketFactory tls) {
        this.origin = origin;
        this.addresses = addresses;
        this.tls = tls;
    }

    /**
     * A request.
     *
     * @param target path and query
     * @param headers beside host and content-length
     */
    public record Request(
            String method, String target, Map<String, String> headers, Content content) {
        /** Returns the path and the query of an address, as a request has them. */
        public static String target(URI uri) {
            String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
            return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
        }

        /** Leaves the headers out: they have credentials. */
        @Override
        public String toString() {
            return method + " " + target;
        }
    }

    /**
     * An answer.
     *
     * @param headers by lower-case name
     */
    public record Answer(int status, Map<String, String> headers, byte[] body) {}

    /** Returns the host as requests name it: with the port, unless it is the usual one. */
    public String host() {
        int usual = "https".equals(origin.getScheme()) ? 443 : 80;
        return origin.getPort() == -1 || origin.getPort() == usual
                ? origin.getHost()
                : origin.getHost() + ":" + origin.getPort();
    }

    /**
     * Sends a request, and returns the answer. A request over a connection that the other side has
     * closed meanwhile is sent again.
     *
     * @param time for the call; a long content or answer may take longer, at 64 KiB/s and more
     * @param mostBytes of the answer's body
     * @throws InterruptedIOException when the thread is interrupted, which it stays; that of a
     *     platform thread ends no wait for the other side
     * @throws IOException when there is no such answer; the message has the reason
     */
    public Answer send(Request request, Duration time, int mostBytes) throws IOException {
        try (Call call = new Call(time)) {
            takeTurn(time);
            try {
                begin(call);
                return exchange(call, request, mostBytes);
            } catch (IOException e) {
                throw call.failure(e);
            } finally {
                end(call);
                turns.release();
            }
        }
    }

    private void takeTurn(Duration time) throws IOException {
        try {
            if (!turns.tryAcquire(time.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException(
                        "no answer within "
                                + time.toMillis()
                                + " ms: "
                                + MOST_CALLS
                                + " other calls wait");
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static InterruptedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted");
    }

    private synchronized void begin(Call call) throws IOException {
        if (isClosed) {
            throw new IOException("the client is closed");
        }
        running.add(call);
    }

    private synchronized void end(Call call) {
        running.remove(call);
    }

    private Answer exchange(Call call, Request request, int mostBytes) throws IOException {
        Optional<HttpConnection> kept = takeIdle();
        if (kept.isPresent()) {
            try {
                return exchange(call, kept.get(), request, mostBytes);
            } catch (IOException e) {
                if (kept.get().hasAnswered() || call.isEnded()) {
                    throw e;
                }
            }
        }
        HttpConnection made = HttpConnection.open(call, origin, resolve(call), tls);
        return exchange(call, made, request, mostBytes);
    }

    private Answer exchange(Call call, HttpConnection connection, Request request, int mostBytes)
            throws IOException {
        boolean isKept = false;
        try {
            Answer answer = connection.exchange(call, host(), request, mostBytes);
            isKept = connection.isReusable() && keep(connection);
            return answer;
        } finally {
            if (!isKept) {
                connection.close();
            }
        }
    }

    /** Resolves the host on another thread: nothing ends a resolver. */
    private InetAddress[] resolve(Call call) throws IOException {
        FutureTask<InetAddress[]> task = new FutureTask<>(() -> addresses.of(origin));
        Thread.ofPlatform().daemon().name("resolve-" + origin.getHost()).start(task);
        call.waitsFor(() -> task.cancel(false));
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException known
                    ? known
                    : new IOException(String.valueOf(e.getCause()), e);
        } catch (CancellationException e) {
            throw new IOException("the host was not resolved", e);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    /** A connection for the next call, which is closed after a while. */
    private final class Idle {
        private final HttpConnection connection;
        private final CompletableFuture<Boolean> timer =
                new CompletableFuture<Boolean>()
                        .completeOnTimeout(true, IDLE_TIME.toMillis(), TimeUnit.MILLISECONDS);

        Idle(HttpConnection connection) {
            this.connection = connection;
            var unused = timer.thenAccept(isOver -> expire(isOver));
        }

        private void expire(boolean isOver) {
            synchronized (HttpClient.this) {
                if (isOver && idle.remove(this)) {
                    close();
                }
            }
        }

        HttpConnection take() {
            timer.complete(false);
            return connection;
        }

        void close() {
            try {
                take().close();
            } catch (IOException e) {
                // Nobody uses it any more.
            }
        }
    }

    private synchronized Optional<HttpConnection> takeIdle() {
        return Optional.ofNullable(idle.pollLast()).map(Idle::take);
    }

    private synchronized boolean keep(HttpConnection connection) {
        return !isClosed && idle.add(new Idle(connection));
    }

    /** Ends the calls under way. */
    @Override
    public synchronized void close() {
        isClosed = true;
        running.forEach(call -> call.end("the client is closed"));
        idle.forEach(Idle::close);
        idle.clear();
    }
}
