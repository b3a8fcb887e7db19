package io.volute.storage.blob;

import io.volute.storage.BlobId;
import io.volute.storage.PendingBlob;
import io.volute.storage.Place;
import io.volute.storage.accounting.ActiveUploads;
import io.volute.storage.format.LogEntry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A finished blob on its way to a commit. It belongs to its caller until {@link #beginCommit}, then
 * to the commit until {@link #endCommit}. Thread-safe.
 */
public final class StagedBlob implements PendingBlob {

    /** The result of the commit. */
    public enum CommitEnd {
        DURABLE,
        REFUSED,
        /** The log failed; only the next start determines the result. */
        UNKNOWN
    }

    private enum Phase {
        PENDING,
        COMMITTING,
        /** Closed by the caller before the commit ended. */
        COMMITTING_CLOSED,
        DONE
    }

    /** The location of the bytes. */
    private sealed interface Bytes {}

    private record InMemory(ByteBuffer content) implements Bytes {}

    private record InStream(int chunkBytes, List<Place> extents, ActiveUploads.Upload upload)
            implements Bytes {}

    private final BlobId id;
    private final long bytes;
    private final Object owner;
    private Optional<Bytes> content;
    private Phase phase = Phase.PENDING;

    private StagedBlob(BlobId id, long bytes, Object owner, Bytes content) {
        this.id = id;
        this.bytes = bytes;
        this.owner = owner;
        this.content = Optional.of(content);
    }

    /**
     * Creates a blob in memory.
     *
     * @param owner identity of the cube that may commit it
     */
    static StagedBlob inMemory(BlobId id, ByteBuffer content, Object owner) {
        return new StagedBlob(id, content.remaining(), owner, new InMemory(content));
    }

    static StagedBlob inStream(
            BlobId id, long bytes, int chunkBytes, ActiveUploads.Upload upload, Object owner) {
        return new StagedBlob(id, bytes, owner, new InStream(chunkBytes, upload.extents(), upload));
    }

    public static StagedBlob of(PendingBlob blob) {
        if (blob instanceof StagedBlob staged) {
            return staged;
        }
        throw new IllegalArgumentException("not a blob of a cube: " + blob);
    }

    @Override
    public BlobId id() {
        return id;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public synchronized Optional<ByteBuffer> inMemory() {
        return content.orElseThrow() instanceof InMemory memory
                ? Optional.of(memory.content().asReadOnlyBuffer())
                : Optional.empty();
    }

    public synchronized LogEntry toEntry(long sequence) {
        return switch (content.orElseThrow()) {
            case InMemory memory ->
                    new LogEntry.InlineBlob(
                            sequence, id.value(), memory.content().asReadOnlyBuffer());
            case InStream stream ->
                    new LogEntry.StreamBlob(
                            sequence, id.value(), bytes, stream.chunkBytes(), stream.extents());
        };
    }

    public synchronized void beginCommit(Object cube) {
        if (cube != owner) {
            throw new IllegalArgumentException(this + " belongs to another cube");
        }
        if (phase != Phase.PENDING) {
            throw new IllegalArgumentException(this + " was committed or closed already");
        }
        phase = Phase.COMMITTING;
    }

    public synchronized void endCommit(CommitEnd end) {
        if (end == CommitEnd.REFUSED && phase == Phase.COMMITTING) {
            phase = Phase.PENDING;
            return;
        }
        switch (end) {
            case DURABLE -> release(ActiveUploads.Upload::committed);
            case REFUSED -> release(ActiveUploads.Upload::abandon);
            // The log may refer to the bytes: they stay protected until the next start.
            case UNKNOWN -> {}
        }
        phase = Phase.DONE;
    }

    @Override
    public synchronized void close() {
        switch (phase) {
            case PENDING -> {
                release(ActiveUploads.Upload::abandon);
                phase = Phase.DONE;
            }
            case COMMITTING -> phase = Phase.COMMITTING_CLOSED;
            case COMMITTING_CLOSED, DONE -> {}
        }
    }

    private void release(Consumer<ActiveUploads.Upload> end) {
        if (content.isPresent() && content.get() instanceof InStream stream) {
            end.accept(stream.upload());
        }
        content = Optional.empty();
    }

    @Override
    public String toString() {
        return "blob " + id.value();
    }
}
