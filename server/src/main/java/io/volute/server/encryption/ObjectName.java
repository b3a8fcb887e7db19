package io.volute.server.encryption;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import java.nio.ByteBuffer;

/** A key of a bucket, whose objects share an erasure secret. */
public record ObjectName(String bucket, String key) {

    /**
     * Returns the leaf of the {@link ErasureTree} that belongs to the key.
     *
     * @param generation how often the key has been shredded
     */
    long leaf(int generation) {
        Bytes name =
                new ByteWriter()
                        .raw(Domain.prefix("erasure-leaf"))
                        .text(bucket)
                        .text(key)
                        .u32(generation)
                        .toBytes();
        return ByteBuffer.wrap(Hash.ofContent(name.toArray()).toArray()).getLong();
    }
}
