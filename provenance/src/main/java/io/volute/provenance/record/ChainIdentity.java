package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;

/**
 * Whose history a chain is.
 *
 * @param storeId 16 bytes, random, made with the store
 * @param bucketId never used again in that store
 * @param key 1 to 1,024 bytes
 */
public record ChainIdentity(Bytes storeId, long bucketId, String bucket, Bytes key) {
    public static final int STORE_ID_BYTES = 16;

    /** The bucket that the store's own chain stands under; no bucket can have this name. */
    public static final String STORE_BUCKET = ":store";

    /** The key of the store's own chain. */
    public static final String STORE_KEY = "provenance";

    /** The bucket id of the store's own chain; no bucket has it. */
    public static final long STORE_BUCKET_ID = 0;

    private static final int KEY_BYTES_MAX = 1024;
    private static final int BUCKET_BYTES_MAX = 255;

    public ChainIdentity {
        if (storeId.length() != STORE_ID_BYTES) {
            throw new IllegalArgumentException("a store id has 16 bytes");
        }
        if (key.length() == 0 || key.length() > KEY_BYTES_MAX) {
            throw new IllegalArgumentException("a key has 1 to 1,024 bytes");
        }
        if (bucket.isEmpty() || Bytes.of(bucket).length() > BUCKET_BYTES_MAX) {
            throw new IllegalArgumentException("a bucket name has 1 to 255 bytes");
        }
    }

    /** Returns the identity of the store's own chain, which records the settings of provenance. */
    public static ChainIdentity ofStore(Bytes storeId) {
        return new ChainIdentity(storeId, STORE_BUCKET_ID, STORE_BUCKET, Bytes.of(STORE_KEY));
    }

    /** Returns whether this is the store's own chain rather than that of an object key. */
    public boolean isOfStore() {
        return equals(ofStore(storeId));
    }

    public Bytes encode() {
        return new ByteWriter()
                .u8(Entry.VERSION)
                .raw(storeId)
                .u64(bucketId)
                .text(bucket)
                .bytes16(key)
                .toBytes();
    }

    public static ChainIdentity decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "chain identity");
        in.only(Entry.VERSION, "version");
        ChainIdentity identity =
                new ChainIdentity(
                        in.raw(STORE_ID_BYTES, "store id"),
                        in.u64("bucket id"),
                        in.text(1, BUCKET_BYTES_MAX, "bucket name"),
                        in.bytes16(1, KEY_BYTES_MAX, "key"));
        in.end();
        return identity;
    }

    public Hash chainId() {
        return Domain.CHAIN.hash(encode());
    }

    @Override
    public String toString() {
        return bucket + "/" + key.text();
    }
}
