package io.volute.server.cluster;

import io.volute.server.s3.request.RequestBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A short body that this node reads before the request is handled, and that can be read again. A
 * failure of the client comes behind the bytes, as from the original body. Not thread-safe.
 */
final class ReplayedBody implements RequestBody {
    private final byte[] bytes;
    private final Optional<IOException> failure;
    private ByteBuffer buffer = ByteBuffer.allocate(0);
    private boolean isRead;

    private ReplayedBody(byte[] bytes, Optional<IOException> failure) {
        this.bytes = bytes;
        this.failure = failure;
    }

    /** Reads a whole body, whose length the caller has limited. */
    static ReplayedBody of(RequestBody body) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            while (body.next()) {
                byte[] piece = new byte[body.buffer().remaining()];
                body.buffer().get(piece);
                all.writeBytes(piece);
            }
            return new ReplayedBody(all.toByteArray(), Optional.empty());
        } catch (IOException e) {
            return new ReplayedBody(all.toByteArray(), Optional.of(e));
        }
    }

    /** Returns the bytes that have arrived. */
    byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean next() throws IOException {
        if (!isRead && bytes.length > 0) {
            isRead = true;
            buffer = ByteBuffer.wrap(bytes).asReadOnlyBuffer();
            return true;
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
        return false;
    }

    @Override
    public ByteBuffer buffer() {
        return buffer;
    }

    @Override
    public boolean rewind() {
        isRead = false;
        return true;
    }
}
