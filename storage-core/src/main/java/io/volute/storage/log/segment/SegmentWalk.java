package io.volute.storage.log.segment;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.format.BatchCodec;
import io.volute.storage.format.BatchHeader;
import io.volute.storage.format.EntryCodec;
import io.volute.storage.format.FormatException;
import io.volute.storage.format.HoledBatch;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.PlaceChecksum;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * Walks the batches of one head or survivor segment after the other.
 *
 * <p>One batch is in flight at a time: the next is written only after the last was forced. So a
 * batch that is not whole is a torn tail only when no batch header that fits stands behind it;
 * otherwise it was durable once, and is damage. A batch without entries is the mark of a clean end.
 */
public final class SegmentWalk {
    private static final int SECTOR = SegmentFormat.SECTOR_BYTES;

    private final PlaceChecksum checksum;
    private final BatchCodec codec;
    private final ScanWindow window;

    public SegmentWalk(UUID cubeId, StoredFile first) throws IOException {
        this.checksum = new PlaceChecksum(cubeId);
        this.codec = new BatchCodec(checksum);
        this.window = new ScanWindow(first, first.size());
    }

    /** The knowledge of the end of a segment's batches. */
    public enum Ending {
        SEALED,
        OPEN
    }

    /**
     * The segment to walk.
     *
     * @param limit end of the last batch when sealed, else of the file
     */
    public record Target(
            long segmentId, String fileName, StoredFile file, long limit, Ending ending) {}

    /** Takes batches and damage, in order. */
    public interface Sink {
        void batch(SegmentLog.LoggedBatch batch) throws IOException;

        /**
         * Takes damage. It throws, or returns to let the walk go on: with the intact entries of the
         * damaged range, each as a batch of its own, then at the next whole batch.
         */
        void damage(DamagedException damage) throws IOException;
    }

    /**
     * The result of a walk.
     *
     * @param last begin of the last whole batch; {@code end} when there is none
     * @param end offset behind the last whole batch
     * @param bytes bytes of whole batches
     * @param tornBytes length in the header of the first batch that is not whole; 0 when its header
     *     is torn
     */
    public record Walked(long last, long end, long bytes, long tornBytes) {}

    public Walked walk(Target target, long from, Sink sink) throws IOException {
        window.reset(target.file());
        long last = from;
        long offset = from;
        long bytes = 0;
        while (offset + SECTOR <= target.limit()) {
            Optional<BatchHeader> header = header(target, offset);
            boolean endMark = header.isPresent() && header.get().entries() == 0;
            if (header.isPresent() && !endMark && isWhole(target, offset, header.get())) {
                long end = offset + header.get().paddedBytes();
                sink.batch(decode(target, offset, header.get(), end));
                bytes += end - offset;
                last = offset;
                offset = end;
                continue;
            }
            Optional<SegmentLog.LoggedBatch> holed = holed(target, offset, header);
            if (holed.isPresent()) {
                sink.batch(holed.get());
                bytes += holed.get().end().offset() - offset;
                offset = holed.get().end().offset();
                continue;
            }
            OptionalLong next = nextHeader(target, offset + SECTOR);
            if (next.isEmpty() && target.ending() == Ending.OPEN) {
                long torn = header.map(BatchHeader::paddedBytes).orElse(0L);
                return new Walked(last, offset, bytes, endMark ? 0 : torn);
            }
            long resume = next.orElse(target.limit());
            sink.damage(damage(target, offset, header, resume));
            intact(target, offset + BatchHeader.BYTES, resume, sink);
            last = resume;
            offset = resume;
        }
        return new Walked(last, offset, bytes, 0);
    }

    private Optional<BatchHeader> header(Target target, long offset) throws IOException {
        int index = window.index(offset, BatchHeader.BYTES);
        if (index < 0) {
            return Optional.empty();
        }
        return BatchHeader.decode(window.buffer(), index, checksum, target.segmentId(), offset)
                .filter(header -> offset + header.bytes() <= target.limit());
    }

    private boolean isWhole(Target target, long offset, BatchHeader header) throws IOException {
        int index = window.index(offset, header.bytes());
        return index >= 0
                && codec.isWhole(header, window.buffer(), index, target.segmentId(), offset);
    }

    private SegmentLog.LoggedBatch decode(Target target, long offset, BatchHeader header, long end)
            throws IOException {
        List<SegmentLog.LoggedEntry> entries = new ArrayList<>();
        Place batch = new Place(target.segmentId(), offset, header.bytes());
        try {
            BatchCodec.decode(
                    header,
                    window.buffer(),
                    window.index(offset, header.bytes()),
                    batch,
                    (entry, place) -> entries.add(new SegmentLog.LoggedEntry(entry, place)));
        } catch (FormatException e) {
            throw new DamagedException(target.fileName(), offset, e.getMessage());
        }
        return new SegmentLog.LoggedBatch(
                entries, new LogPosition(target.segmentId(), end), header.idHighWater());
    }

    /**
     * Reads a batch in which dead blobs were punched. In sealed segments only: in an open one it
     * could be a torn tail.
     */
    private Optional<SegmentLog.LoggedBatch> holed(
            Target target, long offset, Optional<BatchHeader> found) throws IOException {
        int bytes = found.map(BatchHeader::bytes).orElse(0);
        if (target.ending() == Ending.OPEN || bytes == 0 || window.index(offset, bytes) < 0) {
            return Optional.empty();
        }
        BatchHeader header = found.get();
        List<SegmentLog.LoggedEntry> entries = new ArrayList<>();
        try {
            HoledBatch.decode(
                    header,
                    window.buffer(),
                    window.index(offset, bytes),
                    new Place(target.segmentId(), offset, bytes),
                    checksum,
                    (entry, place) -> entries.add(new SegmentLog.LoggedEntry(entry, place)));
        } catch (FormatException e) {
            return Optional.empty();
        }
        LogPosition end = new LogPosition(target.segmentId(), offset + header.paddedBytes());
        return Optional.of(new SegmentLog.LoggedBatch(entries, end, header.idHighWater()));
    }

    private OptionalLong nextHeader(Target target, long from) throws IOException {
        for (long offset = from; offset + SECTOR <= target.limit(); offset += SECTOR) {
            if (header(target, offset).isPresent()) {
                return OptionalLong.of(offset);
            }
        }
        return OptionalLong.empty();
    }

    /**
     * Passes on the entries of a damaged range whose own checksums fit, each as a batch. They were
     * durable: what stands behind them, or the seal, proves it.
     */
    private void intact(Target target, long begin, long end, Sink sink) throws IOException {
        long at = begin;
        while (at < end) {
            Optional<SegmentLog.LoggedEntry> entry = entry(target, at, end);
            if (entry.isPresent()) {
                LogPosition behind = new LogPosition(target.segmentId(), end);
                sink.batch(new SegmentLog.LoggedBatch(List.of(entry.get()), behind, 0));
                at += entry.get().place().bytes();
            } else {
                at = nextEntry(target, at, end);
            }
        }
    }

    /** Returns the entry that begins at an offset; empty when none does, or it is damaged. */
    private Optional<SegmentLog.LoggedEntry> entry(Target target, long offset, long end)
            throws IOException {
        int bytes = entryBytes(target, offset, end);
        if (bytes == 0) {
            return Optional.empty();
        }
        int index = window.index(offset, bytes);
        ByteBuffer source = window.buffer().duplicate().limit(index + bytes).position(index);
        Place place = new Place(target.segmentId(), offset, bytes);
        try {
            LogEntry entry = EntryCodec.decode(source, checksum, target.segmentId(), offset);
            return Optional.of(new SegmentLog.LoggedEntry(entry, place));
        } catch (FormatException e) {
            return Optional.empty();
        }
    }

    /** Returns the length in the header of an entry; 0 when there can be none. */
    private int entryBytes(Target target, long offset, long end) throws IOException {
        long left = Math.min(end, target.limit()) - offset;
        int index =
                left < EntryCodec.HEADER_BYTES ? -1 : window.index(offset, EntryCodec.HEADER_BYTES);
        int bytes = index < 0 ? 0 : EntryCodec.bytesAt(window.buffer(), index);
        return bytes > left || window.index(offset, bytes) < 0 ? 0 : bytes;
    }

    /**
     * Returns where to look behind a damaged entry: at the entry that its header leads to, or else
     * at the next byte that may begin one.
     */
    private long nextEntry(Target target, long offset, long end) throws IOException {
        long behind = offset + entryBytes(target, offset, end);
        if (behind > offset && entry(target, behind, end).isPresent()) {
            return behind;
        }
        for (long at = offset + 1; at < end; at++) {
            int index = window.index(at, 1);
            if (index < 0) {
                return end;
            }
            if (EntryCodec.mayBegin(window.buffer().get(index))) {
                return at;
            }
        }
        return end;
    }

    private static DamagedException damage(
            Target target, long offset, Optional<BatchHeader> header, long resume) {
        String hit =
                header.map(
                                found ->
                                        "a batch of "
                                                + found.entries()
                                                + " entries from sequence "
                                                + found.firstSequence())
                        .orElse("batches");
        return new DamagedException(
                target.fileName(),
                offset,
                "expected a whole batch, found another checksum; "
                        + hit
                        + " that had been durable is damaged up to offset "
                        + resume);
    }
}
