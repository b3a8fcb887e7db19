package io.volute.storage.format;

import io.volute.storage.Place;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A batch of a sealed segment in which dead blobs were punched, so that its own checksum does not
 * fit any more. It is read entry by entry: each must fit its own checksum or be a hole, and
 * together they must end at the end of the batch. Only for sealed segments: in an open one, a torn
 * batch may look the same.
 */
public final class HoledBatch {
    private HoledBatch() {}

    /**
     * Decodes the batch at the buffer's index.
     *
     * @throws FormatException when it is not such a batch; the visitor may have taken entries then
     */
    public static void decode(
            BatchHeader header,
            ByteBuffer source,
            int index,
            Place batch,
            PlaceChecksum checksum,
            BatchCodec.EntryVisitor visitor)
            throws FormatException {
        int limit = source.limit();
        int at = index + BatchHeader.BYTES;
        int end = index + header.bytes();
        int holes = 0;
        try {
            for (int i = 0; i < header.entries(); i++) {
                source.limit(end);
                int bytes = EntryCodec.entryBytes(source, at);
                source.limit(at + bytes).position(at);
                Place place = new Place(batch.segmentId(), batch.offset() + (at - index), bytes);
                LogEntry entry = decode(source, place, checksum);
                holes += entry instanceof LogEntry.Hole ? 1 : 0;
                visitor.entry(entry, place);
                at += bytes;
            }
        } finally {
            source.limit(limit);
        }
        if (at != end || holes == 0) {
            throw new FormatException("not a batch with holes");
        }
    }

    private static LogEntry decode(ByteBuffer source, Place place, PlaceChecksum checksum)
            throws FormatException {
        int index = source.position();
        try {
            return EntryCodec.decode(source, checksum, place.segmentId(), place.offset());
        } catch (FormatException e) {
            source.position(index);
            Optional<LogEntry.Hole> hole = InlineHole.decode(source, place);
            if (hole.isPresent()) {
                return hole.get();
            }
            throw e;
        }
    }
}
