package io.volute.storage.check;

import io.volute.storage.Place;
import io.volute.storage.report.CheckReport.Kind;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * Compares the extents of one stream segment with the blobs that own them, by one snapshot. Ranges
 * that are not in these rows may be punched.
 */
final class ExtentCheck {
    private final CubeIndex index;
    private final CheckFindings notes;

    ExtentCheck(CubeIndex index, CheckFindings notes) {
        this.index = index;
        this.notes = notes;
    }

    void run(long segment) throws IOException {
        try (CubeIndex snapshot = index.snapshot()) {
            Map<Long, Long> owners = snapshot.extents().owners(segment);
            long end = 0;
            long live = 0;
            for (Place extent : snapshot.extents().live(segment)) {
                notes.read(3 * Long.BYTES);
                long owner = owners.get(extent.offset());
                if (extent.offset() < end) {
                    problem(Kind.REFERENCE, extent, "blob " + owner + " overlaps another one");
                }
                end = Math.max(end, extent.offset() + extent.bytes());
                live += extent.bytes();
                Optional<BlobRow> row = snapshot.blob(owner);
                if (row.isEmpty() || !row.get().extents().contains(extent)) {
                    problem(
                            Kind.REFERENCE,
                            extent,
                            "kept for blob " + owner + ", which does not lie there");
                }
            }
            long accounted = snapshot.accounts().account(segment).live();
            if (accounted != live) {
                notes.problem(
                        Kind.ACCOUNTING,
                        "segment " + segment,
                        "live bytes: accounted " + accounted + ", extents " + live);
            }
        }
    }

    private void problem(Kind kind, Place extent, String what) {
        notes.problem(
                kind, "segment " + extent.segmentId() + " at offset " + extent.offset(), what);
    }
}
