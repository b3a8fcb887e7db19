package io.volute.versioning.rows;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.BatchRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * The detail of a row of {@code batches}: a signed batch with all its links, from which the path of
 * each link is computed.
 *
 * <pre>
 *   u8       1, the version of this layout
 *   bytes32  batch, as in docs/format/provenance.md
 *   h32      links, one per leaf of the batch
 * </pre>
 */
public record BatchRow(BatchRecord batch, List<Hash> links) {
    private static final int LAYOUT = 1;
    private static final int BATCH_BYTES_MAX = 1 << 16;

    public BatchRow {
        links = List.copyOf(links);
    }

    public byte[] encode() {
        ByteWriter out = new ByteWriter().u8(LAYOUT).bytes32(batch.encode());
        links.forEach(out::hash);
        return out.toBytes().toArray();
    }

    public static BatchRow decode(byte[] detail) throws RefusedException {
        ByteReader in = new ByteReader(Bytes.of(detail), "row of a batch");
        in.only(LAYOUT, "version");
        BatchRecord batch = BatchRecord.decode(in.bytes32(1, BATCH_BYTES_MAX, "batch"));
        List<Hash> links = new ArrayList<>();
        for (int i = 0; i < batch.leaves(); i++) {
            links.add(in.hash("link"));
        }
        in.end();
        return new BatchRow(batch, links);
    }
}
