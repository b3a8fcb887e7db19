package io.volute.server.encryption;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * A key of a bucket, whose objects share an erasure secret. New secrets belong to the id of the
 * bucket, which no later bucket of the same name has. Older ones belong to its name.
 *
 * @param bucketId empty where data keys are opened only
 */
public record ObjectName(String bucket, OptionalLong bucketId, String key) {
    /** Creates the name of an object whose data keys are opened, and not made. */
    public ObjectName(String bucket, String key) {
        this(bucket, OptionalLong.empty(), key);
    }

    public ObjectName(String bucket, long bucketId, String key) {
        this(bucket, OptionalLong.of(bucketId), key);
    }

    /**
     * Returns the leaf of the {@link ErasureTree} of new data keys.
     *
     * @param generation how often the key has been shredded
     */
    long leaf(int generation) {
        return leaf(bucketId.orElseThrow(), generation);
    }

    /** Returns the leaf of the {@link ErasureTree} of a data key of this object. */
    public long leaf(WrappedKey wrapped) {
        if (wrapped.bucketId().isPresent()) {
            return leaf(wrapped.bucketId().getAsLong(), wrapped.generation());
        }
        return hash(
                new ByteWriter()
                        .raw(Domain.prefix("erasure-leaf"))
                        .text(bucket)
                        .text(key)
                        .u32(wrapped.generation()));
    }

    private long leaf(long id, int generation) {
        return hash(
                new ByteWriter()
                        .raw(Domain.prefix("erasure-leaf-of-id"))
                        .u64(id)
                        .text(key)
                        .u32(generation));
    }

    private static long hash(ByteWriter name) {
        return ByteBuffer.wrap(Hash.ofContent(name.toBytes().toArray()).toArray()).getLong();
    }
}
