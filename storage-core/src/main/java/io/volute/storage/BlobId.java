package io.volute.storage;

/** Names a blob within its cube, for ever: ids are never used again. */
public record BlobId(long value) implements Comparable<BlobId> {
    public BlobId {
        if (value <= 0) {
            throw new IllegalArgumentException("blob id must be positive: " + value);
        }
    }

    @Override
    public int compareTo(BlobId other) {
        return Long.compare(value, other.value);
    }
}
