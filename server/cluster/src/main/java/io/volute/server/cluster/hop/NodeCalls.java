package io.volute.server.cluster.hop;

import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.HopConnection.AnswerHead;
import io.volute.server.cluster.hop.HopConnection.ClientGoneException;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.versioning.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Calls from this node to the owners of the store and of its cubes, sealed like forwarded requests.
 * Content and answer are covered, too: no client's signature does it here. A call is sent once.
 * Thread-safe.
 */
public final class NodeCalls {
    /** Bytes of the content of a call, and of its result. */
    public static final int MOST_BYTES = 4 << 20;

    /** The header with the digest of a call's content. */
    static final String CONTENT = "x-volute-content";

    /** The header with the seal of an answer. */
    static final String ANSWER = "x-volute-answer";

    /** Thrown when the called node has not seen the call: nothing was sent, or it has refused. */
    public static final class UnseenException extends IOException {
        private static final long serialVersionUID = 1L;

        UnseenException(String message, IOException cause) {
            super(message, cause);
        }
    }

    private static final String OPERATION = "[a-z][a-z0-9-]*";

    private final HopSeal seal;
    private final HopPool pool;
    private final RandomGenerator random;

    /**
     * @param random thread-safe and unpredictable
     */
    public NodeCalls(HopSeal seal, HopPool pool, RandomGenerator random) {
        this.seal = seal;
        this.pool = pool;
        this.random = random;
    }

    /**
     * Calls an operation of a node. After another failure than those named here the node may have
     * done it or not.
     *
     * @param to the node, with the election of the role that it is called in
     * @param operation lower-case letters, digits and hyphens
     * @param content at most {@link #MOST_BYTES}
     * @param limit time for all of it
     * @throws StoreException as the operation
     * @throws io.volute.storage.CubeUnavailableException as the operation
     * @throws UnseenException when the node cannot be reached, or has the role no more; the message
     *     names it
     * @throws IOException when the node does not answer in time, or the operation has failed
     *     otherwise; the message names the node
     */
    public byte[] call(Owner to, String operation, byte[] content, Duration limit)
            throws IOException {
        if (!operation.matches(OPERATION)) {
            throw new IllegalArgumentException("no name of an operation: " + operation);
        }
        if (content.length > MOST_BYTES) {
            throw new IOException(
                    "a call of "
                            + operation
                            + " for node "
                            + to.address()
                            + " has "
                            + content.length
                            + " bytes, too many");
        }
        Call call = new Call(to, operation, content);
        Thread unused = Thread.ofVirtual().name("node-call").start(call);
        try {
            return call.answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException(
                    "node " + to.address() + " does not answer within " + limit.toMillis() + " ms",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("a call of node " + to.address() + " was interrupted");
        } catch (ExecutionException e) {
            throw failure(to, e.getCause());
        } finally {
            call.end();
        }
    }

    private static IOException failure(Owner to, Throwable cause) {
        return switch (cause) {
            case StoreException refused -> throw refused;
            case IOException known -> known;
            default -> new IOException("node " + to.address() + ": " + cause, cause);
        };
    }

    /** One call, on a thread of its own: a socket has no limit for the time of an exchange. */
    private final class Call implements Runnable {
        private final Owner to;
        private final String operation;
        private final byte[] content;
        private final HttpHead head;
        private final CompletableFuture<byte[]> answer = new CompletableFuture<>();

        /** Under the monitor: the connection while it is in use. */
        private Optional<HopConnection> connection = Optional.empty();

        /** Under the monitor. */
        private boolean isOver;

        Call(Owner to, String operation, byte[] content) {
            this.to = to;
            this.operation = operation;
            this.content = content;
            this.head =
                    new HttpHead(
                            "POST",
                            "/" + operation,
                            "",
                            new HeaderList(
                                    List.of(
                                            new Header("host", "node"),
                                            new Header(
                                                    "content-length",
                                                    Integer.toString(content.length)),
                                            new Header(CONTENT, HopSeal.digest(content)))),
                            false,
                            "",
                            content.length,
                            HexFormat.of().toHexDigits(random.nextLong())
                                    + HexFormat.of().toHexDigits(random.nextLong()));
        }

        @Override
        public void run() {
            try {
                answer.complete(NodeAnswer.result(exchange(), to.address()));
            } catch (IOException | RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        }

        /** Returns the content of the node's answer. */
        private byte[] exchange() throws IOException {
            HopConnection over;
            try {
                over = pool.take(to.address(), to.election());
            } catch (IOException e) {
                throw new UnseenException(described(e), e);
            }
            try {
                return exchange(begin(over));
            } catch (RefusedException e) {
                throw new UnseenException(described(e), e);
            } catch (IOException e) {
                throw new IOException(described(e), e);
            }
        }

        private String described(IOException e) {
            return "node " + to.address() + ": " + e.getMessage();
        }

        private byte[] exchange(HopConnection over) throws IOException {
            boolean isAnswered = false;
            boolean isKept = false;
            try {
                over.sendHead(head, seal.seal(Entrance.NODES, head, to.election()));
                boolean isWhole = content.length == 0 || sendContent(over);
                AnswerHead first = over.readHead();
                isAnswered = true;
                byte[] bytes = new byte[length(first)];
                over.readFully(bytes);
                if (!seal.isAnswer(sealOf(first), head.requestId(), operation, bytes)) {
                    throw new IOException("its answer is not sealed: compare cluster.secret-file");
                }
                isKept = isWhole && first.keepsConnection();
                return bytes;
            } finally {
                release(isKept ? pool::giveBack : isAnswered ? pool::drop : pool::lost);
            }
        }

        private boolean sendContent(HopConnection over) throws IOException {
            try {
                return over.sendBody(new Piece(ByteBuffer.wrap(content)), false);
            } catch (ClientGoneException e) {
                throw new IllegalStateException("the content is in memory", e);
            }
        }

        private static String sealOf(AnswerHead answer) {
            return answer.headers().stream()
                    .filter(each -> each.name().equals(ANSWER))
                    .map(Header::value)
                    .findFirst()
                    .orElse("");
        }

        private static int length(AnswerHead answer) throws IOException {
            if (answer.isRefusal()) {
                throw new RefusedException();
            }
            if (answer.status() != 200) {
                throw new IOException("it answers with status " + answer.status());
            }
            long length = answer.contentLength();
            if (length < 0 || length > MOST_BYTES + NodeAnswer.MORE_BYTES) {
                throw new IOException("its answer has a wrong length, " + length);
            }
            return (int) length;
        }

        private synchronized HopConnection begin(HopConnection taken) throws IOException {
            if (isOver) {
                pool.giveBack(taken);
                throw new IOException("the call was given up");
            }
            connection = Optional.of(taken);
            return taken;
        }

        private synchronized void release(Consumer<HopConnection> how) {
            connection.ifPresent(how);
            connection = Optional.empty();
        }

        /** Cuts the connection if it is in use: its answer would come too late. */
        synchronized void end() {
            isOver = true;
            release(pool::drop);
        }
    }

    /** The called node has refused the call unseen. */
    private static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException() {
            super("it has no such role now");
        }
    }

    /** A body that is in memory. */
    private static final class Piece implements RequestBody {
        private final ByteBuffer bytes;
        private boolean isRead;

        Piece(ByteBuffer bytes) {
            this.bytes = bytes;
        }

        @Override
        public boolean next() {
            boolean isFirst = !isRead;
            isRead = true;
            return isFirst;
        }

        @Override
        public ByteBuffer buffer() {
            return bytes;
        }
    }
}
