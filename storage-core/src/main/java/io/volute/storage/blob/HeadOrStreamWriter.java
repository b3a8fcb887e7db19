package io.volute.storage.blob;

import io.volute.storage.BlobId;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.storage.accounting.ActiveUploads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/**
 * Collects a blob in memory as long as it may still go through the head, and switches to a stream
 * segment once it is longer. Memory grows with the bytes that arrived.
 */
public final class HeadOrStreamWriter implements BlobWriter {
    private static final int FIRST_BYTES = 2048;

    private final BlobId id;
    private final ActiveUploads uploads;
    private final OptionalLong expectedBytes;
    private final int inlineLimitBytes;
    private final UnaryOperator<IOException> onLogFailure;
    private final Object owner;
    private byte[] collected = {};
    private int length;
    private long total;
    private Optional<ActiveUploads.Upload> stream = Optional.empty();
    private boolean finished;

    /**
     * Creates a writer.
     *
     * @param onLogFailure takes the failure of a stream segment; returns the failure for the caller
     * @param owner identity of the cube
     */
    public HeadOrStreamWriter(
            BlobId id,
            ActiveUploads uploads,
            OptionalLong expectedBytes,
            int inlineLimitBytes,
            UnaryOperator<IOException> onLogFailure,
            Object owner) {
        this.id = id;
        this.uploads = uploads;
        this.expectedBytes = expectedBytes;
        this.inlineLimitBytes = inlineLimitBytes;
        this.onLogFailure = onLogFailure;
        this.owner = owner;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
        if (finished) {
            throw new IllegalStateException("blob " + id.value() + " is finished");
        }
        int more = source.remaining();
        if (stream.isEmpty() && !staysInline(more)) {
            switchToStream();
        }
        if (stream.isPresent()) {
            guarded(() -> stream.get().write(source));
        } else {
            collect(source);
        }
        total += more;
    }

    private boolean staysInline(int more) {
        return length + (long) more <= inlineLimitBytes
                && expectedBytes.orElse(0) <= inlineLimitBytes;
    }

    private void switchToStream() throws IOException {
        guarded(() -> stream = Optional.of(uploads.begin(id.value(), expectedBytes)));
        if (length > 0) {
            guarded(() -> stream.get().write(ByteBuffer.wrap(collected, 0, length)));
        }
        collected = new byte[0];
        length = 0;
    }

    private void collect(ByteBuffer source) {
        int needed = length + source.remaining();
        if (needed > collected.length) {
            int doubled = Math.max(FIRST_BYTES, collected.length * 2);
            collected =
                    Arrays.copyOf(collected, Math.max(needed, Math.min(doubled, inlineLimitBytes)));
        }
        int taken = source.remaining();
        source.get(collected, length, taken);
        length += taken;
    }

    @Override
    public PendingBlob finish() throws IOException {
        if (finished) {
            throw new IllegalStateException("blob " + id.value() + " is finished");
        }
        if (total == 0) {
            // A stream was opened for bytes that never came: nothing to keep there.
            close();
        }
        if (stream.isEmpty() || total == 0) {
            finished = true;
            return StagedBlob.inMemory(id, ByteBuffer.wrap(collected, 0, length), owner);
        }
        ActiveUploads.Upload upload = stream.get();
        guarded(upload::finish);
        finished = true;
        return StagedBlob.inStream(id, total, upload.chunkBytes(), upload, owner);
    }

    @Override
    public void close() {
        if (!finished) {
            finished = true;
            stream.ifPresent(ActiveUploads.Upload::abandon);
        }
    }

    private interface LogCall {
        void run() throws IOException;
    }

    private void guarded(LogCall call) throws IOException {
        try {
            call.run();
        } catch (IOException e) {
            throw onLogFailure.apply(e);
        }
    }
}
