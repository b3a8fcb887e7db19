package io.volute.server.http;

import io.volute.server.Limits;
import io.volute.server.credentials.Credential;
import io.volute.server.http.MemoryBudget.Holding;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.Allowance;
import io.volute.server.s3.request.ClientNetwork;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.About.Entry;
import io.volute.server.s3.request.S3Response.Content;
import java.util.List;
import java.util.function.Consumer;

/** The place and the heap of one request on a connection. Used by one thread at a time. */
final class RequestAllowance implements Allowance, AutoCloseable {
    /** Bytes of the outcome of a key besides its texts. */
    private static final int ENTRY_BYTES = 64;

    private final Admission.Place place;
    private final Holding memory;
    private final Connection connection;
    private boolean isForwarded;
    private Consumer<List<HeaderList.Header>> waiting = headers -> {};

    /**
     * @param head of the request, with the address of its client
     */
    RequestAllowance(
            ServerParts parts, Admission.Place place, HttpHead head, Connection connection) {
        this.place = place;
        this.memory =
                parts.memory.holding(ClientNetwork.of(head.remoteAddress()), connection::abort);
        this.connection = connection;
    }

    private static S3Exception slowDown() {
        return new S3Exception(S3Error.SLOW_DOWN);
    }

    @Override
    public void authenticated(Credential caller) {
        if (!place.tryBeOf(caller.principal(), caller.root())) {
            throw slowDown();
        }
        memory.authenticated(caller.principal(), caller.root());
    }

    @Override
    public void forwarded() {
        if (place.isOnProbation()) {
            throw slowDown();
        }
        isForwarded = true;
    }

    @Override
    public void beginForm() {
        if (!place.tryBeUnauthenticated()) {
            throw slowDown();
        }
        connection.limitBody(true);
    }

    @Override
    public void endForm() {
        connection.limitBody(false);
    }

    @Override
    public void take(long bytes) {
        if (bytes > 0 && !memory.take(bytes)) {
            throw slowDown();
        }
    }

    @Override
    public void giveBack(long bytes) {
        memory.giveBack(bytes);
    }

    /** Sets what runs when the work of the request may take long; it receives headers. */
    void whenLong(Consumer<List<HeaderList.Header>> action) {
        waiting = action;
    }

    @Override
    public void takesLong(List<HeaderList.Header> headers) {
        waiting.accept(headers);
    }

    /**
     * The answer is made. A refusal of an unknown caller counts among those of unknown callers, so
     * that a signature that is wrong holds nothing.
     *
     * @return whether the answer may be sent
     */
    boolean answers(boolean isRefusal) {
        return place.isAuthenticated()
                || isForwarded
                || !isRefusal && !place.isOnProbation()
                || place.tryBeUnauthenticated();
    }

    /**
     * Holds the weight of an answer from now on, in place of all before.
     *
     * @return false when there is too little heap for it
     */
    boolean sends(S3Response response, boolean isHead) {
        long weight =
                switch (response.content()) {
                    case Content.None none -> 0;
                    case Content.Blob blob -> 0;
                    case Content.Bytes bytes -> isHead ? 0 : bytes.bytes().length;
                    // What its writer holds has been taken when it was made.
                    case Content.Stream stream -> memory.bytes();
                };
        for (Entry entry : response.about().entries()) {
            weight += ENTRY_BYTES + 2L * (entry.key().length() + entry.versionId().length());
        }
        return memory.sends(weight <= Limits.SMALL_ANSWER_BYTES_MAX ? 0 : weight);
    }

    /** The client took bytes of the answer. */
    void written(int bytes) {
        memory.written(bytes);
    }

    /** Returns the place of a request whose answer is a refusal of constant size. */
    void leave() {
        place.end();
    }

    /** Returns everything. The request has ended. */
    @Override
    public void close() {
        memory.close();
        place.end();
    }
}
