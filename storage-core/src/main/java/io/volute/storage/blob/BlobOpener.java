package io.volute.storage.blob;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.DamagedException;
import io.volute.storage.MissingBlobException;
import io.volute.storage.Transaction;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.PhasedCount;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentReads;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Opens blobs: looks their bytes up and pins the segments. A place may leave the log between lookup
 * and pin; then it is looked up again. Thread-safe.
 */
public final class BlobOpener {
    private static final int ATTEMPTS_MAX = 100;

    /** Greatest number of plain blobs under one composed blob; S3 allows 10,000 parts. */
    private static final int LEAVES_MAX = 1_000_000;

    private final SegmentReads log;
    private final CubeIndex index;
    private final CubeImages images;
    private final SharedLayouts layouts = new SharedLayouts(SharedLayouts.BYTES_MAX);

    /** Lookups of places that are not pinned yet. */
    private final PhasedCount lookups = new PhasedCount();

    public BlobOpener(SegmentReads log, CubeIndex index, CubeImages images) {
        this.log = log;
        this.index = index;
        this.images = images;
    }

    public PhasedCount lookups() {
        return lookups;
    }

    public BlobReader open(BlobId blob) throws IOException {
        int phase = lookups.enter();
        try {
            return pinned(blob);
        } finally {
            lookups.leave(phase);
        }
    }

    private BlobReader pinned(BlobId blob) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                BlobRow row =
                        index.blob(blob.value()).orElseThrow(() -> new MissingBlobException(blob));
                Layout layout = new Layout(blob.value(), row);
                return row.content() instanceof BlobRow.Composed
                        ? layout.reader(layouts.open(blob.value(), layout::composed))
                        : layout.reader(layout.plain());
            } catch (SegmentGoneException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
            }
        }
    }

    /** One lookup in the index. */
    private final class Layout {
        private final long top;
        private final BlobRow topRow;
        private final BlobLayout.Builder leaves = new BlobLayout.Builder();

        Layout(long top, BlobRow topRow) {
            this.top = top;
            this.topRow = topRow;
        }

        BlobReader reader(SharedLayouts.Pinned pinned) {
            return new LeafReader(log, images, pinned, this::parts);
        }

        SharedLayouts.Pinned plain() throws IOException {
            leaves.add(top, topRow);
            return build();
        }

        SharedLayouts.Pinned composed() throws IOException {
            walk(partsOf(top, topRow));
            // For the list of parts, which a reader does not keep.
            leaves.addSegment(topRow.entry().segmentId());
            return build();
        }

        private SharedLayouts.Pinned build() throws IOException {
            if (leaves.bytes() != topRow.bytes()) {
                throw damaged(top, topRow, "its parts have " + leaves.bytes() + " bytes together");
            }
            return new SharedLayouts.Pinned(leaves.build(), log.pin(leaves.segments()));
        }

        private void walk(List<Transaction.Part> first) throws IOException {
            Deque<Transaction.Part> rest = new ArrayDeque<>(first);
            while (!rest.isEmpty()) {
                long id = rest.poll().blob().value();
                BlobRow row = child(id);
                if (row.content() instanceof BlobRow.Composed) {
                    partsOf(id, row).reversed().forEach(rest::addFirst);
                } else if (row.bytes() > 0) {
                    leaves.add(id, row);
                }
                if (leaves.count() + rest.size() > LEAVES_MAX) {
                    throw new IOException(
                            "blob " + top + " is composed of more than " + LEAVES_MAX + " blobs");
                }
            }
        }

        /** Returns the parts of the whole; read each time, because there can be many. */
        private List<Transaction.Part> parts() throws IOException {
            return topRow.content() instanceof BlobRow.Composed ? partsOf(top, topRow) : List.of();
        }

        private BlobRow child(long id) throws IOException {
            Optional<BlobRow> row = index.blob(id);
            if (row.isPresent()) {
                return row.get();
            }
            if (index.blob(top).isEmpty()) {
                throw new MissingBlobException(new BlobId(top));
            }
            throw damaged(top, topRow, "its part, blob " + id + ", is in no segment");
        }

        private List<Transaction.Part> partsOf(long id, BlobRow row) throws IOException {
            try (SegmentReads.Pin pin = log.pin(Set.of(row.entry().segmentId()))) {
                if (log.readEntry(row.entry()) instanceof LogEntry.ComposedBlob composed
                        && composed.blobId() == id) {
                    return List.copyOf(composed.parts());
                }
            }
            throw damaged(id, row, "another entry lies where its parts should be");
        }

        private DamagedException damaged(long id, BlobRow row, String found) {
            return new DamagedException(
                    "segment " + row.entry().segmentId(),
                    row.entry().offset(),
                    "blob " + id + " of " + row.bytes() + " bytes: " + found);
        }
    }
}
