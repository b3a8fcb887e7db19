package io.volute.provenance.anchor;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/**
 * All heads at a checkpoint in one file, for who wants to see that no chain is missing and none is
 * behind. Written and read in little memory.
 *
 * <pre>
 * "VOLHEADS" 0x01 | u64 count | ( h32 chain id | u64 sequence | h32 link ) ...   ascending
 * </pre>
 */
public final class HeadsFile {
    public static final Bytes MAGIC = new ByteWriter().raw(Bytes.of("VOLHEADS")).u8(1).toBytes();

    /** Where the records begin: behind magic and count. */
    static final int RECORDS_AT = MAGIC.length() + Long.BYTES;

    static final int RECORD_BYTES = Hash.BYTES + Long.BYTES + Hash.BYTES;
    private static final String WHAT = "heads file";

    private HeadsFile() {}

    /**
     * Does not close the target.
     *
     * @param ascending by chain id, as those of {@link MapScan} are
     * @param count of them
     * @return the root of what was written, to be compared with that of the checkpoint
     * @throws IllegalArgumentException when the heads are not so; the file is of no use then
     */
    public static MapRoot write(Heads ascending, long count, OutputStream target)
            throws IOException {
        OutputStream out = new BufferedOutputStream(target);
        out.write(new ByteWriter().raw(MAGIC).u64(count).toBytes().toArray());
        MapFold fold = fold();
        ascending.forEach(
                (chainId, head) -> {
                    fold.head(chainId, head);
                    ByteWriter record = new ByteWriter().hash(chainId);
                    head.encode(record);
                    out.write(record.toBytes().toArray());
                });
        MapRoot written = fold.finish();
        if (written.heads() != count) {
            throw new IllegalArgumentException(written.heads() + " heads, not " + count);
        }
        out.flush();
        return written;
    }

    /**
     * Reads a file to its end. What the visitor gets is to be trusted only when this returns a root
     * that is the checkpoint's ({@link CheckpointAudit#heads}).
     *
     * @throws RefusedException when it is not the canonical file of any heads
     */
    public static MapRoot read(InputStream source, Heads.Visitor visitor) throws IOException {
        InputStream in = new BufferedInputStream(source);
        long count = count(in);
        MapFold fold = fold();
        for (long i = 0; i < count; i++) {
            ByteReader record = reader(in, RECORD_BYTES, WHAT + ", record " + i);
            Hash chainId = record.hash("chain id");
            ChainHead head = ChainHead.decode(record);
            if (!fold.ascendsTo(chainId)) {
                throw record.refused("chain " + chainId + " is out of order");
            }
            fold.head(chainId, head);
            visitor.head(chainId, head);
        }
        if (in.read() >= 0) {
            throw new RefusedException(WHAT + ": more than " + count + " heads");
        }
        return fold.finish();
    }

    private static long count(InputStream in) throws IOException {
        ByteReader begin = reader(in, RECORDS_AT, WHAT);
        if (!begin.raw(MAGIC.length(), "magic").equals(MAGIC)) {
            throw new RefusedException("no heads file, or of another version");
        }
        return begin.u64("count");
    }

    /** Of less, when the stream ends before: it is cut off then. */
    private static ByteReader reader(InputStream in, int bytes, String what) throws IOException {
        return new ByteReader(Bytes.of(in.readNBytes(bytes)), what);
    }

    private static MapFold fold() {
        return new MapFold(new ProofPaths(List.of()));
    }
}
