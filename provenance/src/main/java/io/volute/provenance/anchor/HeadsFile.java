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
import java.util.Optional;

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

    /** The offset of the first record, after magic and count. */
    static final int RECORDS_AT = MAGIC.length() + Long.BYTES;

    static final int RECORD_BYTES = Hash.BYTES + Long.BYTES + Hash.BYTES;
    private static final String WHAT = "heads file";

    private HeadsFile() {}

    /**
     * Writes a heads file. Does not close the target.
     *
     * @param ascending the heads, in ascending order of chain id, as {@link MapScan} passes them
     * @param count the number of heads
     * @return the root of the written heads; the caller compares it with the root of the checkpoint
     * @throws IllegalArgumentException if order or number are wrong; the file is then unusable
     */
    public static MapRoot write(Heads ascending, long count, OutputStream target)
            throws IOException {
        OutputStream out = new BufferedOutputStream(target);
        out.write(new ByteWriter().raw(MAGIC).u64(count).toBytes().toArray());
        MapFold fold = MapFold.withoutProofs();
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
        Reader reader = new Reader(source);
        for (Optional<Head> next = reader.next(); next.isPresent(); next = reader.next()) {
            visitor.head(next.get().chainId(), next.get().head());
        }
        return reader.root();
    }

    /** A record of the file. */
    record Head(Hash chainId, ChainHead head) {}

    /** Reads a file record by record, as {@link #read} does. Not thread-safe. */
    static final class Reader {
        private final InputStream in;
        private final long count;
        private final MapFold fold = MapFold.withoutProofs();
        private long read;

        /**
         * @throws RefusedException when it is no heads file
         */
        Reader(InputStream source) throws IOException {
            in = new BufferedInputStream(source);
            count = HeadsFile.count(in);
        }

        /**
         * Returns the next record; empty behind the last.
         *
         * @throws RefusedException when it is out of order, or something stands behind the last
         */
        Optional<Head> next() throws IOException {
            if (read == count) {
                if (in.read() >= 0) {
                    throw new RefusedException(WHAT + ": more than " + count + " heads");
                }
                return Optional.empty();
            }
            ByteReader record = reader(in, RECORD_BYTES, WHAT + ", record " + read++);
            Hash chainId = record.hash("chain id");
            ChainHead head = ChainHead.decode(record);
            if (!fold.ascendsTo(chainId)) {
                throw record.refused("chain " + chainId + " is out of order");
            }
            fold.head(chainId, head);
            return Optional.of(new Head(chainId, head));
        }

        /** Returns the root of all heads of the file. Call it once, after the last record. */
        MapRoot root() {
            return fold.finish();
        }
    }

    private static long count(InputStream in) throws IOException {
        ByteReader begin = reader(in, RECORDS_AT, WHAT);
        if (!begin.raw(MAGIC.length(), "magic").equals(MAGIC)) {
            throw new RefusedException("no heads file, or of another version");
        }
        return begin.u64("count");
    }

    /** Returns a reader of the next bytes, or of fewer if the stream is truncated. */
    private static ByteReader reader(InputStream in, int bytes, String what) throws IOException {
        return new ByteReader(Bytes.of(in.readNBytes(bytes)), what);
    }
}
