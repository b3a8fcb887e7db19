package io.volute.admin.audit;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Frame;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Finds the end of each chain of an export, one chain ahead of the audit. The audit reports damaged
 * entries; this class skips them. Not thread-safe.
 */
final class ChainEnds {
    private final DataInputStream in;

    /**
     * @param export another stream than the one that is audited
     */
    ChainEnds(InputStream export) throws IOException {
        in = new DataInputStream(export);
        in.skipNBytes(Frame.MAGIC.length());
    }

    /** The sequence of the last entry of the next chain; 0 where there is none. */
    long next() throws IOException {
        long last = 0;
        try {
            for (int type = in.readUnsignedByte();
                    type != Frame.Type.END.code();
                    type = in.readUnsignedByte()) {
                int bytes = in.readInt();
                if (bytes < 0 || bytes > Frame.BYTES_MAX) {
                    return last;
                }
                byte[] payload = in.readNBytes(bytes);
                if (type == Frame.Type.ENTRY.code()) {
                    last = Math.max(last, sequence(payload, last));
                }
            }
            in.skipNBytes(Integer.BYTES + Long.BYTES);
        } catch (EOFException e) {
            return last;
        }
        return last;
    }

    private static long sequence(byte[] record, long otherwise) {
        try {
            return EntryRecord.peek(Bytes.of(record)).sequence();
        } catch (RefusedException e) {
            return otherwise;
        }
    }
}
