package io.volute.storage.log.file;

import io.volute.storage.Place;
import io.volute.storage.format.BatchHeader;
import io.volute.storage.format.EntryCodec;
import io.volute.storage.format.FormatException;
import io.volute.storage.format.InlineHole;
import io.volute.storage.format.PlaceChecksum;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.SegmentHoles;
import io.volute.storage.log.segment.ScanWindow;
import io.volute.storage.log.segment.Segment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Searches one sealed segment for dead inline blobs, entry by entry. The lengths on the way are not
 * verified. So a wrong one ends the search in that batch, and a blob that seems dead is read wholly
 * and reported only when its own checksum fits. Damage is left for a scan to report. Used by one
 * thread.
 */
final class DeadBlobSearch {
    /** Bytes that are read at once. Only fronts are needed, and the next front is seldom near. */
    private static final int WINDOW_BYTES = 16 << 10;

    private final Segment segment;
    private final StoredFile file;
    private final SegmentHoles.Liveness liveness;
    private final int bytesMin;
    private final PlaceChecksum checksum;
    private final ScanWindow window;
    private final List<SegmentHoles.Range> found = new ArrayList<>();

    DeadBlobSearch(
            UUID cubeId,
            Segment segment,
            StoredFile file,
            int bytesMin,
            SegmentHoles.Liveness liveness) {
        this.bytesMin = bytesMin;
        this.segment = segment;
        this.file = file;
        this.liveness = liveness;
        this.checksum = new PlaceChecksum(cubeId);
        this.window = new ScanWindow(file, WINDOW_BYTES);
    }

    List<SegmentHoles.Range> run() throws IOException {
        long offset = SegmentFormat.PAGE_BYTES;
        Optional<BatchHeader> header = header(offset);
        while (header.isPresent() && header.get().entries() > 0) {
            searchBatch(offset, header.get());
            offset += header.get().paddedBytes();
            header = header(offset);
        }
        return found;
    }

    private Optional<BatchHeader> header(long offset) throws IOException {
        long limit = segment.writtenBytes();
        int index =
                offset + BatchHeader.BYTES <= limit ? window.index(offset, BatchHeader.BYTES) : -1;
        if (index < 0) {
            return Optional.empty();
        }
        return BatchHeader.decode(window.buffer(), index, checksum, segment.id(), offset)
                .filter(header -> offset + header.bytes() <= limit);
    }

    private void searchBatch(long offset, BatchHeader header) throws IOException {
        long end = offset + header.bytes();
        long at = offset + BatchHeader.BYTES;
        try {
            while (at < end) {
                int available = (int) Math.min(InlineHole.FRONT_BYTES_MAX, end - at);
                int index = window.index(at, available);
                if (index < 0) {
                    return;
                }
                InlineHole.Front front = InlineHole.front(window.buffer(), index, available);
                if (front.bytes() > end - at) {
                    return;
                }
                consider(front, new Place(segment.id(), at, front.bytes()));
                at += front.bytes();
            }
        } catch (FormatException e) {
            // Another batch begins at the end in the header, whatever is wrong in this one.
        }
    }

    private void consider(InlineHole.Front front, Place place) throws IOException {
        if (front.blobId().isPresent()
                && InlineHole.bytes(place, bytesMin) > 0
                && !liveness.isLive(front.blobId().getAsLong(), place)
                && isGenuine(place)) {
            found.add(new SegmentHoles.Range(InlineHole.begin(place), InlineHole.end(place)));
        }
    }

    private boolean isGenuine(Place place) throws IOException {
        ByteBuffer entry = ByteBuffer.allocate((int) place.bytes());
        file.read(entry, place.offset());
        try {
            EntryCodec.decode(entry.flip(), checksum, place.segmentId(), place.offset());
            return true;
        } catch (FormatException e) {
            return false;
        }
    }
}
