package io.volute.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.volute.server.http.ResponseBuffers.Chunk;
import io.volute.server.http.message.Refusal;
import io.volute.server.http.message.ResponseHeads;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.storage.BlobReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the response of one request from the request's own thread, which waits for the socket.
 * Blobs are read straight into the buffers that the socket writes from.
 */
final class ResponseSender {
    private static final Logger LOG = LoggerFactory.getLogger(ResponseSender.class);
    private static final int STREAM_BUFFER_BYTES = 64 * 1024;

    /** Time without a byte of an answer that is awaited. Clients wait for 60 s and less. */
    private static final Duration PAUSE = Duration.ofSeconds(10);

    /** The beginning of each document. */
    private static final byte[] DECLARATION =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] SPACE = {' '};

    private final ServerParts parts;
    private final RequestWatch watch;
    private final Connection connection;
    private final HttpHead request;
    private final RequestAllowance allowance;
    private final ResponseBuffers buffers;

    /** Pieces on their way, and one for the request's thread until it has sent all. */
    private final AtomicInteger underWay = new AtomicInteger(1);

    private Runnable then = () -> {};
    private Optional<Waiting> waiting = Optional.empty();
    private int status;
    private boolean complete;
    private long bytes;
    private long firstByte;

    ResponseSender(
            ServerParts parts,
            RequestWatch watch,
            Connection connection,
            HttpHead request,
            RequestAllowance allowance,
            ByteBufAllocator allocator) {
        this.parts = parts;
        this.watch = watch;
        this.connection = connection;
        this.request = request;
        this.allowance = allowance;
        this.buffers = new ResponseBuffers(allocator, parts.budget);
    }

    /**
     * Sends it and closes its blob.
     *
     * @throws IOException when it had begun and cannot be finished; the caller aborts the
     *     connection
     */
    void send(S3Response response) throws IOException {
        if (endWaiting()) {
            sendLate(response);
            return;
        }
        if (!ResponseHeads.isClean(response.headers())) {
            LOG.error("request {}: a response header is not clean", request.requestId());
            drop(response);
            sendRefusal(Refusal.internal());
            return;
        }
        if (!allowance.sends(response, isHead())) {
            drop(response);
            sendRefusal(Refusal.busy());
            return;
        }
        switch (response.content()) {
            case Content.None none -> sendBytes(response, new byte[0], announced(response, none));
            case Content.Bytes bytes -> {
                byte[] body = isHead() ? new byte[0] : bytes.bytes();
                sendBytes(response, body, bytes.bytes().length);
            }
            case Content.Blob blob -> {
                try (BlobReader reader = blob.reader()) {
                    sendBlob(response, reader, blob.begin(), blob.end());
                }
            }
            case Content.Stream stream -> sendStream(response, stream);
        }
    }

    /** Closes what an answer holds that is not sent. */
    static void drop(S3Response response) {
        if (response.content() instanceof Content.Blob blob) {
            blob.reader().close();
        }
    }

    void sendRefusal(Refusal refusal) {
        if (endWaiting()) {
            waiting.orElseThrow().finish(ResponseHeads.document(refusal, request.requestId()));
            return;
        }
        boolean keepAlive = connection.mayKeepAlive();
        begins(refusal.status());
        complete = true;
        buffers.enter();
        write(
                parts.heads.refusal(refusal, request.requestId(), keepAlive, isHead()),
                lastOf(keepAlive),
                buffers::leave);
    }

    /**
     * Begins to wait for an answer whose work may take long. After a while, the head and the XML
     * declaration go out, then white space from time to time, as those of S3 do for copies and
     * completions. Parsers of XML take no white space before a declaration.
     */
    void beginWaiting(List<HeaderList.Header> headers) {
        if (waiting.isEmpty() && connection.takesChunks() && ResponseHeads.isClean(headers)) {
            waiting = Optional.of(new Waiting(headers));
            waiting.get().start();
        }
    }

    /** Returns whether the head of the answer has gone out already. */
    private boolean endWaiting() {
        return waiting.filter(Waiting::end).isPresent();
    }

    /** Sends the document of an answer whose head has gone out. Its own headers are lost. */
    private void sendLate(S3Response response) {
        drop(response);
        boolean isSent = response.content() instanceof Content.Bytes;
        if (!isSent) {
            LOG.error("request {}: a late answer is no document", request.requestId());
        }
        waiting.orElseThrow()
                .finish(
                        response.content() instanceof Content.Bytes bytes
                                ? bytes.bytes()
                                : ResponseHeads.document(Refusal.internal(), request.requestId()));
    }

    /** An answer that is not there yet. */
    private final class Waiting {
        private final List<HeaderList.Header> headers;
        private final ReentrantLock lock = new ReentrantLock();
        private Optional<Deadline> pause = Optional.empty();
        private boolean keepAlive;
        private boolean hasBegun;
        private boolean isOver;

        Waiting(List<HeaderList.Header> headers) {
            this.headers = headers;
        }

        void start() {
            connection.inLoop(
                    () -> {
                        pause = Optional.of(connection.deadline(this::due));
                        pause.get().in(PAUSE.toNanos());
                    });
        }

        private void due() {
            lock.lock();
            try {
                if (isOver || !connection.isOpen()) {
                    return;
                }
                if (!hasBegun) {
                    hasBegun = true;
                    keepAlive = connection.mayKeepAlive();
                    begins(HttpResponseStatus.OK.code());
                    connection.write(
                            parts.heads.chunked(status, headers, request.requestId(), keepAlive),
                            Outlet.After.MORE,
                            () -> {});
                }
                byte[] piece = bytes == 0 ? DECLARATION : SPACE;
                bytes += piece.length;
                write(
                        new DefaultHttpContent(Unpooled.wrappedBuffer(piece)),
                        Outlet.After.MORE,
                        () -> {});
                pause.orElseThrow().in(PAUSE.toNanos());
            } finally {
                lock.unlock();
            }
        }

        /** Ends the white space; returns whether the head has gone out. */
        boolean end() {
            lock.lock();
            try {
                isOver = true;
                connection.inLoop(() -> pause.ifPresent(Deadline::cancel));
                return hasBegun;
            } finally {
                lock.unlock();
            }
        }

        /** Sends the rest of a document, whose declaration has gone out. */
        void finish(byte[] document) {
            int from = startsWithDeclaration(document) ? DECLARATION.length : 0;
            complete = true;
            bytes += document.length - from;
            buffers.enter();
            ResponseSender.this.write(
                    new DefaultLastHttpContent(
                            Unpooled.wrappedBuffer(document, from, document.length - from)),
                    lastOf(keepAlive),
                    buffers::leave);
        }
    }

    private static boolean startsWithDeclaration(byte[] document) {
        return document.length >= DECLARATION.length
                && Arrays.equals(
                        document, 0, DECLARATION.length, DECLARATION, 0, DECLARATION.length);
    }

    /** The head goes out now. */
    private void begins(int sentStatus) {
        status = sentStatus;
        firstByte = watch.now();
    }

    /**
     * Returns the outcome. Call it when no piece is on its way any more.
     *
     * @param about the facts about the request
     * @param in bytes of the request's body
     * @param begun when the head of the request had arrived
     */
    RequestWatch.Answered sent(About about, long in, long begun) {
        long ended = watch.now();
        // A response that was cut off before its first byte has delivered none.
        long first = status == 0 ? ended : firstByte;
        return new RequestWatch.Answered(
                status >= 500 && about.code().isEmpty()
                        ? about.failing(Refusal.internal().code())
                        : about,
                status,
                complete,
                new RequestWatch.Bytes(in, bytes),
                new RequestWatch.Times(begun, first, ended));
    }

    /**
     * The request's thread sends nothing more.
     *
     * @param done called once nothing is on its way any more: all was written, or the connection is
     *     gone; on this thread or on the one that wrote the last
     */
    void whenWritten(Runnable done) {
        then = done;
        arrived();
    }

    private void arrived() {
        if (underWay.decrementAndGet() == 0) {
            then.run();
        }
    }

    /**
     * Writes like {@link Connection#write(HttpObject, Outlet.After, Runnable)}, and counts pieces
     * that have not arrived.
     */
    private void write(HttpObject piece, Outlet.After after, Runnable done) {
        underWay.incrementAndGet();
        connection.write(
                piece,
                after,
                () -> {
                    done.run();
                    arrived();
                });
    }

    private boolean isHead() {
        return request.method().equals("HEAD");
    }

    /**
     * Returns the length to announce for an answer without a body. It is zero, unless it answers
     * HEAD or its status allows no body.
     */
    private long announced(S3Response response, Content.None none) {
        if (none.contentLength() >= 0) {
            return none.contentLength();
        }
        boolean bodiless = isHead() || response.status() == 204 || response.status() == 304;
        return bodiless ? -1 : 0;
    }

    private void sendBytes(S3Response response, byte[] body, long announced) {
        boolean keepAlive = connection.mayKeepAlive();
        HttpResponse head = head(response, keepAlive, announced);
        begins(response.status());
        if (body.length > STREAM_BUFFER_BYTES) {
            sendInPieces(head, body, keepAlive);
            return;
        }
        buffers.enter();
        complete = true;
        bytes += body.length;
        ByteBuf content = body.length == 0 ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body);
        write(parts.heads.full(head, content), lastOf(keepAlive), buffers::leave);
    }

    /** The connection copies a piece out of the heap: it gets the next when the client took one. */
    private void sendInPieces(HttpResponse head, byte[] body, boolean keepAlive) {
        connection.write(head, Outlet.After.MORE, () -> {});
        int offset = 0;
        while (offset < body.length && connection.isOpen()) {
            int length = Math.min(STREAM_BUFFER_BYTES, body.length - offset);
            Chunk chunk = buffers.take(length);
            chunk.buffer().writeBytes(body, offset, length);
            offset += length;
            if (offset < body.length) {
                write(chunk, new DefaultHttpContent(chunk.buffer()), Outlet.After.MORE);
            } else {
                complete = true;
                write(chunk, new DefaultLastHttpContent(chunk.buffer()), lastOf(keepAlive));
            }
        }
    }

    private void sendBlob(S3Response response, BlobReader reader, long begin, long end)
            throws IOException {
        if (isHead() || begin >= end) {
            sendBytes(response, new byte[0], Math.max(0, end - begin));
            return;
        }
        boolean keepAlive = connection.mayKeepAlive();
        HttpResponse head = head(response, keepAlive, end - begin);
        Chunk chunk;
        try {
            // Before the head goes out, so that damage found here can be answered with an error.
            chunk = buffers.read(reader, begin, end);
        } catch (IOException | RuntimeException e) {
            LOG.error("request {}: stored bytes cannot be read", request.requestId(), e);
            sendRefusal(Refusal.internal());
            return;
        }
        begins(response.status());
        long offset = begin + chunk.buffer().readableBytes();
        if (offset == end) {
            complete = true;
            write(chunk, parts.heads.full(head, chunk.buffer()), lastOf(keepAlive));
            return;
        }
        connection.write(head, Outlet.After.MORE, () -> {});
        write(chunk, new DefaultHttpContent(chunk.buffer()), Outlet.After.MORE);
        while (offset < end && connection.isOpen()) {
            chunk = buffers.read(reader, offset, end);
            offset += chunk.buffer().readableBytes();
            if (offset < end) {
                write(chunk, new DefaultHttpContent(chunk.buffer()), Outlet.After.MORE);
            } else {
                complete = true;
                write(chunk, new DefaultLastHttpContent(chunk.buffer()), lastOf(keepAlive));
            }
        }
    }

    private void sendStream(S3Response response, Content.Stream stream) throws IOException {
        if (isHead()) {
            sendBytes(response, new byte[0], -1);
            return;
        }
        Streamed body = new Streamed(response, connection.mayKeepAlive());
        try {
            body.fill(stream.writer());
        } catch (IOException | RuntimeException e) {
            if (body.hasBegun) {
                throw e;
            }
            LOG.error("request {}: a body cannot be made", request.requestId(), e);
            sendRefusal(Refusal.internal());
        }
    }

    /** Sends what is written as chunks of HTTP. */
    private final class Streamed extends OutputStream {
        private final S3Response response;
        private final boolean keepAlive;
        private Optional<Chunk> open = Optional.empty();
        private boolean hasBegun;

        Streamed(S3Response response, boolean keepAlive) {
            this.response = response;
            this.keepAlive = keepAlive;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int at = offset;
            while (at < offset + length) {
                Chunk chunk = open.orElseGet(() -> buffers.take(STREAM_BUFFER_BYTES));
                open = Optional.of(chunk);
                int some = Math.min(chunk.buffer().writableBytes(), offset + length - at);
                chunk.buffer().writeBytes(bytes, at, some);
                at += some;
                if (!chunk.buffer().isWritable()) {
                    send(chunk);
                }
            }
        }

        @Override
        public void flush() throws IOException {
            if (open.isPresent() && open.get().buffer().isReadable()) {
                send(open.get());
            }
        }

        private void send(Chunk chunk) throws IOException {
            if (!connection.isOpen()) {
                throw new IOException("the client has gone");
            }
            begin();
            open = Optional.empty();
            ResponseSender.this.write(
                    chunk, new DefaultHttpContent(chunk.buffer()), Outlet.After.MORE);
        }

        private void begin() {
            if (!hasBegun) {
                hasBegun = true;
                begins(response.status());
                connection.write(
                        parts.heads.chunked(
                                response.status(),
                                response.headers(),
                                request.requestId(),
                                keepAlive),
                        Outlet.After.MORE,
                        () -> {});
            }
        }

        void fill(S3Response.Writer writer) throws IOException {
            try {
                writer.writeTo(this);
                end();
            } finally {
                open.ifPresent(buffers::drop);
            }
        }

        /**
         * Sends the end of the response. Without it, the client treats the response as incomplete.
         */
        private void end() throws IOException {
            if (open.isPresent()) {
                send(open.get());
            }
            begin();
            complete = true;
            buffers.enter();
            ResponseSender.this.write(
                    new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER),
                    lastOf(keepAlive),
                    buffers::leave);
        }
    }

    private HttpResponse head(S3Response response, boolean keepAlive, long contentLength) {
        return parts.heads.head(
                response.status(),
                response.headers(),
                request.requestId(),
                keepAlive,
                contentLength);
    }

    private static Outlet.After lastOf(boolean keepAlive) {
        return keepAlive ? Outlet.After.KEEP : Outlet.After.CLOSE;
    }

    private void write(Chunk chunk, HttpContent content, Outlet.After after) {
        int length = chunk.buffer().readableBytes();
        bytes += length;
        write(
                content,
                after,
                () -> {
                    allowance.written(length);
                    buffers.giveBack(chunk);
                });
    }
}
