package io.volute.provenance.chain;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Frame;
import io.volute.provenance.secrecy.SharedTree;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes chains for auditors. The caller keeps the order of frames: a chain, then for each record
 * the batch before it, unless it was written among the last 1,024; then the end. Not thread-safe.
 */
public final class ExportWriter {
    /** The number of batches that a reader keeps; the export repeats an older batch before use. */
    public static final int BATCHES_REMEMBERED = 1024;

    private final OutputStream target;
    private long records;

    public ExportWriter(OutputStream target) throws IOException {
        this.target = target;
        target.write(Frame.MAGIC.toArray());
    }

    public void chain(ChainIdentity identity) throws IOException {
        records = 0;
        write(Frame.Type.CHAIN, identity.encode());
    }

    public void batch(BatchRecord batch) throws IOException {
        write(Frame.Type.BATCH, batch.encode());
    }

    /** Before the first entry for its auditors. */
    public void tree(SharedTree tree) throws IOException {
        write(Frame.Type.TREE, tree.encode());
    }

    public void entry(EntryRecord record) throws IOException {
        record(record.encode());
    }

    /** An entry's record as it was found, whatever it is: the auditor shall see it. */
    public void record(Bytes encoded) throws IOException {
        records++;
        write(Frame.Type.ENTRY, encoded);
    }

    public void end() throws IOException {
        write(Frame.Type.END, new ByteWriter().u64(records).toBytes());
    }

    private void write(Frame.Type type, Bytes payload) throws IOException {
        target.write(new Frame(type.code(), payload).encode().toArray());
    }
}
