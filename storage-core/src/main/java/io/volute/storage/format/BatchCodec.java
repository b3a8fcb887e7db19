package io.volute.storage.format;

import io.volute.storage.Place;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The byte encoding of batches of one cube. Used by one thread at a time.
 *
 * <p>A batch begins on a sector, holds its header and its entries without gaps, and ends with zeros
 * up to the next sector.
 */
public final class BatchCodec {
    private final PlaceChecksum checksum;

    public BatchCodec(PlaceChecksum checksum) {
        this.checksum = checksum;
    }

    /** The place and time of a batch. */
    public record Stamp(long segmentId, long offset, long idHighWater, long commitMillis) {}

    /**
     * Writes a batch with its padding at the buffer's index 0, and sets position 0 and the limit
     * behind the padding.
     *
     * @return the place of each entry
     */
    public List<Place> encode(List<LogEntry> entries, Stamp stamp, ByteBuffer target) {
        List<Place> places = new ArrayList<>(entries.size());
        begin(target);
        for (LogEntry entry : entries) {
            places.add(add(entry, stamp, target));
        }
        end(entries.size(), entries.isEmpty() ? 0 : entries.get(0).sequence(), stamp, target);
        return places;
    }

    /** Begins a batch at the buffer's index 0. */
    public void begin(ByteBuffer target) {
        target.clear().position(BatchHeader.BYTES);
    }

    /** Adds an entry to the batch that was begun; returns its place. */
    public Place add(LogEntry entry, Stamp stamp, ByteBuffer target) {
        int begin = target.position();
        EntryCodec.encode(entry, target, checksum, stamp.segmentId(), stamp.offset() + begin);
        return new Place(stamp.segmentId(), stamp.offset() + begin, target.position() - begin);
    }

    /**
     * Ends a batch that was begun: writes header and padding, sets position 0 and the limit behind
     * the padding.
     *
     * @param firstSequence that of its first entry
     */
    public void end(int entries, long firstSequence, Stamp stamp, ByteBuffer target) {
        int bytes = target.position();
        checksum.begin(stamp.segmentId(), stamp.offset())
                .update(target, BatchHeader.BYTES, bytes - BatchHeader.BYTES);
        BatchHeader header =
                new BatchHeader(
                        checksum.value(),
                        bytes,
                        entries,
                        BatchHeader.Spacing.SECTOR,
                        firstSequence,
                        stamp.idHighWater(),
                        stamp.commitMillis());
        header.encode(target, 0, checksum, stamp.segmentId(), stamp.offset());
        pad(target, (int) header.paddedBytes());
    }

    /** Writes zeros from the position up to the end, and sets position 0 and the limit there. */
    public static void pad(ByteBuffer target, int end) {
        target.limit(end);
        while (target.hasRemaining()) {
            target.put((byte) 0);
        }
        target.flip();
    }

    /**
     * Returns whether the entries behind this header, at the buffer's index, are as they were
     * written.
     */
    public boolean isWhole(
            BatchHeader header, ByteBuffer source, int index, long segmentId, long offset) {
        checksum.begin(segmentId, offset)
                .update(source, index + BatchHeader.BYTES, header.bytes() - BatchHeader.BYTES);
        return checksum.value() == header.bodyChecksum();
    }

    /** A visitor of the entries of a batch. */
    public interface EntryVisitor {
        void entry(LogEntry entry, Place place);
    }

    /**
     * Decodes the entries of a whole batch. Contents of inline blobs are slices of the source.
     *
     * @throws FormatException when a batch whose checksum fits holds something unknown
     */
    public static void decode(
            BatchHeader header, ByteBuffer source, int index, Place batch, EntryVisitor visitor)
            throws FormatException {
        int limit = source.limit();
        int at = index + BatchHeader.BYTES;
        int end = index + header.bytes();
        try {
            for (int i = 0; i < header.entries(); i++) {
                source.limit(end);
                int bytes = EntryCodec.entryBytes(source, at);
                source.limit(at + bytes).position(at);
                Place place = new Place(batch.segmentId(), batch.offset() + (at - index), bytes);
                visitor.entry(EntryCodec.decodeVerified(source), place);
                at += bytes;
            }
        } finally {
            source.limit(limit);
        }
        if (at != end) {
            throw new FormatException("a batch has " + (end - at) + " bytes too many");
        }
    }
}
