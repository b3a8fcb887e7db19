package io.volute.server.auth.sigv4;

import io.volute.adminapi.signing.ChunkSigning;
import io.volute.provenance.format.Hash;
import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.RequestBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Takes the {@code aws-chunked} framing off a body (S3 API Reference, "Transferring payload in
 * multiple chunks"). Bytes are handed on as they arrive, without copying; the call of {@link #next}
 * behind the last byte of a chunk throws when the chunk's signature is wrong, and the call that
 * returns false has verified the final chunk, the decoded length and the trailers. So nothing may
 * be made visible before {@code next} has returned false.
 *
 * <pre>
 *   hex-size [;chunk-signature=64 hex] CRLF  bytes  CRLF     any number of times
 *   0        [;chunk-signature=64 hex] CRLF
 *   [name:value CRLF]...  [x-amz-trailer-signature:64 hex CRLF]  CRLF
 * </pre>
 *
 * Used by one thread.
 */
public final class ChunkedBody implements RequestBody {
    private static final String SIGNATURE = ";chunk-signature=";
    private static final String TRAILER_SIGNATURE = "x-amz-trailer-signature";
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    /** Receives the SHA-256 of chunks. */
    @FunctionalInterface
    public interface ChunkListener {
        ChunkListener NONE = (bytes, sha256) -> {};

        void verified(long bytes, byte[] sha256);
    }

    private enum State {
        CHUNK_HEADER,
        CHUNK_DATA,
        END
    }

    private final RequestBody source;
    private final PayloadMode mode;
    private final ChunkSigning signing;
    private final Set<String> announced;
    private final long decodedBytes;
    private final ChunkListener listener;
    private final MessageDigest chunkHash = Hash.sha256();
    private final Map<String, String> trailers = new LinkedHashMap<>();
    private final byte[] line = new byte[Limits.CHUNK_LINE_BYTES_MAX];

    private State state = State.CHUNK_HEADER;
    private ByteBuffer arrived = EMPTY;
    private ByteBuffer delivered = EMPTY;
    private String chunkSignature = "";
    private long chunkBytes;
    private long chunkRemaining;
    private long decoded;

    /**
     * @param mode a streaming one
     * @param announced names in {@code x-amz-trailer}, lower case
     * @param decodedBytes value of {@code x-amz-decoded-content-length}
     * @param listener gets the hash of each chunk with a signature, once that is verified
     */
    public ChunkedBody(
            RequestBody source,
            PayloadMode mode,
            ChunkSigning signing,
            Set<String> announced,
            long decodedBytes,
            ChunkListener listener) {
        if (!mode.isStreaming()) {
            throw new IllegalArgumentException("not a streaming mode: " + mode);
        }
        this.source = source;
        this.mode = mode;
        this.signing = signing;
        this.announced = Set.copyOf(announced);
        this.decodedBytes = decodedBytes;
        this.listener = listener;
    }

    @Override
    public boolean next() throws IOException {
        while (true) {
            switch (state) {
                case CHUNK_HEADER -> readChunkHeader();
                case CHUNK_DATA -> {
                    if (chunkRemaining > 0) {
                        deliver();
                        return true;
                    }
                    endChunk();
                }
                case END -> {
                    delivered = EMPTY;
                    return false;
                }
            }
        }
    }

    @Override
    public ByteBuffer buffer() {
        return delivered;
    }

    /** A trailer's value; only once {@link #next} has returned false. */
    public Optional<String> trailer(String name) {
        return Optional.ofNullable(trailers.get(name));
    }

    private void deliver() throws IOException {
        fill();
        int count = (int) Math.min(chunkRemaining, arrived.remaining());
        delivered = arrived.slice(arrived.position(), count);
        arrived.position(arrived.position() + count);
        if (mode.hasChunkSignatures()) {
            chunkHash.update(delivered.duplicate());
        }
        chunkRemaining -= count;
        decoded += count;
    }

    private void endChunk() throws IOException {
        verifyChunk();
        if (readByte() != '\r' || readByte() != '\n') {
            throw malformed("A chunk does not end at its declared size.");
        }
        state = State.CHUNK_HEADER;
    }

    private void readChunkHeader() throws IOException {
        String header = readStrictLine();
        int end = header.indexOf(';');
        String size = end < 0 ? header : header.substring(0, end);
        chunkRemaining = chunkSize(size);
        chunkBytes = chunkRemaining;
        if (mode.hasChunkSignatures()) {
            if (end < 0 || !header.startsWith(SIGNATURE, end)) {
                throw malformed("A chunk has no chunk-signature.");
            }
            chunkSignature = header.substring(end + SIGNATURE.length());
        } else if (end >= 0) {
            throw malformed("A chunk has an extension in a payload without chunk signatures.");
        }
        if (chunkRemaining > decodedBytes - decoded) {
            throw new S3Exception(
                    S3Error.INCOMPLETE_BODY,
                    "The chunks hold more bytes than x-amz-decoded-content-length declares.");
        }
        if (chunkRemaining > 0) {
            state = State.CHUNK_DATA;
            return;
        }
        verifyChunk();
        if (decoded != decodedBytes) {
            throw new S3Exception(
                    S3Error.INCOMPLETE_BODY,
                    "The chunks hold fewer bytes than x-amz-decoded-content-length declares.");
        }
        readTrailers();
        state = State.END;
    }

    private static long chunkSize(String hex) {
        if (hex.isEmpty() || hex.length() > 10) {
            throw malformed("A chunk's size must be 1 to 10 hex digits.");
        }
        long size = 0;
        for (int i = 0; i < hex.length(); i++) {
            char c = hex.charAt(i);
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw malformed("A chunk's size must be 1 to 10 hex digits.");
            }
            size = size << 4 | digit;
        }
        return size;
    }

    private void verifyChunk() {
        if (!mode.hasChunkSignatures()) {
            return;
        }
        byte[] sha256 = chunkHash.digest();
        if (!signing.acceptChunk(sha256, chunkSignature)) {
            throw new S3Exception(
                    S3Error.SIGNATURE_DOES_NOT_MATCH,
                    "The signature of a chunk does not match the calculated signature.");
        }
        if (chunkBytes > 0) {
            listener.verified(chunkBytes, sha256);
        }
    }

    private void readTrailers() throws IOException {
        StringBuilder canonical = new StringBuilder();
        boolean signed = false;
        for (int lines = 0; more(); lines++) {
            if (lines == Limits.TRAILERS_MAX) {
                throw new S3Exception(S3Error.MALFORMED_TRAILER, "Too many trailing lines.");
            }
            // Some clients end trailer lines with LF alone and put empty lines between them.
            String text = readTrailerLine();
            if (text.isEmpty()) {
                continue;
            }
            int colon = text.indexOf(':');
            if (colon <= 0 || signed || !mode.hasTrailers()) {
                throw new S3Exception(S3Error.MALFORMED_TRAILER);
            }
            String name = text.substring(0, colon).toLowerCase(Locale.ROOT);
            String value = text.substring(colon + 1).trim();
            if (name.equals(TRAILER_SIGNATURE) && mode.hasChunkSignatures()) {
                verifyTrailers(canonical.toString(), value);
                signed = true;
            } else if (!announced.contains(name) || trailers.put(name, value) != null) {
                throw new S3Exception(
                        S3Error.MALFORMED_TRAILER,
                        "A trailer was not announced in x-amz-trailer, or sent twice.");
            } else {
                canonical.append(name).append(':').append(value).append('\n');
            }
        }
        if (trailers.size() != announced.size()
                || mode == PayloadMode.STREAMING_SIGNED_TRAILER && !signed) {
            throw new S3Exception(
                    S3Error.MALFORMED_TRAILER, "A trailer or its signature is missing.");
        }
    }

    private void verifyTrailers(String canonical, String signature) {
        byte[] hash = Hash.sha256().digest(canonical.getBytes(StandardCharsets.ISO_8859_1));
        if (!signing.acceptTrailer(hash, signature)) {
            throw new S3Exception(
                    S3Error.SIGNATURE_DOES_NOT_MATCH,
                    "The signature of the trailers does not match the calculated signature.");
        }
    }

    private String readStrictLine() throws IOException {
        int count = 0;
        while (true) {
            byte b = readByte();
            if (b == '\r') {
                if (readByte() != '\n') {
                    throw malformed("A chunk header must end with CR LF.");
                }
                return new String(line, 0, count, StandardCharsets.ISO_8859_1);
            }
            if (b == '\n' || count == line.length) {
                throw malformed("A chunk header must end with CR LF within 256 bytes.");
            }
            line[count++] = b;
        }
    }

    private String readTrailerLine() throws IOException {
        int count = 0;
        while (more()) {
            byte b = readByte();
            if (b == '\n') {
                int end = count > 0 && line[count - 1] == '\r' ? count - 1 : count;
                return new String(line, 0, end, StandardCharsets.ISO_8859_1);
            }
            if (count == line.length) {
                throw new S3Exception(S3Error.MALFORMED_TRAILER, "A trailer line is too long.");
            }
            line[count++] = b;
        }
        throw new S3Exception(S3Error.MALFORMED_TRAILER, "The trailers end within a line.");
    }

    private byte readByte() throws IOException {
        fill();
        return arrived.get();
    }

    private void fill() throws IOException {
        if (!more()) {
            throw new S3Exception(
                    S3Error.INCOMPLETE_BODY, "The body ends before its final chunk does.");
        }
    }

    private boolean more() throws IOException {
        while (!arrived.hasRemaining()) {
            if (!source.next()) {
                return false;
            }
            arrived = source.buffer();
        }
        return true;
    }

    private static S3Exception malformed(String message) {
        return new S3Exception(S3Error.INCOMPLETE_BODY, message);
    }
}
