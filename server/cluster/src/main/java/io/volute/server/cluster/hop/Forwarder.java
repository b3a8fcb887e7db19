package io.volute.server.cluster.hop;

import io.volute.server.cluster.hop.HopConnection.AnswerHead;
import io.volute.server.cluster.hop.HopConnection.ClientGoneException;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.s3.ErrorReply;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.s3.request.S3Response.Content;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards requests to the owner of their data, byte for byte, so that signatures stay valid. While
 * there is no owner, a request waits before its body is read. A request that an owner has refused
 * unseen is sent again if its body was not read, or can be read again. One whose connection is lost
 * is sent again only if nothing of it was sent, or once for each owner if it is GET or HEAD and
 * there is no answer yet. A request to an owner that is cut off from this node waits some seconds
 * for that owner or another one, then gets 503. Thread-safe.
 */
public final class Forwarder implements S3Handler {
    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int SMALL_BYTES = 64 * 1024;
    private static final int CONTINUE = 100;
    private static final About OPERATION = About.UNKNOWN.of("Forwarded");

    /** Finds the owners of requests. Thread-safe. */
    public interface Routes {
        /**
         * Returns the owners of a request. Each attempt calls this again.
         *
         * @param body must not be read
         * @param wasRefused whether the last attempt was refused. The owner of the store gets the
         *     request then, as its placements of cubes are the newest.
         */
        Owners of(HttpHead head, RequestBody body, boolean wasRefused);
    }

    /** The owner of the store or of a cube, as the membership has it. */
    public interface Owners {
        /** Waits until a node serves. */
        Optional<Owner> await(long nanos) throws InterruptedException;

        /** Waits until an election is not the current one, or for a time. */
        void awaitChange(long election, long nanos) throws InterruptedException;
    }

    /**
     * A node that serves the store or a cube.
     *
     * @param election a number that each election has for itself; later ones have greater numbers
     */
    public record Owner(String address, long election) {}

    /** The counts of a node's forwarding. */
    public record Counts(LongAdder forwarded, LongAdder failed, LongAdder waited) {
        public Counts() {
            this(new LongAdder(), new LongAdder(), new LongAdder());
        }
    }

    private final Entrance entrance;
    private final HopSeal seal;
    private final HopPool pool;
    private final Routes routes;
    private final Duration patience;
    private final LongSupplier nanos;
    private final Counts counts;

    public Forwarder(
            Entrance entrance,
            HopSeal seal,
            HopPool pool,
            Routes routes,
            Duration patience,
            LongSupplier nanos,
            Counts counts) {
        this.entrance = entrance;
        this.seal = seal;
        this.pool = pool;
        this.routes = routes;
        this.patience = patience;
        this.nanos = nanos;
        this.counts = counts;
    }

    /** Returns the error while no node serves. */
    public static S3Response unavailable(HttpHead head, String message) {
        return ErrorReply.of(new S3Exception(S3Error.SERVICE_UNAVAILABLE, message), head)
                .with(OPERATION.failing(S3Error.SERVICE_UNAVAILABLE.code()));
    }

    private static S3Response cutOff(HttpHead head) {
        return ErrorReply.of(
                        new S3Exception(
                                S3Error.SLOW_DOWN,
                                "The owner of the data does not answer this node. Try"
                                        + " again, or another node."),
                        head)
                .with(OPERATION.failing(S3Error.SLOW_DOWN.code()));
    }

    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        try {
            return forward(head, body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unavailable(head, "The server is stopping.");
        }
    }

    private S3Response forward(HttpHead arrived, RequestBody body) throws InterruptedException {
        try {
            arrived.allowance().forwarded();
        } catch (S3Exception e) {
            return unavailable(arrived, e.getMessage());
        }
        HttpHead head = withExpectation(withHost(arrived));
        long begun = nanos.getAsLong();
        long limit = begun + patience.toNanos();
        boolean hasWaited = false;
        Attempts attempts = new Attempts();
        while (true) {
            long rest = limit - nanos.getAsLong();
            // Its target is parsed already.
            Owners owners = routes.of(arrived, body, attempts.wasRefused);
            Optional<Owner> owner = owners.await(0);
            if (owner.isEmpty()) {
                if (!hasWaited) {
                    hasWaited = true;
                    counts.waited().increment();
                }
                // In steps, as another owner may be the right one meanwhile.
                owner = owners.await(Math.clamp(rest, 0, STEP_NANOS));
            }
            if (owner.isEmpty() && rest <= 0) {
                counts.failed().increment();
                return unavailable(head, "No node of the cluster has the data. Try again.");
            }
            if (owner.isEmpty()) {
                attempts.wasRefused = false;
                continue;
            }
            Optional<S3Response> response = attempt(head, body, owner.get(), attempts);
            if (response.isPresent()) {
                return response.get();
            }
            boolean isGivenUp =
                    attempts.isCutOff && nanos.getAsLong() - begun >= pool.giveUp().toNanos();
            if (rest <= 0 || isGivenUp) {
                counts.failed().increment();
                return cutOff(head);
            }
            if (!isForAnotherNow(arrived, body, owner.get(), attempts)) {
                owners.awaitChange(owner.get().election(), Math.min(rest, RETRY_NANOS));
            }
        }
    }

    /** Returns whether an owner has refused a request that another owner takes. */
    private boolean isForAnotherNow(HttpHead head, RequestBody body, Owner owner, Attempts attempts)
            throws InterruptedException {
        return attempts.wasRefused
                && routes.of(head, body, true)
                        .await(0)
                        .filter(next -> next.election() != owner.election())
                        .isPresent();
    }

    /** Adds what HTTP/1.0 does not require. */
    private static HttpHead withHost(HttpHead head) {
        return head.headers().first("host").isPresent()
                ? head
                : head.with(new Header("host", "localhost"));
    }

    /**
     * Sends the body when the owner wants it. So a request that it refuses can wait for the next
     * owner: nothing of the body was sent.
     */
    private static HttpHead withExpectation(HttpHead head) {
        return head.contentLength() == 0 || head.headers().first("expect").isPresent()
                ? head
                : head.with(new Header("expect", "100-continue"));
    }

    /** Returns the answer; empty if the request may be sent again. */
    private Optional<S3Response> attempt(
            HttpHead head, RequestBody body, Owner owner, Attempts attempts) {
        HopConnection connection;
        attempts.wasRefused = false;
        attempts.isCutOff = false;
        try {
            connection = pool.take(owner.address(), owner.election());
        } catch (IOException e) {
            attempts.isCutOff = e instanceof HopPool.CutOffException;
            LOG.debug("request {}: {} {}", head.requestId(), owner.address(), e.toString());
            return Optional.empty();
        }
        boolean isOver = false;
        try {
            Optional<S3Response> response = exchange(head, body, connection);
            isOver = true;
            attempts.wasRefused = response.isEmpty();
            response.ifPresent(answered -> counts.forwarded().increment());
            return response;
        } catch (ClientGoneException e) {
            LOG.debug("request {}: {}", head.requestId(), e.getMessage());
            return Optional.of(
                    ErrorReply.of(
                                    new S3Exception(
                                            S3Error.INCOMPLETE_BODY,
                                            "The body did not arrive: " + e.getMessage()),
                                    head)
                            .with(OPERATION));
        } catch (IOException e) {
            pool.lost(connection);
            boolean isHarmless =
                    isSafe(head)
                            || (needsBody(head)
                                    && expectsContinue(head)
                                    && !connection.hasSentBody());
            if (isHarmless && attempts.isFirstLoss(owner.election())) {
                return Optional.empty();
            }
            LOG.info("request {}: {} {}", head.requestId(), owner.address(), e.toString());
            counts.failed().increment();
            return Optional.of(
                    unavailable(
                            head, "The owner of the data was lost during the request. Try again."));
        } finally {
            if (!isOver) {
                pool.drop(connection);
            }
        }
    }

    /**
     * The attempts of one request. An owner that cuts connections and stays the owner has too much
     * to do, or cannot answer this request: it does not get the request again and again.
     */
    private static final class Attempts {
        private final Set<Long> lost = new HashSet<>();
        private boolean wasRefused;
        private boolean isCutOff;

        boolean isFirstLoss(long election) {
            return lost.add(election);
        }
    }

    /** Returns whether the owner changes nothing before it has the body: a client can send any. */
    private static boolean needsBody(HttpHead head) {
        return head.method().equals("PUT") && head.headers().first("x-amz-copy-source").isEmpty();
    }

    private static boolean isSafe(HttpHead head) {
        boolean reads = head.method().equals("GET") || head.method().equals("HEAD");
        return reads && head.contentLength() == 0;
    }

    /** Returns the answer; empty if the owner has refused the request, and it can be sent again. */
    private Optional<S3Response> exchange(HttpHead head, RequestBody body, HopConnection connection)
            throws IOException, ClientGoneException {
        connection.sendHead(head, seal.seal(entrance, head, connection.election()));
        boolean isWhole = head.contentLength() == 0;
        boolean isUntouched = isWhole || expectsContinue(head);
        if (!isUntouched) {
            isWhole = connection.sendBody(body, head.contentLength() < 0);
        }
        AnswerHead answer = connection.readHead();
        while (answer.status() == CONTINUE) {
            if (!isWhole) {
                isUntouched = false;
                isWhole = connection.sendBody(body, head.contentLength() < 0);
            }
            answer = connection.readHead();
        }
        if (answer.isRefusal()) {
            pool.drop(connection);
            return isUntouched || body.rewind()
                    ? Optional.empty()
                    : Optional.of(unavailable(head, "The owner of the data changes. Try again."));
        }
        return Optional.of(response(head, answer, connection, isWhole && answer.keepsConnection()));
    }

    private static boolean expectsContinue(HttpHead head) {
        // As the owner's listener reads it: otherwise both ends would wait for each other.
        List<String> expectations = head.headers().all("expect");
        return head.contentLength() != 0
                && expectations.size() == 1
                && expectations.getFirst().equalsIgnoreCase("100-continue");
    }

    private S3Response response(
            HttpHead head, AnswerHead answer, HopConnection connection, boolean isKept)
            throws IOException {
        Content content;
        boolean bodiless =
                head.method().equals("HEAD") || answer.status() == 204 || answer.status() == 304;
        if (bodiless) {
            content = new Content.None(answer.contentLength());
        } else if (answer.isChunked()) {
            return answered(
                    answer,
                    new Content.Stream(
                            target -> {
                                try (Returning unused = new Returning(connection, isKept)) {
                                    connection.copyChunks(target);
                                    unused.isOver = true;
                                }
                            }));
        } else if (answer.contentLength() > SMALL_BYTES) {
            return answered(
                    answer,
                    new Content.Blob(
                            new HopBody(
                                    connection,
                                    answer.contentLength(),
                                    isOver -> release(connection, isOver && isKept)),
                            0,
                            answer.contentLength()));
        } else {
            byte[] bytes = new byte[(int) Math.max(0, answer.contentLength())];
            connection.readFully(bytes);
            content = new Content.Bytes(bytes);
        }
        release(connection, isKept);
        return answered(answer, content);
    }

    private static S3Response answered(AnswerHead answer, Content content) {
        return new S3Response(answer.status(), answer.headers(), content, OPERATION);
    }

    private void release(HopConnection connection, boolean isKept) {
        if (isKept) {
            pool.giveBack(connection);
        } else {
            pool.drop(connection);
        }
    }

    /** Gives a connection back at the end of a chunked body. */
    private final class Returning implements AutoCloseable {
        private final HopConnection connection;
        private final boolean isKept;
        private boolean isOver;

        Returning(HopConnection connection, boolean isKept) {
            this.connection = connection;
            this.isKept = isKept;
        }

        @Override
        public void close() {
            release(connection, isOver && isKept);
        }
    }
}
