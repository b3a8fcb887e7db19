package io.volute.storage;

/** The id of a blob within its cube. An id is never used again, even after the blob is deleted. */
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
