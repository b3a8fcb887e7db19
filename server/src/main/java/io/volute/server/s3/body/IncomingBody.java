package io.volute.server.s3.body;

import io.volute.server.Limits;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.auth.sigv4.ChunkedBody;
import io.volute.server.auth.sigv4.ChunkedBody.ChunkListener;
import io.volute.server.auth.sigv4.PayloadMode;
import io.volute.server.s3.checksum.BodyDigests;
import io.volute.server.s3.checksum.BodyDigests.Etag;
import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.storage.BlobWriter;
import io.volute.versioning.value.BodyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;

/**
 * The body of a verified request. Nothing is read before an operation needs it. No method returns
 * bytes as valid before length, chunk signatures, trailers and digests are verified. Used by one
 * thread, once but for documents. Close it when its document is no longer used.
 */
public final class IncomingBody implements AutoCloseable {
    private final HttpHead head;
    private final RequestBody source;
    private final Verified verified;
    private ChunkListener chunks = ChunkListener.NONE;
    private Optional<DocumentBuffer> gathered = Optional.empty();
    private boolean isGathered;
    private Runnable whenRead = () -> {};

    /**
     * @param head has the allowance for the body, if an operation reads it as a document
     */
    public IncomingBody(HttpHead head, RequestBody source, Verified verified) {
        this.head = head;
        this.source = source;
        this.verified = verified;
    }

    /** Sets what runs behind the last byte. It throws to refuse the request. */
    public void whenRead(Runnable check) {
        whenRead = check;
    }

    /**
     * Returns the length of the content, after decoding; -1 for the file of a form.
     *
     * @throws S3Exception MissingContentLength when the client sends no length, NotImplemented when
     *     chunks of HTTP take the place of a length, which S3 refuses so
     */
    public long bytes() {
        if (verified.payload() == PayloadMode.FORM) {
            return -1;
        }
        if (!verified.payload().isStreaming()) {
            if (head.headers().first("transfer-encoding").isPresent()) {
                throw S3Exception.notImplementedHeader("Transfer-Encoding");
            }
            if (head.contentLength() < 0 || head.headers().first("content-length").isEmpty()) {
                throw new S3Exception(S3Error.MISSING_CONTENT_LENGTH);
            }
            return head.contentLength();
        }
        String text =
                verified.headers()
                        .first("x-amz-decoded-content-length")
                        .orElseThrow(() -> new S3Exception(S3Error.MISSING_CONTENT_LENGTH));
        if (text.isEmpty() || text.length() > 18) {
            throw badLength(text);
        }
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                throw badLength(text);
            }
            bytes = bytes * 10 + (c - '0');
        }
        return bytes;
    }

    private static S3Exception badLength(String text) {
        return S3Exception.invalidArgument(
                "x-amz-decoded-content-length", text, "This is not a length in bytes.");
    }

    /**
     * Returns the hash of the content: what the client promises, or the hashes of the chunks that
     * it signs, which {@link #copyTo} adds while they arrive.
     */
    public BodyHash hash(Promises promises) {
        if (promises.contentSha256().isPresent() || !verified.payload().hasChunkSignatures()) {
            return BodyHash.of(promises.contentSha256());
        }
        BodyHash.InPieces pieces = new BodyHash.InPieces(Limits.HASHED_CHUNKS_MAX);
        chunks = pieces::add;
        return pieces;
    }

    /**
     * Moves the whole body into the writer; when it returns, everything promised has held.
     *
     * @param writer is not finished or closed here
     */
    public void copyTo(BlobWriter writer, Promises promises, BodyDigests digests)
            throws IOException {
        long expected = bytes();
        RequestBody content = content(promises, expected);
        while (next(content)) {
            ByteBuffer bytes = content.buffer();
            digests.update(bytes);
            writer.write(bytes);
        }
        end(content, promises, digests, expected);
    }

    /**
     * Returns the whole body, for documents; later calls return the same bytes. Its heap is
     * reserved until {@link #close}.
     *
     * @param max refuses longer ones with MaxMessageLengthExceeded
     * @throws S3Exception SlowDown when all documents together need too much heap
     */
    public byte[] gather(Promises promises, int max) throws IOException {
        if (gathered.isEmpty()) {
            DocumentBuffer document = new DocumentBuffer(head.allowance(), max);
            gathered = Optional.of(document);
            read(document, promises, max);
            isGathered = true;
        }
        if (!isGathered) {
            throw new S3Exception(S3Error.INCOMPLETE_BODY);
        }
        return gathered.get().document();
    }

    private void read(DocumentBuffer document, Promises promises, int max) throws IOException {
        long expected = verified.payload().isStreaming() ? bytes() : head.contentLength();
        if (expected > max) {
            throw new S3Exception(S3Error.MAX_MESSAGE_LENGTH_EXCEEDED);
        }
        BodyDigests digests = new BodyDigests(promises, Optional.empty(), Etag.NOT_NEEDED);
        RequestBody content = content(promises, expected);
        while (next(content)) {
            ByteBuffer bytes = content.buffer();
            digests.update(bytes);
            document.add(bytes);
        }
        end(content, promises, digests, expected);
    }

    @Override
    public void close() {
        gathered.ifPresent(DocumentBuffer::close);
    }

    private RequestBody content(Promises promises, long expected) {
        if (!verified.payload().isStreaming()) {
            return source;
        }
        Set<String> announced =
                verified.payload().hasTrailers() && promises.checksum().isEmpty()
                        ? promises.algorithm()
                                .map(algorithm -> Set.of(ChecksumFamily.header(algorithm)))
                                .orElse(Set.of())
                        : Set.of();
        return new ChunkedBody(
                source, verified.payload(), verified.signing(), announced, expected, chunks);
    }

    /**
     * Advances to the next piece. A failure here is one of the client's connection, never of the
     * storage.
     */
    private static boolean next(RequestBody content) {
        try {
            return content.next();
        } catch (IOException e) {
            throw new S3Exception(
                    S3Error.INCOMPLETE_BODY, "The body did not arrive: " + e.getMessage());
        }
    }

    private void end(RequestBody content, Promises promises, BodyDigests digests, long expected) {
        if (expected >= 0 && digests.bytes() != expected) {
            throw new S3Exception(S3Error.INCOMPLETE_BODY);
        }
        Optional<String> trailer =
                content instanceof ChunkedBody chunked && promises.algorithm().isPresent()
                        ? chunked.trailer(ChecksumFamily.header(promises.algorithm().get()))
                        : Optional.empty();
        digests.verify(trailer);
        whenRead.run();
    }
}
