package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;

/** The signed root over the links of all entries of one commit. */
public record BatchRecord(Bytes storeId, int leaves, Hash root, Signatures signatures) {
    public static final int LEAVES_MAX = 1 << 20;

    public BatchRecord {
        if (leaves < 1 || leaves > LEAVES_MAX) {
            throw new IllegalArgumentException("a batch has 1 to 1,048,576 leaves");
        }
    }

    /** Returns the bytes that the signatures cover. */
    public Bytes signedBytes() {
        return writeSigned().toBytes();
    }

    private ByteWriter writeSigned() {
        return new ByteWriter()
                .u8(Entry.VERSION)
                .u8(Entry.HASH_SHA_256)
                .raw(storeId)
                .u32(leaves)
                .hash(root);
    }

    public Bytes encode() {
        ByteWriter out = writeSigned();
        signatures.encode(out);
        return out.toBytes();
    }

    public static BatchRecord decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "batch");
        in.only(Entry.VERSION, "version");
        in.only(Entry.HASH_SHA_256, "hash algorithm");
        Bytes storeId = in.raw(ChainIdentity.STORE_ID_BYTES, "store id");
        long leaves = in.u32("leaves");
        if (leaves < 1 || leaves > LEAVES_MAX) {
            throw in.refused(leaves + " leaves, not 1 to " + LEAVES_MAX);
        }
        Hash root = in.hash("root");
        Signatures signatures = Signatures.decode(in);
        in.end();
        return new BatchRecord(storeId, (int) leaves, root, signatures);
    }
}
